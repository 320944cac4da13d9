# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of README.md, examples/README.md and docs/*.md and compares what they print.

A line above a block says what it is:
    <!-- file: NAME -->         the block is that file
    <!-- part -->               YAML: sections of a model that trammel check must accept
    <!-- joints -->             YAML: joints, each of which trammel check must accept in a mechanism
    <!-- forces -->             YAML: forces, likewise
    <!-- run -->                "$ command" lines, each followed by what it prints
    <!-- output: COMMAND -->    what the command prints
    <!-- not run: WHY -->       shown only
and between <!-- keys: SECTION --> and <!-- end --> stands that table of `trammel schema --markdown`, or (keys: study, keys:
optimization) the one of `trammel schema --study --markdown` or `--optimization`.
Each document has a folder of its own, with links to examples/ and experiments/, and its blocks are
carried out in their order. A command that fails is followed by `$ echo $?`. Every yaml and console
block has such a line, no command stands outside of one, and every command of `trammel help` has an
example.

Usage: documents.py TRAMMEL [--update | --self-test]      --update writes what was printed
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARK = re.compile(r"<!-- (file|part|joints|forces|run|output|not run)(?:: (.*?))? -->$")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w]|\.\d)")
# what depends on the machine and the day: seconds, memory, versions of libraries, rare failures
MASKED = [(re.compile(r"(rejected )\d+( by the error test, )\d+"), r"\1#\2#"),
          (re.compile(r"(failed )\d+( times and the error test )\d+"), r"\1#\2#"),
          (re.compile(r"(steps +\d+ in )[\d.e+-]+ s"), r"\1# s"),
          (re.compile(r"^ +rows +\d+ in [\d.e+-]+ s\n", re.M), ""),  # printed where they took long
          (re.compile(r"(now +\d+ in )[\d.e+-]+ s, [\d.e+-]+ a second"), r"\1# s"),
          (re.compile(r"(\(companion: [\w-]+, )[\d.e+-]+ s"), r"\1# s"),
          (re.compile(r'("(?:wall_seconds|cpu_seconds|companion_seconds|run_seconds|output_seconds|peak_memory_bytes)": )[\d.e+-]+'), r"\1#"),
          (re.compile(r"^mpi .*", re.M), "mpi #"),
          (re.compile(r"^((?:trammel|hdf5|klu|yaml) )\d+\.\d+\.\d+", re.M), r"\1#")]

# the sections that a <!-- part --> leaves out, from the beginning of docs/model-file.md
REST = {
    "trammel": "trammel: 1\n",
    "equations": "equations:\n  coordinates: {x: vx, y: vy}\n  mass: [\"m\", \"m\"]\n"
                 "  force: [0, \"-m*grav\"]\n  constraints: {rod: \"(x^2 + y^2 - l^2)/2\"}\n",
    "parameters": "parameters: {m: 1, grav: 9.81, l: 1}\n",
    "initial": "initial: {values: {x: 1}}\n",
    "simulate": "simulate: {end: 1}\n",
}

# the mechanism around <!-- joints --> and <!-- forces -->, as docs/mechanisms.md describes it
MECHANISM = """trammel: 1
mechanism:
  gravity: [0, 0, -9.81]
  bodies:
    crank: {mass: 1, center: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
    rod: {mass: 1, center: [1.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
    slider: {mass: 1, center: [2, 0, 0], inertia: [0.1, 0.1, 0.1]}
  joints:
    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}}
    guide: {prismatic: {between: [ground, slider], at: [2, 0, 0], axis: x}}
"""


class Block:
    """A fenced block: its mark, its language, the lines between the fences and where they stand."""

    def __init__(self, kind, name, language, first, lines):
        self.kind, self.name, self.language = kind, name, language
        self.first, self.lines = first, lines

    def text(self):
        return "".join(line + "\n" for line in self.lines)


def read_blocks(lines, complain):
    """The blocks of a document; text outside must not hold commands."""
    blocks, at = [], 0
    while at < len(lines):
        fence = re.match(r"```(\w*)$", lines[at])
        if not fence:
            if re.match(r"(    +|\t)\$? ?(build/)?trammel \w", lines[at]):
                complain(at, "a command outside of a marked block")
            at += 1
            continue
        end = lines.index("```", at + 1)
        mark = MARK.match(lines[at - 1]) if at > 0 else None
        kind, name = mark.groups() if mark else (None, None)
        if not kind and fence[1] in ("yaml", "console"):
            complain(at, "a %s block without a line that says what it is" % fence[1])
        if kind:
            blocks.append(Block(kind, name, fence[1], at + 1, lines[at + 1:end]))
        at = end + 1
    return blocks


def split_commands(lines):
    """[(command, printed lines)] of a console block; a command goes on after a backslash."""
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][1].append(line)
    return commands


