#!/usr/bin/env python3
"""Hours of cases that should not break anything; prints how many of each class were tried.
usage: torture.py BUILD MINUTES [--seed K] [--only CLASS]
BUILD is a folder with the program and the tests built. Each class gets a share of the time:
    generated    models made of random choices: simulated or refused, without a crash
    differences  generated smooth models: the same motion by every integrator, formulation, coordinates and linear solver
    mutated      changed models, tables, result files and checkpoints (with sanitizers, where build-sanitize is built)
    memory       each allocation fails once, for every command; then all from it on
    disk         each write, fsync, rename fails once, for every command that writes
    power        kills and power failures replayed from a record of all writes, read and resumed; 60 runs in one folder
    growth       the time to read grows with the size of a file
    fuzz         libFuzzer and AFL++ on models, formulas, overrides, checkpoints, generated models
    mutation     changes of the code that the tests should notice: step acceptance, events, trust, resume
Exit code 0: nothing failed. Survivors of the mutation are named and are no failure."""
import argparse
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))

# file of the code -> programs that test it
MUTATIONS = [("src/solver/integrator/step.c", ["unit_test_simulation", "unit_test_rescues", "unit_test_restart"]),
             ("src/solver/integrator/events.c", ["unit_test_events", "unit_test_restart"]),
             ("src/solver/integrator/watch/trust.c", ["verify_test_trust", "unit_test_warnings"]),
             ("src/program/run/checkpoint.c", ["unit_test_results_checkpoint", "unit_test_results_survival"]),
             ("src/program/run/resume.c", ["unit_test_results_checkpoint", "unit_test_results_survival"])]


class Torture:
    def __init__(self, arguments):
        self.a = arguments
        self.rows, self.bad = [], 0
        self.trammel = os.path.join(arguments.build, "trammel")
        self.tools = os.path.join(arguments.build, "tests", "torture")

    def checked(self):
        """The program with sanitizers, if it is built by now."""
        sanitized = os.path.join(ROOT, "build-sanitize", "trammel")
        return sanitized if os.path.exists(sanitized) else self.trammel

    def run(self, *line):
        """Runs one tool; its last line has the counts."""
        got = subprocess.run([str(word) for word in line], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace", check=False)
        lines = [text for text in got.stdout.split("\n") if text.strip()]
        for text in lines[:-1]:
            if re.match(r"FAILED|survived", text) or got.returncode not in (0, 77):
                print("   ", text)
        last = lines[-1] if lines else "nothing was printed"
        print(f"  {last}", flush=True)
        self.bad += got.returncode not in (0, 77)
        self.rows.append(last)

    def script(self, name, *rest):
        self.run(sys.executable, os.path.join(HERE, name), *rest)

    def generated(self, seconds):
        self.run(os.path.join(self.tools, "generated"), "wild", 1000000 * self.a.seed, 10**9, seconds)

    def differences(self, seconds):
        self.run(os.path.join(self.tools, "generated"), "smooth", 1000000 * self.a.seed, 10**9, seconds)

    def mutated(self, seconds):
        for kind in ("model", "csv", "h5", "checkpoint"):
            # libhdf5 has faults of its own, which sanitizers report: the plain program shows whether we survive them
            program = self.trammel if kind == "h5" else self.checked()
            self.script("mutated.py", program, "--seconds", seconds / 4, "--seed", self.a.seed, "--only", kind)

    def memory(self, seconds):
        layer = os.path.join(self.tools, "allocation.so")
        for more in (["--depth", "24"], ["--depth", "4", "--later"]):
            self.script("memory.py", self.trammel, layer, "--seconds", seconds / 2, "--seed", self.a.seed, *more)

    def disk(self, seconds):
        if os.path.exists(os.path.join(HERE, "disk.py")):
            self.script("disk.py", self.trammel, os.path.join(self.tools, "disk.so"), "--seconds", seconds, "--seed", self.a.seed)

    def power(self, seconds):
        cases = max(20, int(seconds / 4))  # about a second each, of four kinds
        self.run("/usr/bin/python3", os.path.join(HERE, "power.py"), self.trammel, os.path.join(self.tools, "disk.so"),
                 "--every", cases, "--kills", cases, "--failures", cases, "--checkpoints", cases, "--seed", self.a.seed)
        self.run("/usr/bin/python3", os.path.join(HERE, "company.py"), self.trammel, "--runs", 60)

    def growth(self, _seconds):
        self.script("growth.py", self.trammel)

    def fuzz(self, seconds):
        targets = len([name for name in os.listdir(os.path.join(ROOT, "tests", "fuzz")) if re.match(r"fuzz_.*\.c", name)])
        self.run(os.path.join(ROOT, "tests", "fuzz", "run_fuzz.sh"), os.path.join(self.a.build, "tests", "fuzz"),
                 max(1, int(seconds / (2 * targets))))

    def mutation(self, seconds):
        for path, tests in MUTATIONS:
            self.script("mutate.py", self.a.build, path, *tests, "--seconds", seconds / len(MUTATIONS),
                        "--seed", self.a.seed)

    def main(self):
        share = {"generated": 4, "differences": 4, "mutated": 4, "memory": 3, "disk": 2, "power": 3,
                 "fuzz": 3, "mutation": 4, "growth": 0}
        share = {self.a.only: 1} if self.a.only else share
        whole, begin = sum(share.values()), time.monotonic()
        for name, part in share.items():
            print(f"{name}:", flush=True)
            getattr(self, name)(60 * self.a.minutes * part / max(1, whole))
        print(f"\n{(time.monotonic() - begin) / 60:.0f} minutes, seed {self.a.seed}")
        for row in self.rows:
            print("  " + row)
        print("nothing failed" if self.bad == 0 else f"{self.bad} classes with failures, see above")
        return 1 if self.bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100000)
    parser.add_argument("--only")
    sys.exit(Torture(parser.parse_args()).main())


main()
