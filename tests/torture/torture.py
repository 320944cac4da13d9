#!/usr/bin/env python3
"""Hours of cases that should not break anything; prints how many of each class were tried.
usage: torture.py BUILD MINUTES [--seed K] [--lanes N] [--only CLASS] [--finds FOLDER]
BUILD is a folder with the program and the tests built. As many tools run at once as there are processors (--lanes). Whoever is
free takes a slice of the class that is furthest behind its share of the time, so that all classes are reached early, however
slow the machine is. What is counted when, and the cases of each class so far, are printed at the end and after Ctrl-C.

    share  class
      4    generated    models made of random choices: simulated or refused, without a crash
      4    differences  generated smooth models: the same motion by every integrator, formulation, coordinates and linear solver
      4    mutated      changed models, tables, result files and checkpoints (with sanitizers, as soon as that program is built)
      3    memory       each allocation fails once, for every command; then all from it on
      2    disk         each write, fsync, rename fails once, for every command that writes
      3    power        kills and power failures replayed from a record of all writes, read and resumed; 60 runs in one folder
      1    growth       the time to read grows with the size of a file
      5    fuzz         libFuzzer and AFL++ on models, formulas, overrides, checkpoints, tables, generated models
      4    mutation     changes of the code that the tests should notice: step acceptance, events, trust, resume
Inputs that failed are kept whole, with all that the tool printed, in the folder BUILD/torture-finds/SEED (--finds).
Exit code 0: nothing failed. Survivors of the mutation are named and are no failure."""
import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
FUZZ = os.path.join(ROOT, "tests", "fuzz")
LONGEST = 120  # s of a slice: progress is printed that often
PYTHON = "/usr/bin/python3"  # with h5py

# file of the code -> programs that test it, the quickest first
MUTATIONS = {"src/solver/integrator/step.c": ["unit_test_step", "unit_test_redundancy", "unit_test_new_integrator", "unit_test_simulation",
                                              "unit_test_restart", "fail_test_endless"],
             "src/solver/integrator/events.c": ["unit_test_event_rules", "unit_test_restart", "unit_test_events"],
             "src/solver/integrator/watch/trust.c": ["unit_test_trust_signs", "unit_test_warnings", "verify_test_trust"],
             "src/program/run/checkpoint.c": ["unit_test_results_checkpoint_calls", "unit_test_results_checkpoint", "unit_test_results_resume"],
             "src/program/run/resume.c": ["unit_test_results_resume_sensitivity", "unit_test_results_resume"],
             "src/program/run/resume_model.c": ["unit_test_results_resume"],
             "src/program/run/resume_files.c": ["unit_test_results_resume"]}