def run_shell(commands, folder, environment):
    """Runs the commands in one shell; [(printed text, exit code)]."""
    script = ""
    for command in commands:
        # $? of a command is that of the one before
        script += "(exit ${code:-0})\n%s\ncode=$?; printf '\\001%%d\\001' $code\n" % command
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1800)
    pieces = done.stdout.split("\001")
    return [(pieces[2 * i], int(pieces[2 * i + 1])) for i in range(len(commands))]


def mask(text):
    for pattern, by in MASKED:
        text = pattern.sub(by, text)
    return text


def near(a, b):
    """Two numbers as printed: counts within 3 %, values within 2e-3, errors of the method (below
    1e-4) within a factor of about two, and roundoff (below 1e-7) is roundoff."""
    x, y = float(a), float(b)
    largest = max(abs(x), abs(y))
    if largest < 1e-7:
        return True
    if re.fullmatch(r"\d+", a) and re.fullmatch(r"\d+", b) and largest > 20:
        return abs(x - y) <= max(2, 0.03 * largest)
    return abs(x - y) <= (0.5 if largest < 1e-4 else 2e-3) * largest


def same(wanted, printed):
    """Whether texts agree, numbers within what processors and libraries may differ."""
    a, b = mask(wanted), mask(printed)
    if a == b:
        return True
    blank = re.compile(r"\s+")  # the width of a column follows its numbers
    if blank.sub(" ", NUMBER.sub("#", a)) != blank.sub(" ", NUMBER.sub("#", b)):
        return False
    return all(near(x, y) for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def key_tables(trammel):
    """{section: lines of its table} of the manual; the first section is `model`. `study`: all keys of
    study files in one table."""
    manual = subprocess.run([trammel, "schema", "--markdown"], text=True,
                            stdout=subprocess.PIPE).stdout
    tables, section = {}, "model"
    for line in manual.split("\n"):
        section = line[3:] if line.startswith("## ") else section
        if line.startswith("|"):
            tables.setdefault(section, []).append(line)
    for kind in ("study", "optimization"):
        manual = subprocess.run([trammel, "schema", "--" + kind, "--markdown"], text=True,
                                capture_output=True, check=True).stdout
        rows = [line for line in manual.split("\n") if line.startswith("|")]
        tables[kind] = rows[:2] + [row for row in rows if row not in rows[:2]]
    return tables


class Document:
    """One document under check: its lines, its folder, what went wrong."""

    def __init__(self, path, trammel, update):
        self.path, self.trammel, self.update = path, trammel, update
        self.lines = open(path).read().split("\n")
        self.errors, self.commands = [], []
        self.shift = 0  # lines that updates have added so far

    def complain(self, line, text):
        self.errors.append("%s:%d: %s" % (os.path.relpath(self.path, ROOT), line + 1, text))

    def expect(self, first, wanted, printed, what):
        """Compares printed text with the lines from `first` on, or replaces them."""
        text = printed.rstrip("\n")
        lines = text.split("\n") if text else []
        if same("\n".join(wanted), "\n".join(lines)):
            return
        if self.update:
            at = first + self.shift
            self.lines[at:at + len(wanted)] = lines
            self.shift += len(lines) - len(wanted)
            return
        self.complain(first, "%s prints\n    %s\ninstead of\n    %s" % (
            what, "\n    ".join(lines), "\n    ".join(wanted)))

    def run_console(self, block, folder, environment):
        commands = split_commands(block.lines)
        results = run_shell([c for c, _ in commands], folder, environment)
        at = block.first
        for i, ((command, wanted), (printed, code)) in enumerate(zip(commands, results)):
            self.commands.append(command)
            at += 1 + command.count("\n")
            shown = i + 1 < len(commands) and commands[i + 1][0] == "echo $?"
            if code != 0 and not shown:
                self.complain(at, "exit code %d of: %s\n    %s" % (code, command, printed))
            self.expect(at, wanted, printed, command)
            at += len(wanted)

    def check_part(self, block, folder, environment):
        """Sections of a model: with the rest they must pass."""
        text = block.text()
        keys = set(re.findall(r"^(\w+):", text, re.M))
        given = keys & {"equations", "mechanism", "problem"}
        for key, rest in REST.items():
            own = key in ("equations", "parameters", "initial")
            if key not in keys and not (own and given):
                text += rest
        with open(os.path.join(folder, "part.yaml"), "w") as file:
            file.write(text)
        done = run_shell(["trammel check -q part.yaml"], folder, environment)[0]
        if done[1] != 0:
            self.complain(block.first, "trammel check says\n" + done[0])

    def check_entries(self, block, folder, environment):
        """Joints or forces of a mechanism: each with the rest must pass."""
        entries = re.findall(r"^\S.*\n(?: +.*\n)*", block.text(), re.M)
        for entry in entries:
            loose = "" if block.kind == "joints" and "rod]" in entry else (
                "    held: {fixed: {between: [crank, rod]}}\n")
            text = MECHANISM + loose + ("" if block.kind == "joints" else "  forces:\n")
            text += "".join("    " + line + "\n" for line in entry.rstrip("\n").split("\n"))
            with open(os.path.join(folder, "part.yaml"), "w") as file:
                file.write(text + "simulate: {end: 1}\n")
            done = run_shell(["trammel check -q part.yaml"], folder, environment)[0]
            if done[1] != 0:
                self.complain(block.first, "trammel check says\n" + done[0])

    def carry_out(self, block, folder, environment):
        if block.kind == "file":
            with open(os.path.join(folder, block.name), "w") as file:
                file.write(block.text())
        elif block.kind == "part":
            self.check_part(block, folder, environment)
        elif block.kind in ("joints", "forces"):
            self.check_entries(block, folder, environment)
        elif block.kind == "run":
            self.run_console(block, folder, environment)
        elif block.kind == "not run":
            self.commands += [command for command, _ in split_commands(block.lines)]
        elif block.kind == "output":
            printed, _ = run_shell([block.name], folder, environment)[0]
            self.commands.append(block.name)
            self.expect(block.first, block.lines, printed, block.name)

    def check_tables(self):
        """The tables of keys; those of this document."""
        tables, found = key_tables(self.trammel), []
        for section in re.findall(r"^<!-- keys: (\w+) -->$", "\n".join(self.lines), re.M):
            first = self.lines.index("<!-- keys: %s -->" % section) + 1
            end = self.lines.index("<!-- end -->", first)
            found.append(section)
            if self.lines[first:end] != tables.get(section):
                if self.update and section in tables:
                    self.lines[first:end] = tables[section]
                else:
                    self.complain(first, "the table of keys of '%s' is out of date; "
                                  "check_documents.sh --update repairs it" % section)
        if os.path.basename(self.path) == "model-file.md":
            found += ["mechanism", "study", "optimization"]  # in mechanisms.md, studies.md, sensitivities.md
            for section in sorted(set(tables) - set(found)):
                self.complain(0, "there is no table of the keys of '%s'" % section)

    def check(self):
        self.check_tables()
        blocks = read_blocks(self.lines, self.complain)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("examples", "experiments", "include"):
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
            tools = os.path.join(folder, ".bin")
            os.mkdir(tools)
            os.symlink(self.trammel, os.path.join(tools, "trammel"))
            os.symlink(sys.executable, os.path.join(tools, "python3"))
            environment = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], LC_ALL="C",
                               NO_COLOR="1")
            for block in blocks:
                self.carry_out(block, folder, environment)
        if self.update:
            open(self.path, "w").write("\n".join(self.lines))
        return self.errors


