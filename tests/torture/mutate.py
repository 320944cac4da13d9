#!/usr/bin/env python3
"""Mutation testing: changes one operator or constant of a file, builds, runs the tests that should notice, and names the
changes that none of them noticed (survivors). Those of survivors.txt change nothing that can be observed, and are only counted.
usage: mutate.py BUILD FILE TEST... [--first N] [--count N] [--again LOG] [--line N] [--seconds S] [--seed K] [--list]
BUILD is a build folder (ninja), which stays as it is; TEST the names of test programs (unit_test_events)."""
import argparse
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

# what is found -> what it becomes
CHANGES = [(r"<=", "<"), (r">=", ">"), (r"(?<![<>=!-])<(?![<=])", "<="), (r"(?<![<>=!-])>(?![>=])", ">="), (r"==", "!="),
           (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
           (r"(?<=[\w)\]]) - (?=[\w(])", " + "), (r"(?<=[\w)\]]) \* (?=[\w(])", " / "), (r"\btrue\b", "false"),
           (r"\bfalse\b", "true"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])0(?![\w.])", "1"), (r"\bfmax\(", "fmin("),
           (r"\bfmin\(", "fmax("), (r"(?<=\()!(?=\w)", ""), (r"\bbreak;", ";"), (r"\+\+", "--")]


def read_known():
    """(file, part of the line, change or '*') of the changes that make no difference, with their reasons."""
    known, file_name = [], ""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "survivors.txt")) as file:
        for row in file.read().split("\n"):
            if row.startswith("src/"):
                file_name = row.strip()
            elif row.strip() and not row.startswith("#"):
                part, change, _reason = (word.strip() for word in row.split(" | "))
                known.append((file_name, part, change))
    return known


def mutants(text):
    """(position, old, new) of all changes outside of comments, texts and directives."""
    hidden = re.sub(r'//[^\n]*|"(?:\\.|[^"\\])*"|^\s*#[^\n]*', lambda m: " " * len(m.group()), text, flags=re.M)
    body = hidden.find("{")
    found = []
    for pattern, new in CHANGES:
        for m in re.finditer(pattern, hidden):
            if m.start() > body:
                found.append((m.start(), m.group(), new))
    return found


