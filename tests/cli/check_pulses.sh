#!/usr/bin/env bash
# Smooth pulses of t, shorter than steps and longer than the distance of rows: without a companion each run is right, because rows
# that contradict their step have it repeated.
. "$(dirname "$0")/lib.sh"
cat >pulses.py <<'END'
import csv, json, subprocess, sys

trammel = sys.argv[1]
bad = 0
CENTER, ROWS = 5.03, 0.02
# a mass at rest, a pendulum at rest, a weak spring beside a stiff one, two masses in a stiff bushing that rings at first; the pulse has
# 3 sqrt(pi) N s
MODELS = {
    "mass": """equations: {{coordinates: {{x: v}}, mass: [1], force: ["{pulse}"]}}
initial: {{}}""",
    "pendulum": """equations:
  coordinates: {{x: vx, y: vy}}
  mass: [1, 1]
  force: ["{pulse}", -9.81]
  constraints: {{rod: "(x^2 + y^2 - 1)/2"}}
initial: {{values: {{y: -1}}}}""",
    "stiff": """equations: {{coordinates: {{x: v, u: w}}, mass: [1, 1], force: ["{pulse} - 4*x - 0.4*v", "1e6*(x - u) - 200*w"]}}
initial: {{values: {{x: 0.1, u: 0.1}}}}""",
    "bushing": """equations:
  coordinates: {{x: v, u: w}}
  mass: [1, 1]
  force: ["{pulse} - 1e8*(x - u) - 283*(v - w) - x", "1e8*(x - u) + 283*(v - w) - u"]
initial: {{values: {{x: 1.001, u: 1}}}}""",
}


def run(model, width, *settings):
    """Exit code and summary."""
    pulse = f"3/{width}*exp(-((t - {CENTER})/{width})^2)"
    with open(f"{model}.yaml", "w") as file:
        file.write("trammel: 1\n" + MODELS[model].format(pulse=pulse) + f"\nsimulate: {{end: 10, output_interval: {ROWS}}}\n")
    more = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([trammel, "run", f"{model}.yaml", "--no-verify", "--no-checkpoint", "--quiet", "--no-hdf5", "--csv", "--out", "o",
                           "--summary", "s.json", *more], capture_output=True, text=True)
    return done.returncode, json.load(open("s.json"))


repeated = 0
for model in MODELS:
    for width in (0.02, 0.1):
        # the steps of the reference are a tenth of the pulse
        method = "explicit" if model in ("mass", "pendulum") else "radau-adaptive"
        _, right = run(model, width, "simulate.tolerance=1e-11", f"simulate.integrator={method}", f"simulate.step.max={width/10}")
        right = right["final"]["q"]
        if model == "mass" and abs(right["x"] - 3*3.14159265358979**0.5*(10 - CENTER)) > 1e-6: # closed form
            print("FAILED: the reference of the mass:", right)
            bad = 1
        for integrator in "auto", "explicit", "radau-adaptive", "bdf", "adams", "generalized-alpha":
            if model == "bushing" and integrator in ("explicit", "adams"):
                continue # as stiff as that they need minutes
            for tolerance in "1e-3", "1e-4", "1e-6", "1e-8":
                code, s = run(model, width, f"simulate.tolerance={tolerance}", f"simulate.integrator={integrator}")
                off = max(abs(s["final"]["q"][name] - right[name]) for name in right)/max(map(abs, right.values()))
                repeated += s["repeated"]
                if code != 6 and not (code == 0 and off < 0.05): # silently wrong, as the campaign has it
                    print(f"FAILED: {model}, {integrator} at {tolerance}, {width} s: {off:.2g} of the motion off, exit code {code}")
                    bad = 1
if repeated < 40: # more than that are wrong where nothing is repeated
    print(f"FAILED: only {repeated} steps were repeated")
    bad = 1
