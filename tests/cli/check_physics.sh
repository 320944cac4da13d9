#!/usr/bin/env bash
# Small machines of tests/cli/physics whose numbers are known: starts, beams under axial force, laws
# of forces, friction. The formulas stand beside the numbers.
. "$(dirname "$0")/lib.sh"
models=$root/tests/cli/physics
cat >physics.py <<'END'
import csv, glob, json, math, os, subprocess, sys

trammel, models = os.environ["TRAMMEL"], os.environ["MODELS"]


def call(*arguments, code=0):
    r = subprocess.run([trammel, *arguments], capture_output=True, text=True)
    assert r.returncode == code, (arguments, r.returncode, r.stderr)
    return r


def sets(settings):
    return [x for s in settings for x in ("--set", s)]


def run(model, *settings):
    """summary and rows (lists by channel) of a run"""
    for f in glob.glob("*.csv"):
        os.remove(f)
    r = call("run", f"{models}/{model}.yaml", *sets(settings), "-q", "--csv", "--no-hdf5", "--summary", "s.json")
    rows = list(csv.reader(open(f"{model}.csv")))
    names = [n.split(" [")[0] for n in rows[0]]
    return json.load(open("s.json")), {n: [float(x[i]) if x[i] else None for x in rows[1:]] for i, n in enumerate(names)}, r.stderr


def near(what, value, wanted, tolerance):
    assert abs(value - wanted) <= tolerance, f"{what}: {value:.10g} instead of {wanted:.10g}"
END
export TRAMMEL=$trammel MODELS=$models

# What is not given starts at 0, whatever is cut: closed form, exact but for rounding.
python3 - <<'END' || fail "starts"
from physics import *
friction = "mechanism.joints.e.friction={static: 0.1, radius: 0.01}"
cut = "mechanism.joints.e.cut=true"
for coordinates in "joint", "absolute":
    for more in [], [friction], [cut], [cut, "mechanism.joints.s.cut=true"]:
        s, rows, said = run("friction-start", f"mechanism.coordinates={coordinates}", *more)
        near("shoulder", rows["sh"][0], 0.7, 1e-15)
        near("its rate", rows["sh_rate"][0], 3, 1e-14)
        near("elbow", rows["elbow"][0], 0, 1e-15)
        near("its rate", rows["elbow_rate"][0], 0, 1e-14)
        # two links in line that turn at 3/s: 3^2/2 (0.1 + 0.5^2 + 0.1 + 1.5^2)
        near("energy", s["energy_start"], 4.5 * 2.7, 1e-12)
        assert said == "", said
    s, rows, said = run("belt", f"mechanism.coordinates={coordinates}", "simulate.end=0.1")
    near("block against the belt", rows["slip"][0], 0, 1e-15)
    s, rows, said = run("belt", f"mechanism.coordinates={coordinates}", "simulate.end=0.1",
                        "mechanism.joints.drive.motion='0.5 + v*t'")
    near("block with the belt", rows["x"][0], 0.5, 1e-15)
END
finish