class Lines:
    """The commands of each class, slice after slice. A command prints a line 'title: name number, name number, ...' at last."""

    def __init__(self, arguments):
        self.build, self.seed = arguments.build, arguments.seed
        self.trammel = os.path.join(arguments.build, "trammel")
        self.tools = os.path.join(arguments.build, "tests", "torture")
        self.fuzz_folder = os.path.join(arguments.build, "tests", "fuzz")
        self.done = {}  # sections of growth and mutants of a file so far
        names = sorted(re.sub(r"fuzz_(.*)\.c", r"\1", name) for name in os.listdir(FUZZ) if re.match(r"fuzz_.*\.c", name))
        self.fuzzers = [("libfuzzer", name) for name in names] + [("afl", name) for name in names]
        self.ready = set()

    def program(self):
        """The one with sanitizers, if it is built by now."""
        sanitized = os.path.join(ROOT, "build-sanitize", "trammel")
        return sanitized if "sanitize" in self.ready else self.trammel

    def preparations(self):
        """Builds that some classes wait for."""
        make = ["cmake", "--build", "build-sanitize", "--parallel", "1", "--target", "trammel_tool"]
        return {"libfuzzer": [["env", "TOOLS=libfuzzer", os.path.join(FUZZ, "run_fuzz.sh"), self.fuzz_folder, "0"]],
                "sanitize": [["cmake", "--preset", "sanitize"], make],
                "afl": [["env", "TOOLS=afl", os.path.join(FUZZ, "run_fuzz.sh"), self.fuzz_folder, "0"]]}

    # the number of different slices of a class, and the command of one; None: there is none at present

    def generated(self, turn, seconds):
        return 1, [os.path.join(self.tools, "generated"), "wild", 10**7 * self.seed + 10**5 * turn, 10**5, seconds]

    def differences(self, turn, seconds):
        return 1, [os.path.join(self.tools, "generated"), "smooth", 10**7 * self.seed + 10**5 * turn, 10**5, seconds]

    def mutated(self, turn, seconds):
        kind = ("model", "csv", "h5", "checkpoint")[turn % 4]
        # libhdf5 has faults of its own, which sanitizers report: the plain program shows whether we survive them
        program = self.trammel if kind == "h5" else self.program()
        return 4, [sys.executable, os.path.join(HERE, "mutated.py"), program, "--seconds", seconds, "--seed", self.seed + turn,
                   "--only", kind]

    def memory(self, turn, seconds):
        more = (["--depth", "24"], ["--depth", "4", "--later"])[turn % 2]
        return 2, [sys.executable, os.path.join(HERE, "memory.py"), self.trammel, os.path.join(self.tools, "allocation.so"),
                   "--seconds", seconds, "--seed", self.seed + turn, *more]

    def disk(self, turn, seconds):
        return 1, [sys.executable, os.path.join(HERE, "disk.py"), self.trammel, os.path.join(self.tools, "disk.so"), "--seconds", seconds,
                   "--seed", self.seed + turn]

    def power(self, turn, seconds):
        if turn % 4 == 3:
            return 4, [PYTHON, os.path.join(HERE, "company.py"), self.trammel, "--runs", 60]
        format_of = ("hdf5", "csv", "hdf5")[turn % 4]
        return 4, [PYTHON, os.path.join(HERE, "power.py"), self.trammel, os.path.join(self.tools, "disk.so"), "--format", format_of,
                   "--seconds", seconds, "--every", 5, "--kills", 10**6, "--failures", 10**6, "--checkpoints", 10**6,
                   "--seed", self.seed + turn]

    def growth(self, _turn, seconds):
        return 1, [sys.executable, os.path.join(HERE, "growth.py"), self.trammel, "--seconds", seconds, "--first",
                   self.done.get("growth", 0)]

    def fuzz(self, turn, seconds):
        ready = [item for item in self.fuzzers if item[0] in self.ready]
        if not ready:
            return 1, None
        tool, name = ready[turn % len(ready)]
        return len(self.fuzzers), ["env", f"TOOLS={tool}", os.path.join(FUZZ, "run_fuzz.sh"), self.fuzz_folder, max(1, int(seconds)), name]

    def mutation(self, turn, seconds):
        left = [path for path in MUTATIONS if self.done.get(path, 0) >= 0]
        if not left:
            return 1, None
        path = left[turn % len(left)]
        return len(MUTATIONS), [sys.executable, os.path.join(HERE, "mutate.py"), self.build, path, *MUTATIONS[path],
                                "--seconds", seconds, "--seed", self.seed, "--first", self.done.get(path, 0)]

    def note(self, title, counts):
        """Where a later slice goes on."""
        if title == "growth":
            self.done["growth"] = self.done.get("growth", 0) + counts.get("sections", 0)
        elif title.startswith("mutations of "):
            path, possible = title[len("mutations of "):], counts.get("possible", 0)
            self.done[path] = self.done.get(path, 0) + counts.get("tried", 0)
            if self.done[path] >= possible:
                self.done[path] = -1


