#!/usr/bin/env python3
"""What a companion costs its run: CPU time of the thread of the run, and wall time, with one and without.

On a machine with a second core that is free the ratio of wall times is what a user waits. On a loaded one only the CPU
times mean something: the companion has a thread of its own. The smallest of several interleaved runs counts. Models whose run
takes less than 0.1 s are left out.

Usage: companion.py PATH-OF-TRAMMEL [--repeats N] [MODEL...]
"""
import glob
import json
import math
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(trammel, path, folder, *more):
    """CPU time of the thread of the run and wall time of the process, in s; None: it failed."""
    summary = os.path.join(folder, "s.json")
    command = [trammel, "run", path, "--out", folder, "--no-checkpoint", "-q", "--summary", summary, *more]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    wall = time.monotonic() - begin
    return (json.load(open(summary))["cpu_seconds"], wall) if done.returncode in (0, 6) else None


def main():
    arguments = sys.argv[1:]
    repeats = 3
    if "--repeats" in arguments:
        k = arguments.index("--repeats")
        repeats = int(arguments[k + 1])
        del arguments[k : k + 2]
    trammel = os.path.abspath(arguments[0])
    files = arguments[1:] or sorted(glob.glob(ROOT + "/examples/*.yaml") + glob.glob(ROOT + "/examples/*/*.yaml"))
    logs = [[], []]
    print("%-44s %10s %10s %8s %10s %10s %8s" % ("", "cpu alone", "with", "ratio", "wall alone", "with", "ratio"))
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            alone, both = [], []
            for _ in range(repeats):
                alone.append(run(trammel, path, folder, "--no-verify"))
                if not alone[-1] or alone[0][1] < 0.1:
                    break
                both.append(run(trammel, path, folder, "--verify"))
            if not both or None in both:
                continue
            a, b = ([min(r[k] for r in runs) for k in (0, 1)] for runs in (alone, both))
            for k in (0, 1):
                logs[k].append(math.log(b[k] / a[k]))
            print("%-44s %8.3f s %8.3f s %8.2f %8.3f s %8.3f s %8.2f" % (
                os.path.relpath(path, ROOT), a[0], b[0], b[0] / a[0], a[1], b[1], b[1] / a[1]), flush=True)
    for name, values in zip(("CPU of the thread", "wall"), logs):
        if values:
            print("%s: with / without %.2f in the geometric mean of %d, largest %.2f" % (
                name, math.exp(sum(values) / len(values)), len(values), math.exp(max(values))))


if __name__ == "__main__":
    main()
