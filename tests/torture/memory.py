#!/usr/bin/env python3
"""Lets every allocation of the program fail once, for every command: it must end with an exit code and a message,
or do its work all the same; never by a signal, without end or without a message. Other outputs than usual, and messages that
name another reason than memory, are printed as remarks.
usage: memory.py TRAMMEL LAYER [--depth N] [--every] [--later] [--models FILE...] [--seconds S] [--seed K] [--only COMMAND]
LAYER is allocation.so. Of allocations with the same N innermost callers (default 3) one is tried; --every tries all,
--later lets all allocations after it fail too."""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import limited
import stand_ins

# A model that uses much of the reader: constraints of both kinds, states, algebraic variables, inputs, definitions, events.
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
EQUATIONS = """trammel: 1
name: every part
parameters: {g: 9.81, k: 2, b: 0.5}
equations:
  define: {r2: "x^2 + y^2"}
  inputs: {u: "sin(t)"}
  coordinates: {x: vx, y: vy, p: vp}
  states: {s: "-s + u"}
  algebraic: {w: "w - k*p"}
  mass: [1, 1, 2]
  force: ["0.1*u", "-g", "-w - b*vp"]
  constraints: {rod: "(r2 - 1)/2", twice: "r2 - 1"}
  velocity_constraints: {slide: "vp - 0.1*vx"}
  energy: {potential: "g*y"}
initial: {values: {x: 1, p: 0.1}}
outputs: {o: "x*2 + s", force: "rod"}
units: {x: m, o: N}
events: {e1: {when: "x - 0.5", log: "half"}, e2: {when: "y + 0.9", set: {b: "b*2"}}}
simulate: {end: 0.3, output_interval: 0.1, output_times: [0.1, 0.2]}
"""
MECHANISM = """trammel: 1
name: small mechanism
mechanism:
  gravity: [0, 0, -9.81]
  bodies:
    crank: {mass: 1, center: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
    rod: {mass: 1, center: [1.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  joints:
    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: y}, start: {angle_rate: 1}}
    pin: {revolute: {between: [crank, rod], at: [1, 0, 0], axis: y}}
    slider: {point-on-line: {between: [ground, rod], at: [2, 0, 0], axis: x}}
  forces:
    spring: {spring: {between: [ground, rod], from: [3, 0, 0], to: [2, 0, 0], stiffness: 10, damping: 1}}
outputs: {o: "pivot_angle"}
simulate: {end: 0.2, output_interval: 0.1}
"""


def commands(work, models):
    """The command lines: each with a folder of its own as working directory."""
    lines = []
    for model in models:
        name = os.path.splitext(os.path.basename(model))[0]
        lines += [["check", model], ["run", model, "--out", "o", "--csv", "--summary", "s.json"],
                  ["equilibrium", model, "--out", "e.yaml"], ["modes", model, "--out", "m.json"],
                  ["modes", model, "--out", "m.csv"], ["check", model, "--pattern", "c.svg"]]
        ready = os.path.join(work, "ready")
        lines += [["info", f"{ready}/{name}.h5"], ["info", f"{ready}/{name}.csv"],
                  ["plot", f"{ready}/{name}.h5", "-o", "p.html"], ["plot", f"{ready}/{name}.csv", "-o", "p.svg"],
                  ["view", f"{ready}/{name}.h5", "-o", "v.html"],
                  ["run", model, "--out", ready, "--resume", "--set", "simulate.end=0.4"]]
    ready = os.path.join(work, "ready")
    swing, study = os.path.join(work, "swing.yaml"), os.path.join(work, "study.yaml")
    lines += [["run", swing, "--out", "o", "--sensitivity", "l,c"],
              ["run", swing, "--out", "o", "--watch", "--set", "simulate.end=100"],
              ["sweep", study, "--out", "t.csv", "--report", "r.html", "-j", "1"],
              ["sweep", study, "--out", f"{ready}/part.csv", "-j", "1", "--no-hdf5"],
              ["optimize", os.path.join(work, "fit.yaml"), "--report", "r.html", "--summary", "f.json"],
              ["optimize", os.path.join(work, "least.yaml"), "--summary", "-"], ["schema", "--study"], ["schema", "--optimization"]]
    lines += [["view", f"{ready}/mechanism.h5", "-o", "v" + kind, *words] for kind, words in ((".gif", ["--gif"]), (".png", ["--png", "0"]))
              if os.path.exists(f"{ready}/mechanism.h5")]
    lines.append(["reproduce", os.path.join(ROOT, "experiments", "alpha-figures-2-3.yaml"), "--out", "."])
    return lines + [["new", "--list"], ["new", "slider-crank", "-o", "n.yaml"], ["problems"], ["schema"], ["schema", "--markdown"],
                    ["version"], ["help", "run"], ["help", "--man", "."], ["completion", "bash"], ["completion", "fish"]]


def clean(text):
    """What is printed, but for seconds, and for the accuracy, which is not known without memory for the companion."""
    text = re.sub(r"^  accuracy .*\n", "", text, flags=re.M)
    return re.sub(r"in [0-9.e+-]+ s\b(, [0-9.e+-]+ a second)?", "in S s", text)


def contents(folder):
    """Name -> bytes of the pages and pictures, which are the same in every run."""
    found = {}
    for name in os.listdir(folder):
        if name.endswith((".svg", ".html", ".yaml", ".gif", ".png")):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
            if b"<figure>" in found[name]:  # of a line that is there twice the second drawing may be one of its own
                found[name] = [found[name].count(b"<path") + found[name].count(b"<use "), found[name].count(b"<text"),
                               found[name].count(b"<tr")]
    return found