# every row is there, once, and steps that are replaced leave none
times = [float(row[0]) for row in list(csv.reader(open("o/stiff.csv")))[1:]]
if len(times) != 501 or any(abs(t - k*ROWS) > 1e-12 for k, t in enumerate(times)):
    print(f"FAILED: {len(times)} rows")
    bad = 1
sys.exit(bad)
END
python3 pulses.py "$trammel" || bad=1

# ---- where a pulse hides from tolerances, rows and velocities ----

cat >hidden.py <<'END'
import json, math, subprocess, sys

trammel = sys.argv[1]
bad = 0


def run(text, *options):
    open("h.yaml", "w").write("trammel: 1\n" + text)
    done = subprocess.run([trammel, "run", "h.yaml", "--no-checkpoint", "--quiet", "--out", "o", "--summary", "h.json", *options],
                          capture_output=True, text=True)
    s = json.load(open("h.json"))
    return done.returncode, {**s["final"]["q"], **s["final"]["x"]}


def settings(*pairs):
    return [word for pair in pairs for word in ("--set", "simulate." + pair)]


def check(name, text, coordinate, right, within, *cases):
    """Each case a list of settings: alone and with its companion the run is right."""
    for case in cases:
        for mode in ("--no-verify", "--verify"):
            code, final = run(text, mode, *settings(*case))
            if code != 0 or abs(final[coordinate] - right) > within:
                print(f"FAILED: {name}, {' '.join(case)} {mode}: {coordinate} = {final[coordinate]} for {right}, exit code {code}")
                global bad
                bad = 1


def reference(text, coordinate, longest):
    """With steps a fifth of the pulse."""
    return run(text, "--no-verify", *settings("integrator=radau-adaptive", "tolerance=1e-10", f"step.max={longest}"))[1][coordinate]


# a velocity that is prescribed: x(5) = 0.1*5 + 0.2 sqrt(pi), closed form. Tolerances here and below: 1 % of the motion, as trust
drive = """equations:
  coordinates: {x: vx}
  mass: [1]
  force: [0]
  velocity_constraints: {drive: "vx - 0.1 - 0.2/%g*exp(-((t - %g)/%g)^2)"}
initial: {values: {vx: 0.1}}
simulate: {end: 5}
"""
for center, width in ((0.6233, 0.01), (1.29, 0.04)):
    check("drive", drive % (width, center, width), "x", 0.5 + 0.2*math.sqrt(math.pi), 0.008, ["integrator=auto"], ["integrator=radau"])
# a pivot that is jerked
pivot = """equations:
  inputs: {p: "0.3*exp(-((t - 1.29)/0.04)^2)"}
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: [0, 0]
  constraints: {rod: "((x - p)^2 + y^2 - 1)/2"}
initial: {values: {x: 0.5, y: -0.866}}
simulate: {end: 5}
"""
check("pivot", pivot, "x", reference(pivot, "x", 0.008), 0.015, ["integrator=auto"], ["integrator=radau"])
# a slow machine: all its velocities are below the tolerance of velocities
slow = """parameters: {T: 20000, c: 0.36}
equations:
  coordinates: {x: v}
  mass: [1]
  force: ["2/T*exp(-((t/T - c)/0.008)^2)/(0.008*T)/sqrt(pi) - (2*pi/T)^2*x"]
initial: {values: {x: 0.1, v: "1/T"}}
simulate: {end: 20000}
"""
check("slow", slow, "x", reference(slow, "x", 32), 0.005, ["integrator=auto", "tolerance=1e-3"], ["integrator=radau", "tolerance=1e-3"])
# rows 800 times closer than the pulse is long: x(1) = 0.2 + 0.1 (1 - 0.41), closed form
dense = """equations:
  coordinates: {x: v}
  mass: [1]
  force: ["0.1*exp(-((t - 0.41)/0.01)^2)/0.01/sqrt(pi)"]
initial: {values: {v: 0.2}}
simulate: {end: 1, tolerance: 1e-3, output_interval: 2e-5}
"""
check("dense", dense, "x", 0.2 + 0.1*(1 - 0.41), 0.003, ["integrator=auto"], ["integrator=radau"])
# dense output of `explicit` has evaluations of its own: the rows meet the pulse where the step does not
polynomial = """equations:
  coordinates: {x: v}
  mass: [1]
  force: ["exp(-((t - 0.9)/0.008)^2)/0.008/sqrt(pi) - 4*x"]
initial: {values: {x: 0.1, v: 1}}
simulate: {end: 1}
"""
check("polynomial", polynomial, "x", reference(polynomial, "x", 0.0016), 0.005, ["integrator=auto"], ["integrator=explicit"])
sys.exit(bad)
END
python3 hidden.py "$trammel" || bad=1