class Mutator:
    def __init__(self, arguments):
        self.a = arguments
        self.killed = self.not_built = self.known = 0
        self.survivors = []

    def find_commands(self):
        """How the build compiles the file and links the tests: with an object file and programs of our own it stays as it is."""
        lines = subprocess.run(["ninja", "-C", self.a.build, "-t", "commands"] + self.a.test, stdout=subprocess.PIPE, check=True,
                               text=True).stdout.split("\n")
        source = os.path.join(ROOT, self.a.file)
        compiles = [line for line in lines if line.endswith(f"-c {source}")]
        self.object = re.search(r" -o (\S+)", compiles[0]).group(1)
        self.changed, self.new = os.path.join(self.work, os.path.basename(self.a.file)), os.path.join(self.work, "changed.o")
        self.compile = re.sub(r" -M[DTF](?: \S+\.[od])?", "", compiles[0]).replace(f"-o {self.object}", f"-o {self.new}")
        self.compile = self.compile.replace(f"-c {source}", f"-O1 -w -c {self.changed}")
        self.links = []
        for test in self.a.test:
            label, name = test.split("_", 1)
            line = next(line for line in lines if f" -o tests/{label}/{name} " in line)
            if self.object in line.split():
                line = line.replace(self.object, self.new)
            else:  # before the archive, whose object is then not needed
                line = line.replace(f" -o tests/{label}/{name} ", f" {self.new} -o tests/{label}/{name} ")
            self.links.append(line.replace(f" -o tests/{label}/{name} ", f" -o {self.work}/{name} "))

    def shell(self, line):
        return subprocess.run(line, shell=True, cwd=self.a.build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    def build(self, text):
        with open(self.changed, "w") as file:
            file.write(text)
        return self.shell(self.compile) and all(self.shell(line) for line in self.links)

    def limit_processor(self):
        """In a test: it ends by itself, also when nobody waits for it any more."""
        resource.setrlimit(resource.RLIMIT_CPU, (self.processor, self.processor))

    def notice(self):
        for test in self.a.test:
            process = subprocess.Popen([os.path.join(self.work, test.split("_", 1)[1])], cwd=ROOT, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=self.limit_processor)
            try:
                code = process.wait(timeout=self.limit)
            except subprocess.TimeoutExpired:
                code = 1
            try:  # tests that start others may leave them without end
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            if code != 0:
                return True
        return False

    def main(self):
        with open(os.path.join(ROOT, self.a.file)) as file:
            text = file.read()
        found = mutants(text)
        if self.a.again:
            found = self.survivors_of(self.a.again, text, found)
        if self.a.line:
            found = [change for change in found if text.count("\n", 0, change[0]) + 1 == self.a.line]
        random.Random(self.a.seed).shuffle(found)
        if self.a.list:
            print(f"{self.a.file}: {len(found)} possible changes")
            return 0
        if not os.path.exists(os.path.join(self.a.build, "build.ninja")):
            print(f"skipped: {self.a.build} is not a build folder of ninja")
            return 77
        if subprocess.run(["cmake", "--build", self.a.build, "--target"] + self.a.test, stdout=subprocess.DEVNULL,
                          check=False).returncode != 0:
            print("the tree does not build")
            return 2
        with tempfile.TemporaryDirectory() as self.work:
            return self.try_all(text, found)

    def survivors_of(self, path, text, found):
        """Those that survived in the output of an earlier run."""
        with open(path) as file:
            before = set(re.findall(r"^survived: \S+?:(\d+): '(.*?)' -> '(.*?)' in: ", file.read(), flags=re.M))
        return [(position, old, new) for position, old, new in found
                if (str(text.count("\n", 0, position) + 1), old.strip(), new.strip()) in before]

    def try_all(self, text, found):
        self.find_commands()
        self.limit = self.processor = 3600
        begin = time.monotonic()
        if not self.build(text) or self.notice():
            print(f"mutations of {self.a.file}: the tests fail without any change")
            return 2
        # a change that makes it endless is noticed: by processor time, or where it only waits by the time that passes
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.processor = 10 + int(3 * (usage.ru_utime + usage.ru_stime))  # of the build, too
        self.limit = 60 + 10 * (time.monotonic() - begin)
        known = read_known()
        tried, deadline = 0, time.monotonic() + self.a.seconds
        for position, old, new in found[self.a.first:self.a.first + self.a.count]:
            if time.monotonic() > deadline:
                break
            tried += 1
            if not self.build(text[:position] + new + text[position + len(old):]):
                self.not_built += 1
            elif self.notice():
                self.killed += 1
            else:
                line = text.count("\n", 0, position) + 1
                source, change = text.split("\n")[line - 1].strip(), f"{old.strip()} -> {new.strip()}"
                if any(self.a.file == path and part in source and how in ("*", change) for path, part, how in known):
                    self.known += 1
                else:
                    self.survivors.append((line, old.strip(), new.strip(), source))
        for line, old, new, source in sorted(self.survivors):
            print(f"survived: {self.a.file}:{line}: '{old}' -> '{new}' in: {source}")
        print(f"mutations of {self.a.file}: possible {len(found)}, tried {tried}, noticed {self.killed}, "
              f"survived {len(self.survivors)}, without effect {self.known}, not built {self.not_built}")
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("file")
    parser.add_argument("test", nargs="*")
    parser.add_argument("--first", type=int, default=0, help="leave out the first N of the changes")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--again", help="only what survived in the output of an earlier run, of the same file")
    parser.add_argument("--line", type=int, help="only the changes of this line")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    sys.exit(Mutator(parser.parse_args()).main())


main()