def is_complete(got, whole):
    return got.keys() == whole.keys() and all(all(a >= b for a, b in zip(got[name], whole[name])) if isinstance(whole[name], list)
                                              else got[name] == whole[name] for name in whole)


class Tester:
    def __init__(self, arguments):
        self.a = arguments
        self.tried = self.refused = self.same = self.commands = 0
        self.faults, self.remarks = [], []  # what fails the test, and what is only printed

    def run(self, line, folder, **environment):
        environment = {**stand_ins.environment(self.work), "LD_PRELOAD": self.a.layer, **environment}
        if "ready" in " ".join(line) and ("--resume" in line or line[0] == "sweep"):  # each time from the same files
            shutil.rmtree(self.work + "/ready")
            shutil.copytree(self.work + "/kept", self.work + "/ready")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        try:
            return stand_ins.run([self.a.trammel] + line, cwd=folder, env=environment, timeout=limited.WAIT,
                                 preexec_fn=limited.limit_processor)
        except subprocess.TimeoutExpired:
            self.faults.append((line, environment, f"no end after {limited.WAIT} s"))
            return None

    def points(self, line, folder):
        """The numbers of the allocations to fail: the first of each chain of callers, or all."""
        listed = os.path.join(self.work, "list")
        whole = self.run(line, folder, ALLOCATION_LIST=listed, ALLOCATION_DEPTH=str(self.a.depth))
        with open(listed) as file:
            rows = [row.split() for row in file]
        first = {}
        for number, chain in rows:
            first.setdefault(chain, int(number))
        numbers = sorted({int(number) for number, _ in rows} if self.a.every else first.values())
        self.whole_files = contents(folder)
        if line[0] == "sweep":
            shutil.copy(os.path.join(folder, line[3]), os.path.join(self.work, "whole.csv"))
        return whole, numbers

    def damage(self, line, folder, code):
        """What is wrong with the files: pages are those of an undisturbed run, rows of a study are not lost."""
        if code == 0 and line[0] != "sweep" and not is_complete(contents(folder), self.whole_files):
            return ["other contents"]
        if line[0] != "sweep":
            return []
        table = os.path.join(folder, line[3])
        if os.path.basename(table) == "part.csv":
            lost = stand_ins.lost_rows(os.path.join(self.work, "kept", "part.csv"), table)
            if lost:
                return ["lost: " + lost[0]]
        return stand_ins.other_rows(os.path.join(self.work, "whole.csv"), table) if code == 0 else []

    def judge(self, line, number, whole, got, folder):
        self.tried += 1
        words = got.stdout + got.stderr
        damage = self.damage(line, folder, got.returncode)
        if got.returncode < 0 or got.returncode > 5 or "ended by signal" in words:
            self.faults.append((line, number, f"ended with {got.returncode}"))
        elif damage:
            self.faults.append((line, number, f"exit code {got.returncode}, and in its files: {damage[0]}"))
        elif got.returncode == whole.returncode:
            self.same += 1
            if clean(got.stdout) != clean(whole.stdout) and "no memory" not in words:
                self.remarks.append((line, number, "exit code as usual, but another output:\n" + got.stdout[-300:]))
        else:
            self.refused += 1
            if not re.search(r"memory|allocate", words):
                where = self.remarks if words.strip() else self.faults
                where.append((line, number, f"exit code {got.returncode} without a word on memory: {words[-300:]}"))

    def test(self, line, deadline):
        folder = os.path.join(self.work, "now")
        whole, numbers = self.points(line, folder)
        self.commands += 1
        random.shuffle(numbers)
        for number in numbers:
            if time.monotonic() > deadline:
                break
            extra = {"ALLOCATION_ALL": "1"} if self.a.later else {}
            got = self.run(line, folder, ALLOCATION_FAIL=str(number), **extra)
            if got:
                self.judge(line, number, whole, got, folder)
        shutil.rmtree(folder)

    def main(self):
        with tempfile.TemporaryDirectory() as self.work:
            models = list(self.a.models)
            for name, text in [("equations", EQUATIONS), ("mechanism", MECHANISM)] if not models else []:
                models.append(f"{self.work}/{name}.yaml")
                with open(models[-1], "w") as file:
                    file.write(text)
            for model in models:
                subprocess.run([self.a.trammel, "run", model, "--out", self.work + "/ready", "--csv", "-q"], check=False,
                               stderr=subprocess.DEVNULL)
            stand_ins.write(self.work)
            subprocess.run([self.a.trammel, "sweep", self.work + "/part.yaml", "-q", "--no-hdf5", "--out", self.work + "/ready/part.csv"],
                           check=True)
            shutil.copytree(self.work + "/ready", self.work + "/kept")
            deadline = time.monotonic() + self.a.seconds
            lines = [line for line in commands(self.work, models) if self.a.only in (None, line[0])]
            random.shuffle(lines)
            for done, line in enumerate(lines):  # each its part of the time that is left
                rest = deadline - time.monotonic()
                self.test(line, time.monotonic() + rest / (len(lines) - done))
        for line, number, what in self.faults[:400]:
            print(f"FAILED: allocation {number} of trammel {' '.join(line)}: {what}")
        for line, number, what in self.remarks[:20]:
            print(f"remark: allocation {number} of trammel {' '.join(line)}: {what}")
        which = "all allocations from one on fail" if self.a.later else "allocations that fail"
        print(f"{which}: cases {self.tried}, refused {self.refused}, did their work without {self.same}, "
              f"remarks {len(self.remarks)}, faults {len(self.faults)}")
        return 1 if self.faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trammel", type=os.path.abspath)
    parser.add_argument("layer", type=os.path.abspath)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--later", action="store_true")
    parser.add_argument("--models", nargs="*", default=[], type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one command, sweep")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    sys.exit(Tester(arguments).main())


main()
