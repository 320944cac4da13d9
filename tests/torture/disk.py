#!/usr/bin/env python3
"""Each change of a file (write, fsync, rename, ...) fails once, for every command that writes: it ends with an exit code and a
message; never by a signal, never with exit code 0 unless the files are those of an undisturbed run.
usage: disk.py TRAMMEL LAYER [--seconds S] [--seed K] [--cases N]
LAYER is disk.so."""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import limited
import stand_ins

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
MODEL = """trammel: 1
equations: {coordinates: {x: vx, y: vy}, mass: [1, 1], force: [0, -9.81], constraints: {rod: "(x^2 + y^2 - 1)/2"}}
initial: {values: {x: 1}}
simulate: {end: 1, output_interval: 0.05}
"""
COMMANDS = [["run", "m.yaml", "-q", "--out", "o"], ["run", "m.yaml", "-q", "--out", "o", "--csv", "--summary", "o/s.json"],
            ["run", "m.yaml", "-q", "--out", "o", "--resume", "--set", "simulate.end=2"],
            ["equilibrium", "m.yaml", "-q", "--out", "o/e.yaml"], ["modes", "m.yaml", "--out", "o/n.csv"],
            ["modes", "m.yaml", "--out", "o/n.json"], ["check", "m.yaml", "-q", "--pattern", "o/c.svg"],
            ["plot", "o/m.h5", "-q", "-o", "o/p.svg"], ["plot", "o/m.h5", "-q", "-o", "o/p.html"],
            ["view", "o/m.h5", "-q", "-o", "o/v.html"], ["new", "slider-crank", "--out", "o/new.yaml"],
            ["run", "swing.yaml", "-q", "--out", "o", "--csv", "--sensitivity", "l,c"],
            ["run", "swing.yaml", "--progress", "never", "--out", "o", "--csv", "--watch", "--set", "simulate.end=100"],
            ["sweep", "study.yaml", "-q", "-j", "1", "--out", "o/t.csv", "--report", "o/r.html"],
            ["sweep", "study.yaml", "-q", "-j", "1", "--out", "o/part.csv"],
            ["optimize", "fit.yaml", "-q", "--report", "o/r.html", "--summary", "o/fit.txt"],
            ["view", "o/arm.h5", "-q", "--gif", "-o", "o/v.gif"], ["view", "o/arm.h5", "-q", "--png", "0", "-o", "o/v.png"],
            ["help", "--man", "o"], ["reproduce", os.path.join(ROOT, "experiments", "alpha-figures-2-3.yaml"), "-q", "--out", "o"]]
ARM = """trammel: 1
mechanism:
  gravity: [0, 0, -9.81]
  bodies: {arm: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}}
  joints: {pivot: {revolute: {between: [ground, arm], at: [0, 0, 0], axis: y}}}
simulate: {end: 0.1}
"""
ERRORS = {"ENOSPC": 28, "EIO": 5}
# what holds the time or the seconds that a run took, or is left without harm
CHANGING = (".h5", ".json", ".checkpoint", ".previous", ".lock")  # a lock that is left means nothing


def contents(folder):
    """Name -> bytes of the files that are the same in every run."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(CHANGING) or name == "n.json":
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trammel", type=os.path.abspath)
    parser.add_argument("layer", type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    if not os.path.exists(a.layer):
        print(f"skipped: {a.layer} is not built")
        return 77
    random.seed(a.seed)
    tried, refused, faults = 0, 0, []
    with tempfile.TemporaryDirectory() as work:
        ready = os.path.join(work, "ready")
        os.makedirs(os.path.join(ready, "o"))
        for name, text in (("m", MODEL), ("arm", ARM)):
            with open(os.path.join(ready, name + ".yaml"), "w") as file:
                file.write(text)
            subprocess.run([a.trammel, "run", name + ".yaml", "-q", "--out", "o"], cwd=ready, check=True)
        stand_ins.write(ready)
        subprocess.run([a.trammel, "sweep", "part.yaml", "-q", "--no-hdf5", "--out", "o/part.csv"], cwd=ready, check=True)

        def run(line, **layer):
            folder = os.path.join(work, "now")
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(ready, folder)
            environment = {**stand_ins.environment(folder), "LD_PRELOAD": a.layer, "DISK_FOLDER": os.path.realpath(folder) + "/o", **layer}
            return stand_ins.run([a.trammel] + line, cwd=folder, env=environment, timeout=limited.WAIT,
                                 preexec_fn=limited.limit_processor)

        points, whole = [], {}
        for line in COMMANDS:
            counted = os.path.join(work, "count")
            got = run(line, DISK_COUNT=counted)
            whole[" ".join(line)] = contents(os.path.join(work, "now", "o"))
            calls = 0
            if os.path.exists(counted):
                with open(counted) as file:
                    calls = int((file.read().split() or ["0"])[0])  # nothing: there was no change
                os.remove(counted)
            if got.returncode != 0 or calls == 0:
                faults.append(f"trammel {' '.join(line)} ends with {got.returncode} after {calls} changes: {got.stderr}")
            points += [(line, n, error) for n in range(1, calls + 1) for error in ERRORS]
        random.shuffle(points)
        deadline = time.monotonic() + a.seconds
        for line, n, error in points[:a.cases]:
            if time.monotonic() > deadline:
                break
            more = {"DISK_FAIL_ALL": "1"} if random.random() < 0.3 else {}
            got = run(line, DISK_FAIL=str(n), DISK_ERRNO=str(ERRORS[error]), **more)
            tried += 1
            refused += got.returncode != 0
            if got.returncode < 0 or got.returncode > 5:
                faults.append(f"call {n} of trammel {' '.join(line)} fails with {error} {more}: ended with {got.returncode}")
            elif got.returncode == 0 and contents(os.path.join(work, "now", "o")) != whole[" ".join(line)]:
                faults.append(f"call {n} of trammel {' '.join(line)} fails with {error} {more}: exit code 0, but other files")
            elif stand_ins.lost_rows(os.path.join(ready, "o", "part.csv"), os.path.join(work, "now", "o", "part.csv")):
                faults.append(f"call {n} of trammel {' '.join(line)} fails with {error} {more}: rows of a study are lost")
            elif got.returncode != 0 and not got.stderr.strip():
                faults.append(f"call {n} of trammel {' '.join(line)} fails with {error}: exit code {got.returncode} without a word")
    for fault in faults[:20]:
        print("FAILED:", fault)
    print(f"failures of the disk: cases {tried}, reported {refused}, without consequences {tried - refused}, faults {len(faults)}")
    return 1 if faults else 0


sys.exit(main())