def document_paths(root):
    return [os.path.join(root, "README.md"), os.path.join(root, "examples", "README.md")] + sorted(
        glob.glob(os.path.join(root, "docs", "*.md")))


def check_all(root, trammel, update):
    errors, commands = [], []
    for path in document_paths(root):
        document = Document(path, trammel, update)
        errors += document.check()
        commands += document.commands
    usage = subprocess.run([trammel, "help"], text=True, stdout=subprocess.PIPE).stdout
    for name in re.findall(r"^  (\w+) +", usage, re.M):
        if not any(re.search(r"\btrammel %s\b" % name, c) for c in commands):
            errors.append("no document has an example of `trammel %s`" % name)
    return errors


def self_test(trammel):
    """Wrong documents must be noticed."""
    cases = [
        ("a changed number", "<!-- run -->\n```console\n$ echo 1.5 s\n1.6 s\n```\n"),
        ("a changed word", "<!-- run -->\n```console\n$ echo good\nbad\n```\n"),
        ("a failure", "<!-- run -->\n```console\n$ false\n```\n"),
        ("a part that is no model", "<!-- part -->\n```yaml\nsimulat: {end: 1}\n```\n"),
        ("a joint that is none", "<!-- joints -->\n```yaml\npin: {fixd: {}}\n```\n"),
        ("a block without a mark", "```yaml\ntrammel: 1\n```\n"),
        ("a command outside", "Do\n\n    trammel run model.yaml\n"),
        ("a table that is out of date", "<!-- keys: units -->\n| old |\n<!-- end -->\n"),
        ("a wrong output", "<!-- output: echo yes -->\n```text\nno\n```\n"),
    ]
    right = ("<!-- run -->\n```console\n$ echo 1.5 in 3 s\n1.5001 in 3 s\n$ false\n$ echo $?\n1\n"
             "```\n<!-- part -->\n```yaml\noutputs: {height: \"y + l\"}\n```\n")
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text.md")
        for what, text in cases + [("", right)]:
            with open(path, "w") as file:
                file.write(text)
            errors = Document(path, trammel, False).check()
            if what and not errors:
                bad.append("not noticed: " + what)
            if not what:
                bad += errors
    return bad


def main():
    trammel = os.path.abspath(sys.argv[1])
    mode = sys.argv[2] if len(sys.argv) > 2 else ""
    errors = self_test(trammel) if mode == "--self-test" else check_all(
        ROOT, trammel, mode == "--update")
    print("\n".join(errors) if errors else "all good")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
