#!/usr/bin/env python3
"""What a companion costs its run: time with one over time without, on two cores.

Wall times are what a user waits, on a machine with a second core that is free. On a loaded one only processor times mean something. Of
them follows how long the run takes where each thread has a core: all that the thread of the run does, and what the companion
needs beyond the run, which that thread waits for. The smallest of several interleaved runs counts. Models whose run takes less than
0.1 s of processor time are left out.

The companion is the one that every run has by default, also where the model file declines it; the last column is the part of the
simulated time that it has compared: one that is slower than its run does not come to the end.

Usage: companion.py PATH-OF-TRAMMEL [--repeats N] [--verify] [MODEL...]
    --verify: companions that the run waits for
"""
import glob
import json
import math
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHORTEST = 0.1  # s


def run(trammel, path, folder, *more):
    """Processor time on two cores, wall time, in s, and the part of the time whose rows were compared; None: it failed."""
    summary = os.path.join(folder, "s.json")
    command = [trammel, "run", path, "--out", folder, "--no-checkpoint", "-q", "--summary", summary, *more]
    silent = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    begin = time.monotonic()
    _, status, used = os.wait4(os.posix_spawn(trammel, command, os.environ, file_actions=silent), 0)
    wall = time.monotonic() - begin
    if os.waitstatus_to_exitcode(status) not in (0, 6):
        return None
    s = json.load(open(summary))
    a = s["accuracy"]
    companion = a.get("companion_seconds", 0)
    waits = max(companion - a.get("run_seconds", 0), 0)
    cpu = used.ru_utime + used.ru_stime - companion + waits
    return cpu, wall, a.get("until", 0) / s["t_end"]


def main():
    arguments = sys.argv[1:]
    repeats = 3
    if "--repeats" in arguments:
        k = arguments.index("--repeats")
        repeats = int(arguments[k + 1])
        del arguments[k : k + 2]
    wanted = ["--set", "simulate.verify=null"]
    if "--verify" in arguments:
        arguments.remove("--verify")
        wanted = ["--verify"]
    trammel = os.path.abspath(arguments[0])
    files = arguments[1:] or sorted(glob.glob(ROOT + "/examples/*.yaml") + glob.glob(ROOT + "/examples/[!o]*/*.yaml"))
    logs = [[], []]
    print("%-46s %9s %9s %7s %9s %9s %7s %9s" % ("", "cpu alone", "with", "ratio", "wall", "with", "ratio", "compared"))
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            alone, both = [], []
            for _ in range(repeats):
                alone.append(run(trammel, path, folder, "--no-verify"))
                if not alone[-1] or min(a[0] for a in alone) < SHORTEST:
                    break
                both.append(run(trammel, path, folder, *wanted))
            if len(both) < repeats or None in both:
                continue
            a, b = ([min(r[k] for r in runs) for k in (0, 1)] for runs in (alone, both))
            for k in (0, 1):
                logs[k].append(math.log(b[k] / a[k]))
            print("%-46s %7.3f s %7.3f s %7.2f %7.3f s %7.3f s %7.2f %7.0f %%" % (
                os.path.relpath(path, ROOT), a[0], b[0], b[0] / a[0], a[1], b[1], b[1] / a[1],
                100 * min(r[2] for r in both)), flush=True)
    for name, values in zip(("processor time on two cores", "wall time"), logs):
        if values:
            print("%s: with / without %.2f in the geometric mean of %d, largest %.2f" % (
                name, math.exp(sum(values) / len(values)), len(values), math.exp(max(values))))


if __name__ == "__main__":
    main()
