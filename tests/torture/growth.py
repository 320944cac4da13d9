#!/usr/bin/env python3
"""The time to read a model grows with its size, not with the square of it: each section is made four times as long, and
the CPU time of `trammel check` may grow by a factor of four and some.
usage: growth.py TRAMMEL [--size N] [--only SECTION] [--first K] [--seconds S]"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

HEAD = "trammel: 1\nsimulate: {end: 1}\n"
OSCILLATOR = "equations: {coordinates: {x: v}, mass: [1], force: [-x]}\n"


def lines(n, form):
    return "".join(form.format(k=k, n=n, before=k - 1) + "\n" for k in range(n))


def pendulums(n):
    """Each hangs on the ground."""
    bodies = lines(n, "    b{k}: {{mass: 1, center: [{k}, 0, 0], inertia: [1, 1, 1]}}")
    joints = lines(n, "    j{k}: {{revolute: {{between: [ground, b{k}], at: [{k}, 0, 1], axis: y}}}}")
    return HEAD + "mechanism:\n  bodies:\n" + bodies + "  joints:\n" + joints


def chain(n):
    """In absolute coordinates: in those of the joints every body meets all those before it, and the matrices are full."""
    bodies = lines(n, "    b{k}: {{mass: 1, center: [{k}.5, 0, 0], inertia: [1, 1, 1]}}")
    joints = lines(n, "    j{k}: {{revolute: {{between: [b{before}, b{k}], at: [{k}, 0, 0], axis: y}}}}").replace("b-1", "ground")
    return HEAD + "mechanism:\n  coordinates: absolute\n  bodies:\n" + bodies + "  joints:\n" + joints


def legs(n):
    """Uses of one part, each with a body, a joint, a force, a point and an output."""
    part = ("parts:\n  leg:\n    parameters: {side: 1}\n    bodies: {shin: {mass: 2, center: [side, 0, 0], inertia: [1, 1, 1]}}\n"
            "    joints: {knee: {revolute: {between: [ground, shin], at: [side, 0, 1], axis: y}}}\n"
            "    points: {toe: {body: shin, at: [side, 0, -1]}}\n"
            "    forces: {tendon: {actuator: {joint: knee, stiffness: 1, damping: side}}}\n    outputs: {height: toe_z}\n")
    return HEAD + part + "use:\n" + lines(n, "  l{k}: {{part: leg, with: {{side: {k}}}}}") + "mechanism: {gravity: [0, 0, -9.81]}\n"


def table(n, interpolation):
    return (HEAD + OSCILLATOR.replace("-x", '"-table(T, x)"') + "tables: {T: {interpolation: " + interpolation + ", points: [" +
            ", ".join(f"[{k}, {k % 7}]" for k in range(n)) + "]}}\n")


# section -> (model with n entries, part of the size that is tried)
MODELS = {
    "unused parameters": (lambda n: HEAD + OSCILLATOR + "parameters:\n" + lines(n, "  p{k}: {k}"), 1),
    "used parameters": (lambda n: HEAD + OSCILLATOR.replace("-x", '"-x' + "".join(f" + p{k}" for k in range(n)) + '"')
                        + "parameters:\n" + lines(n, "  p{k}: {k}"), 0.5),
    "parameters of parameters": (lambda n: HEAD + OSCILLATOR + "parameters:\n  p0: 1\n" + "".join(
        f'  p{k}: "p{k - 1} + 1"\n' for k in range(1, n)), 1),
    "unknown keys": (lambda n: HEAD + OSCILLATOR + lines(n, "key{k}: 1"), 1),
    "wrong names in formulas": (lambda n: HEAD + OSCILLATOR + "parameters:\n" + lines(n, '  p{k}: "nothing{k}"'), 0.5),
    "definitions": (lambda n: HEAD + "equations:\n  coordinates: {x: v}\n  mass: [1]\n  force: [-x]\n  define:\n    d0: x\n" +
                    "".join(f'    d{k}: "d{k - 1} + 1"\n' for k in range(1, n)), 1),
    "inputs": (lambda n: HEAD + "equations:\n  coordinates: {x: v}\n  mass: [1]\n  force: [-x]\n  inputs:\n" +
               lines(n, '    u{k}: "sin({k}*t)"'), 0.2),
    "outputs": (lambda n: HEAD + OSCILLATOR + "outputs:\n" + lines(n, '  o{k}: "x*{k}"'), 1),
    "units": (lambda n: HEAD + OSCILLATOR + "outputs:\n" + lines(n, '  o{k}: "x*{k}"') + "units:\n" + lines(n, "  o{k}: m"), 0.5),
    "units of nothing": (lambda n: HEAD + OSCILLATOR + "units:\n" + lines(n, "  o{k}: m"), 0.5),
    "an event that sets": (lambda n: HEAD + OSCILLATOR + "parameters:\n" + lines(n, "  p{k}: {k}") +
                           "events:\n  e:\n    when: x\n    set:\n" + lines(n, "      p{k}: 1"), 0.25),
    "initial values of nothing": (lambda n: HEAD + OSCILLATOR + "initial:\n  values:\n" + lines(n, "    q{k}: 1"), 0.5),
    "coordinates": (lambda n: HEAD + "equations:\n  coordinates:\n" + lines(n, "    x{k}: v{k}") + "  mass: [" +
                    ", ".join(["1"] * n) + "]\n  force: [" + ", ".join(f'"-x{k}"' for k in range(n)) + "]\n", 0.1),
    "duplicate keys": (lambda n: HEAD + OSCILLATOR + "parameters:\n" + "  p: 1\n" * n, 1),
    "output times": (lambda n: HEAD[:-2] + ", output_times: [" + ", ".join(str(k / n) for k in range(1, n)) + "]}\n" + OSCILLATOR, 1),
    "a long formula": (lambda n: HEAD + OSCILLATOR.replace("-x", '"-x' + " + x" * n + '"'), 1),
    "comments": (lambda n: HEAD + OSCILLATOR + "# comment\n" * 20 * n, 1),
    "points of a table": (lambda n: table(n, "linear"), 1),
    "points of a spline": (lambda n: table(n, "spline"), 1),
    "tables": (lambda n: HEAD + OSCILLATOR.replace("-x", '"-x' + "".join(f" + table(T{k}, x)" for k in range(n)) + '"') +
               "tables:\n" + lines(n, "  T{k}: [[0, 0], [1, {k}]]"), 0.1),
    "bodies": (pendulums, 0.05),
    "chain": (chain, 0.05),
    "uses of a part": (legs, 0.05),
}


def seconds(trammel, path):
    """CPU seconds of a check, the smallest of three: others on the machine only add to it."""
    best = 1e9
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([trammel, "check", "-q", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trammel", type=os.path.abspath)
    parser.add_argument("--size", type=int, default=16000)
    parser.add_argument("--only")
    parser.add_argument("--first", type=int, default=0, help="begin with this section; after the last one comes the first")
    parser.add_argument("--seconds", type=float, default=1e9)
    arguments = parser.parse_args()
    bad = tried = 0
    with tempfile.TemporaryDirectory() as work:
        names = list(MODELS)
        names = names[arguments.first % len(names):] + names[:arguments.first % len(names)]
        deadline = time.monotonic() + arguments.seconds
        for name in names:
            if (arguments.only and arguments.only != name) or (tried > 0 and time.monotonic() > deadline):
                continue
            model, share = MODELS[name]
            n, times = max(50, int(arguments.size * share)), []
            for size in (n, 4 * n):
                path = os.path.join(work, "model.yaml")
                with open(path, "w") as file:
                    file.write(model(size))
                times.append(seconds(arguments.trammel, path))
            tried += 1
            # the start of the program costs some milliseconds
            grows = times[1] > 0.05 and times[1] > 8 * max(times[0], 0.01)
            bad += grows
            print(f"{'FAILED: ' if grows else ''}{name}: {n} {times[0]:.3f} s, {4 * n} {times[1]:.3f} s")
    print(f"growth: sections {tried}, faults {bad}")
    return 1 if bad else 0


sys.exit(main())