class Torture:
    def __init__(self, arguments, shares):
        self.a, self.lines = arguments, Lines(arguments)
        self.share = {arguments.only: 1} if arguments.only else shares
        self.spent = dict.fromkeys(self.share, 0.0)
        self.turn = dict.fromkeys(self.share, 0)
        self.counts, self.survivors, self.failures = {}, [], []
        self.busy, self.running, self.lock, self.stopped = set(), set(), threading.Lock(), False
        self.begin = time.monotonic()
        self.end = self.begin + 60 * arguments.minutes

    def left(self):
        return self.end - time.monotonic()

    def say(self, text):
        gone = (time.monotonic() - self.begin) / 60
        print(f"[{gone:5.1f} min, {max(0, self.left()) / 60:5.1f} left] {text}", flush=True)

    def call(self, line, limit):
        """(exit code, lines) of a tool; exit code None: it did not end."""
        with self.lock:
            if self.stopped:
                return None, []
            process = subprocess.Popen([str(word) for word in line], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
            self.running.add(process)
        try:
            text, code = process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            text, code = process.communicate()[0], None
        with self.lock:
            self.running.discard(process)
        return code, [row for row in text.split("\n") if row.strip()]

    def prepare(self):
        for name, commands in self.lines.preparations().items():
            if self.left() < 60 or self.stopped:
                return
            self.say(f"building for {name}")
            for line in commands:
                code, rows = self.call(line, max(60, self.left()))
                if code != 0:
                    break
            if code == 0:
                self.lines.ready.add(name)
            elif not self.stopped:
                self.say(f"{name} is not built, its cases are left out: {rows[-1] if rows else code}")

    def choose(self):
        """The free class furthest behind its share, and its command."""
        with self.lock:
            for name in sorted(set(self.share) - self.busy, key=lambda name: self.spent[name] / self.share[name]):
                whole = 60 * self.a.minutes * self.a.lanes * self.share[name] / sum(self.share.values())
                kinds, _ = getattr(self.lines, name)(self.turn[name], 0)
                # each kind twice in its time
                seconds = min(LONGEST, max(10, whole / (2 * kinds)), max(1, self.left()))
                _, line = getattr(self.lines, name)(self.turn[name], seconds)
                if line:
                    self.busy.add(name)
                    self.turn[name] += 1
                    return name, line, seconds
        return None, None, 0

    def keep(self, name, rows):
        """All that a tool printed, as a file; its path."""
        path = os.path.join(self.a.finds, f"{name}-{len(self.failures)}.log")
        os.makedirs(self.a.finds, exist_ok=True)
        with open(path, "w") as file:
            file.write("\n".join(rows) + "\n")
        return path

    def count(self, name, rows, code):
        """Adds what the last line says."""
        title, _, items = (rows[-1] if rows else "nothing was printed").partition(": ")
        found = {item.group(1): int(item.group(2)) for item in (re.match(r"(.*\S) (\d+)$", part) for part in items.split(", ")) if item}
        with self.lock:
            row = self.counts.setdefault(name, {}).setdefault(title, {})
            for key, number in found.items():
                if key != "possible":
                    row[key] = row.get(key, 0) + number
            self.lines.note(title, found)
            self.survivors += [text for text in rows if text.startswith("survived: ")]
            failed = [text for text in rows if text.startswith("FAILED")]
            if code not in (0, 77) and not self.stopped:
                why = f"exit code {code}" if code is not None else "it did not end"
                self.failures.append(f"{name}: {title}: {why}, all that was printed: {self.keep(name, rows)}")
                failed = failed or rows[-40:-1]
        self.say(f"{name}: {rows[-1] if rows else title}")
        for text in failed if not self.stopped else []:
            print("    " + text, flush=True)

    def lane(self, prepares):
        if prepares and (not self.a.only or self.a.only in ("fuzz", "mutated")):
            self.prepare()
        while self.left() > 5 and not self.stopped:
            name, line, seconds = self.choose()
            if not line:
                time.sleep(1)  # all are busy, or wait for a build
                continue
            begin = time.monotonic()
            code, rows = self.call(line, 10 * seconds + 900)
            if not self.stopped:
                self.count(name, rows, code)
            with self.lock:
                self.spent[name] += time.monotonic() - begin
                self.busy.discard(name)

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                os.killpg(process.pid, signal.SIGTERM)

    def report(self):
        print(f"\n{(time.monotonic() - self.begin) / 60:.1f} minutes, seed {self.a.seed}" +
              (", interrupted: what was under way is not counted" if self.stopped else ""))
        for name in self.share:
            print(f"{name}: {self.spent[name] / 60:.1f} minutes, {self.turn[name]} slices")
            for title, row in sorted(self.counts.get(name, {}).items()):
                row["faults"] = row.pop("faults", 0)  # at the end
                print(f"    {title}: " + ", ".join(f"{key} {number}" for key, number in row.items()))
        for text in self.survivors:
            print(text)
        for text in self.failures:
            print("FAILED:", text)
        missing = [name for name in self.share if name not in self.counts]
        if missing:
            print("not reached: " + ", ".join(missing))
        print("nothing failed" if not self.failures else f"{len(self.failures)} failures")

    def main(self):
        threads = [threading.Thread(target=self.lane, args=(k == 0,), daemon=True) for k in range(self.a.lanes)]
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                time.sleep(0.2)
        except KeyboardInterrupt:
            self.stop()
            for thread in threads:
                thread.join(10)
        self.report()
        return 130 if self.stopped else 1 if self.failures else 0


def interrupt(_number, _frame):
    raise KeyboardInterrupt


def main():
    shares = {name: int(share) for share, name in re.findall(r"^ +(\d) +(\w+) ", __doc__, flags=re.M)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100000)
    parser.add_argument("--lanes", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--only", choices=list(shares))
    parser.add_argument("--finds", type=os.path.abspath)
    arguments = parser.parse_args()
    arguments.finds = arguments.finds or os.path.join(arguments.build, "torture-finds", str(arguments.seed))
    os.environ["TORTURE_FINDS"] = arguments.finds
    signal.signal(signal.SIGTERM, interrupt)
    sys.exit(Torture(arguments, shares).main())


main()
