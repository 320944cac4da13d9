#!/usr/bin/env python3
"""simulate.accuracy on every example: is it reached, and what does it cost?

Cost is counted work (residuals + 1.5 sets of derivatives + 0.1 solutions) of all runs of a search, each counted as the
last, over that of the cheapest single run of a method that reaches the accuracy at some tolerance.

Usage: accuracy.py PATH-OF-TRAMMEL [--reached] [MODEL...]   (--reached: without the costs, which take nine times as long)
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METHODS = ["explicit", "radau-adaptive", "bdf"]
TOLERANCES = ["1e-%d" % k for k in range(2, 11)]
ACCURACIES = [1e-3, 1e-5, 1e-7]


def run(trammel, path, folder, settings):
    """Exit code, summary, number of runs; None when it takes too long."""
    summary = os.path.join(folder, "s.json")
    command = [trammel, "run", path, "--no-hdf5", "--no-checkpoint", "-v", "--verify", "--progress", "never", "--summary", summary]
    for line, key in ("fixed:", "step.fixed"), ("verify:", "verify"):
        if line in open(path).read():
            settings = settings + ["simulate.%s=null" % key]
    for s in settings:
        command += ["--set", s]
    if os.path.exists(summary):
        os.remove(summary)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=folder)
    except subprocess.TimeoutExpired:
        return None
    found = json.load(open(summary)) if os.path.exists(summary) else {}
    return done.returncode, found, 1 + done.stderr.count("again with")


def work(s):
    return s["residual_evaluations"] + 1.5 * s["jacobian_evaluations"] + 0.1 * s["solves"]


def error(s):
    return s["accuracy"].get("error") if s["accuracy"]["verified"] else None


def main():
    trammel, only_reached = os.path.abspath(sys.argv[1]), "--reached" in sys.argv
    files = [a for a in sys.argv[2:] if a != "--reached"] or sorted(
        glob.glob(ROOT + "/examples/*.yaml") + glob.glob(ROOT + "/examples/mechanisms/*.yaml") + glob.glob(ROOT + "/examples/vehicles/*.yaml"))
    ratios, asked, reached, reported = {a: [] for a in ACCURACIES}, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in map(os.path.abspath, files):
            name, best = os.path.relpath(path, ROOT), {}
            for method in [] if only_reached else METHODS:
                for tolerance in TOLERANCES:
                    done = run(trammel, path, folder, ["simulate.integrator=" + method, "simulate.tolerance=" + tolerance])
                    if not done or done[0] not in (0, 6) or error(done[1]) is None:
                        continue
                    for a in ACCURACIES:
                        if error(done[1]) <= a:
                            best[a] = min(best.get(a, float("inf")), work(done[1]))
            for a in ACCURACIES:
                done = run(trammel, path, folder, ["simulate.tolerance=null", "simulate.accuracy=%g" % a, "simulate.integrator=auto"])
                good = bool(done) and done[0] == 0 and error(done[1]) <= a
                asked, reached = asked + 1, reached + good
                reported += bool(done) and done[0] == 6
                ratio = done[2] * work(done[1]) / best[a] if good and a in best else None
                if ratio:
                    ratios[a].append(ratio)
                print("%-44s %.0e  %-12s runs %s  cost / best %s" % (
                    name, a, "reached" if good else "exit %s" % (done[0] if done else "none"), done[2] if done else "-",
                    "%.2f" % ratio if ratio else "-"), flush=True)
    print("%d of %d reached (%.0f %%), %d reported as not reached" % (reached, asked, 100 * reached / asked, reported))
    for a in ACCURACIES:
        some = sorted(ratios[a])
        if some:
            print("accuracy %.0e: cost / best: median %.2f, largest %.2f" % (a, some[len(some) // 2], some[-1]))


if __name__ == "__main__":
    main()
