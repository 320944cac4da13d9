#!/usr/bin/env python3
"""Is a motion seen that begins far below the tolerance?

Machines at rest at an unstable equilibrium are pushed a little, so that they have left it by 1 mm to 1 m at the end,

    x'' = mu^2 x + a  from t0 on:    x = a/mu^2 (cosh(mu (t - t0)) - 1),

some beside an oscillation of 1 m, some beside a stiff spring that follows a slow motion. Each run is judged by x at the end:
right, reported (exit code 6), silently wrong (off by more than 5 % of what moves, and trusted), or false alarm.

Usage: growth.py PATH-OF-TRAMMEL [INTEGRATOR...] [--runs N]
"""
import argparse
import collections
import json
import math
import os
import random
import subprocess
import tempfile

INTEGRATORS = ["radau-adaptive", "radau", "bdf", "generalized-alpha", "auto", "explicit"]


def draw(rng):
    """A machine: its equations as text, whether it is stiff, x at the end, and what moves."""
    mu = 10 ** rng.uniform(0.3, 1.7)
    end = rng.uniform(20, 40) / mu
    t0 = rng.choice([0, rng.uniform(0, 0.15)]) * end
    last = 10 ** rng.uniform(-3, 0)
    push = last * mu ** 2 / (math.cosh(mu * (end - t0)) - 1)
    omega, stiff, oscillates = 10 ** rng.uniform(-1, 1) * mu, rng.random() < 0.3, rng.random() < 0.6
    coordinates, force, start = ["x: vx"], [f"{mu ** 2!r}*x + if(t >= {t0!r}, {push!r}, 0)"], ["x: 0"]
    if oscillates:
        coordinates, force, start = coordinates + ["y: vy"], force + [f"-{omega ** 2!r}*y"], start + ["y: 1"]
    if stiff:
        coordinates, force = coordinates + ["s: vs"], force + ["1e8*(sin(t) - s) - 1e5*vs"]
    text = (f"trammel: 1\nequations: {{coordinates: {{{', '.join(coordinates)}}}, mass: {[1] * len(force)}, force: {json.dumps(force)}}}\n"
            f"initial: {{values: {{{', '.join(start)}}}}}\nsimulate: {{end: {end!r}, tolerance: {10 ** rng.uniform(-8, -3):.0e}}}\n")
    return text, stiff, last, max(last, 0.01 if oscillates or stiff else 0)


def judge(trammel, folder, integrator, machine):
    text, _, right, moves = machine
    with open(os.path.join(folder, "m.yaml"), "w") as file:
        file.write(text)
    done = subprocess.run([trammel, "run", "m.yaml", "--verify", "--quiet", "--no-hdf5", "--no-checkpoint", "--summary", "s.json", "--set",
                           "simulate.integrator=" + integrator], cwd=folder, capture_output=True)
    if done.returncode not in (0, 6):
        return "failed"
    with open(os.path.join(folder, "s.json")) as file:
        error = abs(json.load(file)["final"]["q"]["x"] - right) / moves
    if done.returncode == 0:
        return "silently wrong" if error > 0.05 else "right"
    return "reported" if error > 0.01 else "false alarm"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trammel", type=os.path.abspath)
    parser.add_argument("integrators", nargs="*", default=INTEGRATORS)
    parser.add_argument("--runs", type=int, default=150)
    a = parser.parse_args()
    verdicts = ["right", "reported", "silently wrong", "false alarm", "failed"]
    print(f"{'':24}" + "".join(f"{verdict:>16}" for verdict in verdicts))
    for integrator in a.integrators:
        rng = random.Random(1)
        count = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(a.runs):
                machine = draw(rng)
                count[machine[1], judge(a.trammel, folder, integrator, machine)] += 1
        for stiff in (False, True):
            print(f"{integrator + (', stiff' if stiff else ''):24}" + "".join(f"{count[stiff, verdict]:16}" for verdict in verdicts))


if __name__ == "__main__":
    main()