# ---- few rows ----

# A blow of 0.2 s in a window of velocities, which no step ends at, between rows 1 s apart: the companion is compared with its
# steps in 500 points.
cat >window.yaml <<'END'
trammel: 1
equations:
  coordinates: {x: v, y: u}
  mass: [1, 1]
  force: [1, "if(v > 5.003 and v < 5.203, 5, 0) - y"]
initial: {values: {x: 0}}
simulate: {end: 10, output_interval: 1}
END
for integrator in auto explicit adams bdf radau-adaptive hht; do
    expect 6 "$trammel" run window.yaml --no-hdf5 --no-checkpoint --set simulate.integrator=$integrator
    grep -q 'a companion run disagrees by' err || fail "few rows, $integrator: $(head -1 err)"
done

# A peak of area 1 between long pieces of a smooth table: x(10) = sin(10 - 5.01), the peak being 20 ms long.
cat >peak.yaml <<'END'
trammel: 1
tables: {P: {points: [[0, 0], [5, 0], [5.01, 100], [5.02, 0], [20, 0]], interpolation: monotone}}
equations: {coordinates: {x: v}, mass: [1], force: ["table(P, t) - x"]}
initial: {values: {x: 0}}
simulate: {end: 10}
END
for integrator in auto adams bdf radau radau-adaptive hht; do
    expect 0 "$trammel" run peak.yaml --no-hdf5 --no-checkpoint --no-verify --summary s.json --set simulate.integrator=$integrator
    python3 -c "
import json, math, sys
sys.exit(abs(json.load(open('s.json'))['final']['q']['x'] - math.sin(10 - 5.01)) > 1e-3)" || fail "peak of a table, $integrator"
done

# what is beyond the number of conditions that steps end at is reported
python3 - >many.yaml <<'END'
windows = " + ".join("if(x > %d and x < %d.5, 1, 0)" % (k, k) for k in range(40))
print('trammel: 1\nequations: {coordinates: {x: v}, mass: [1], force: ["%s - x"]}\nsimulate: {end: 1}' % windows)
END
expect 0 "$trammel" check many.yaml
grep -q 'warning: formulas have more than 64 conditions of positions or states: no step ends at the others' err ||
    fail "80 conditions: $(head -1 err)"

# ---- resuming ----

# the line of the steps names what was repeated; a run that is interrupted behind it goes on bit for bit
cat >blow.yaml <<'END'
trammel: 1
equations: {coordinates: {x: v}, mass: [1], force: ["150*exp(-((t - 5.03)/0.02)^2) - x"]}
initial: {}
simulate: {end: 10, integrator: explicit, output_interval: 0.02}
END
expect 0 "$trammel" run blow.yaml --no-verify --csv --out whole
grep -q 'rejected .* by Newton, [1-9][0-9]* by rows' out || fail "the line of the steps: $(grep steps out)"
for end in 4.5 5.02 5.5; do
    expect 0 "$trammel" run blow.yaml --no-verify --csv --out parts --set simulate.end=$end
    expect 0 "$trammel" run blow.yaml --no-verify --csv --out parts --resume
    cmp whole/blow.csv parts/blow.csv || fail "a run resumed at $end"
done
finish
