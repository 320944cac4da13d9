#!/usr/bin/env bash
# Models of tests/cli/repro that once crashed, started elsewhere, buckled too late, or were refused with a wrong reason.
. "$(dirname "$0")/lib.sh"
cat >once_wrong.py <<'END'
import csv, json, math, subprocess, sys

trammel, folder = sys.argv[1:]
bad = 0


def fail(text):
    global bad
    print("FAILED:", text)
    bad = 1


def command(name, *arguments, code=0):
    done = subprocess.run([trammel, arguments[0], f"{folder}/{name}.yaml", *arguments[1:]], capture_output=True, text=True)
    if done.returncode != code:
        fail(f"{name} {' '.join(arguments)}: exit code {done.returncode} instead of {code}: {done.stderr[-300:]}")
    return done


def rows(name, *settings):
    """The rows of a run, a dictionary each by column without unit, and its messages."""
    more = [word for setting in settings for word in ("--set", setting)]
    done = command(name, "run", "--quiet", "--no-hdf5", "--csv", "--out", "o", *more)
    table = list(csv.reader(open(f"o/{name}.csv")))
    names = [column.split(" [")[0] for column in table[0]]
    return [dict(zip(names, map(float, row))) for row in table[1:]], done.stderr


def near(name, what, value, right, within):
    if not abs(value - right) <= within:
        fail(f"{name}: {what} = {value} instead of {right} +- {within}")


# ---- crashes: constraints of velocities alone, one of which follows from the other ----
run, said = rows("crash-redundant-velocity")
near("crash-redundant-velocity", "y", run[-1]["position/y"], -0.5, 1e-9)  # -t^2/2
if "is redundant" not in said:
    fail("crash-redundant-velocity: no word on the row that follows from the other")
run, said = rows("crash-mech3")
near("crash-mech3", "x", run[-1]["position/place_x"], 1, 1e-9)  # 1 m/s along the blades

# ---- friction and cuts do not move the start ----
for setting in ("simulate.end=0.1", "mechanism.joints.e.friction={static: 0.1, radius: 0.01}", "mechanism.joints.e.cut=true"):
    run, _ = rows("w1-friction-start", setting)
    near("w1-friction-start " + setting, "shoulder at the start", run[0]["sh"], 0.7, 1e-12)
    near("w1-friction-start " + setting, "elbow at the start", run[0]["elbow"], 0, 1e-12)
    near("w1-friction-start " + setting, "rate of the elbow", run[0]["elbow_rate"], 0, 1e-12)
run, _ = rows("w1-belt", "simulate.end=0.1")
near("w1-belt", "slip at the start", run[0]["slip"], 0, 1e-12)  # the block starts with the belt

# ---- axial forces in elastic bodies ----
def frequency(name, number, *settings):
    """Of a mode, Hz; None: it grows."""
    more = [word for setting in settings for word in ("--set", setting)]
    for line in command(name, "modes", *more).stdout.splitlines():
        words = line.split()
        if words and words[0] == str(number):
            return None if float(words[4]) > 0 or float(words[3]) == 1 else float(words[1])
    fail(f"{name}: no mode {number}")
    return math.nan


# Finite elements of a beam with geometric stiffness; column: the beam equation with an axial force, solved by its determinant
# (8 elements: 1e-4 of the largest)
for load, right in ((0, 8.3552), (400, 6.2313), (860, 0.5612)):
    near("w3-column", f"first mode at {load} N", frequency("w3-column", 1, f"parameters.P={load}"), right, 1e-3)
for load, word in ((860, "stable"), (868, "unstable")):
    done = command("w3-column", "equilibrium", "--set", f"parameters.P={load}", code=0)
    if f": {word} equilibrium" not in done.stdout:
        fail(f"w3-column at {load} N, Euler load 863.6 N: {done.stdout[:80]}")
for mass, right in ((10, 1.504), (40, 0.598), (80, 0.170)):
    near("w3-mast", f"first mode with {mass} kg", frequency("w3-mast", 1, f"parameters.m={mass}"), right, 6e-4)
if frequency("w3-mast", 1, "parameters.m=120") is not None:
    fail("w3-mast: 120 kg do not buckle it")
near("w3-hanging", "second mode, E = 1e8", frequency("w3-hanging", 2, "parameters.E=1e8"), 4.7283, 5e-4)
near("w3-hanging", "first mode, E = 1e5", frequency("w3-hanging", 1, "parameters.E=1e5"), 0.600, 1e-3)

# ---- laws and reactions: k d^n (1 + c d') with d = 0.5 m, d' = -1 m/s; mu r m g of the pin ----
run, _ = rows("w6-stop")
near("w6-stop", "force", run[0]["b_force"], 1000 * 0.5**2 * (1 - 0.5), 1e-9)
run, _ = rows("fr")
near("fr", "acceleration", run[0]["alpha"], -0.2 * 0.05 * 10 * 9.81 / 0.2, 1e-9)
near("fr", "moment of the joint", run[0]["p_mz"], -0.2 * 0.05 * 10 * 9.81, 1e-9)

# ---- what was refused for a wrong reason ----
for name in ("st", "toe"):  # without and with the body of mass 0 that was refused; nothing acts on them
    run, _ = rows(name)
    near(name, "angle", run[-1]["position/hip_angle"], 0, 1e-12)
run, said = rows("struct")
near("struct", "moment of the wall", run[-1]["wall_mz"], 9.81 * 0.5, 1e-9)
if "nothing can move" not in said:
    fail("struct: no word on what cannot move")
run, _ = rows("f-outputs")
near("f-outputs", "s", run[-1]["s"], 10, 1e-9)  # 10 x^3 at x = min(1, 1)

# ---- text of a model does not control the terminal ----
done = command("inj", "run", "--no-hdf5", "--out", "o")
if "\x1b" in done.stdout + done.stderr or "\x07" in done.stdout + done.stderr:
    fail("inj: escape sequences of the model reach the terminal")
# ---- a run that is interrupted again and again ends as one that is not ----
for end in ("simulate.end=2", "simulate.end=3"):
    command("ev", "run", "--quiet", "--out", "parts", "--no-verify", "--set", "simulate.output_times=[]", "--set", end,
            *(["--resume"] if end.endswith("3") else []), "--summary", "parts.json")
command("ev", "run", "--quiet", "--out", "whole", "--no-verify", "--set", "simulate.output_times=[]", "--set", "simulate.end=3",
        "--summary", "whole.json")
parts, whole = (json.load(open(name + ".json"))["final"] for name in ("parts", "whole"))
if abs(parts["q"]["x"] - whole["q"]["x"]) > 1e-5:
    fail(f"ev: {parts['q']} in two parts, {whole['q']} at once")
sys.exit(bad)
END
python3 once_wrong.py "$trammel" "$root/tests/cli/repro" || bad=1
finish
