#!/usr/bin/env bash
# trammel modes: the table, JSON and CSV tell the same numbers; times, files and their errors.
. "$(dirname "$0")/lib.sh"
cat >spring.yaml <<'END'
trammel: 1
name: Spring
equations:
  coordinates: {x: v, y: w}
  mass: [1, 1]
  force: ["-100*x - 2*v", "-4*y"]
initial: {values: {y: 1}}
simulate: {end: 3}
events:
  later: {when: "t - 1", action: restart}
END
expect 0 "$trammel" modes spring.yaml --out m.csv
says out "Spring: 2 modes" "at rest, but not in equilibrium" "for this instant only" "frequency Hz"
cp out table
expect 0 "$trammel" modes spring.yaml --json --out m.json
cmp out m.json || fail "--json and --out differ"
python3 - <<'END' || bad=1
import csv, json
s = json.load(open("m.json"))
rows = list(csv.DictReader(open("m.csv")))
assert s["at_rest"] and not s["balanced"] and s["states"] == 4 and len(s["modes"]) == len(rows) == 2
for mode, row in zip(s["modes"], rows):
    assert mode["omega"] == float(row["omega [rad/s]"]) and mode["growth"] == float(row["growth [1/s]"])
    assert mode["shape"]["y"] == float(row["shape/y"])
# closed forms: sqrt(4); s^2 + 2 s + 100 = 0
assert abs(s["modes"][0]["omega"] - 2) < 1e-14 and s["modes"][0]["shape"] == {"x": 0, "y": 1}
assert abs(s["modes"][1]["growth"] + 1) < 1e-13 and abs(s["modes"][1]["omega"] - 99**0.5) < 1e-13
END
expect 0 "$trammel" modes spring.yaml --at 1.5 --count 1
says out "t = 1.5 s: moving" "not steady" "Spring: 1 mode"
[ "$(ls)" = "$(ls | grep -v checkpoint)" ] || fail "--at left files of a run"
expect 0 "$trammel" modes spring.yaml --near 1.5 --count 1
says out "Spring: 1 mode" "1.583572" # sqrt(99)/2 pi
expect 2 "$trammel" modes spring.yaml --near -1
says err "--near must be a frequency in Hz, not '-1'"
expect 2 "$trammel" modes spring.yaml --near much
expect 2 "$trammel" modes spring.yaml --at soon
says err "--at must be a time in seconds, not 'soon'"
expect 2 "$trammel" modes spring.yaml --at -1
says err "lies before the start"
cat >wall.yaml <<'END'
trammel: 1
equations: {coordinates: {x: v}, mass: [1], force: ["-sqrt(0.5 - t)*x"]}
initial: {values: {x: 1}}
simulate: {end: 1}
END
expect 1 "$trammel" modes wall.yaml --at 1
says err "wall.yaml:2:" ": error: "
expect 2 "$trammel" modes spring.yaml --count 0
says err "--count must be a whole number"
expect 2 "$trammel" modes spring.yaml --out m.txt
says err "--out must end with .csv or .json"
expect 5 "$trammel" modes spring.yaml --out nowhere/m.csv
says err "cannot write the modes to nowhere/m.csv"
expect 3 "$trammel" modes absent.yaml
expect 1 "$trammel" modes spring.yaml --at 3 --set simulate.max_steps=2
# a body that has swung from the side to its equilibrium, where its coordinates refer to another centre: its modes are
# those of pendulums with the damping d, J s^2 + d s + m g l = 0
cat >swing.yaml <<'END'
trammel: 1
name: Swing
mechanism:
  gravity: [0, 0, -9.81]
  bodies:
    body: {mass: 1, center: [1, 0, 0], inertia: [0.1, 0.2, 0.3]}
  joints:
    ball: {spherical: {between: [ground, body], at: [0, 0, 0]}}
  forces:
    brake: {bushing: {between: [ground, body], at: [0, 0, 0], stiffness: 0, rotation_damping: 3}}
simulate: {end: 30, tolerance: 1e-8}
END
for coordinates in joint absolute; do
    expect 0 "$trammel" modes swing.yaml --at 30 --json --set mechanism.coordinates=$coordinates
    python3 - <<'END' || bad=1
import json
found = [m for m in json.load(open("out"))["modes"] if m["omega"] > 0]
# about the axis across the swing J = 1.2; 1e-6: what is left of the swing after 30 s
assert len(found) == 2
swing = min(found, key=lambda m: abs(m["growth"] + 1.25))
assert abs(swing["growth"] + 3 / 2.4) < 1e-6 and abs(swing["omega"]**2 - (9.81 / 1.2 - 1.25**2)) < 1e-6, swing
END
done
# Benchmark bicycle (Meijaard et al. 2007, wheels that roll): self-stable between the weave and the capsize speed.
# Both are searched where the growth of the mode changes its sign; references recomputed to 14 digits.
python3 - "$trammel" "$root/examples/mechanisms/bicycle.yaml" <<'END' || bad=1
import json, subprocess, sys
def modes(speed, coordinates="joint"):
    out = subprocess.run([sys.argv[1], "modes", sys.argv[2], "--json", "--set", "parameters.push=0",
                          "--set", f"parameters.speed={speed!r}", "--set", f"mechanism.coordinates={coordinates}"],
                         capture_output=True, text=True, check=True).stdout
    return json.loads(out)["modes"]
def weave(speed):
    return next(m["growth"] for m in modes(speed) if m["omega"] > 0)
def capsize(speed):  # the slow real mode
    return next(m["growth"] for m in modes(speed) if m["omega"] == 0 and 0 < abs(m["growth"]) < 2)
# The speed where the growth is 0, by a polynomial of the speed through growths beside it: six motions of the bicycle
# are free, and near 0 the capsize mode cannot be distinguished from these.
def zero(f, speeds):
    x, y = [f(v) for v in speeds], list(speeds)
    for k in range(1, len(x)):  # Neville, at 0
        for i in range(len(x) - k):
            y[i] = (x[i] * y[i + 1] - x[i + k] * y[i]) / (x[i] - x[i + k])
    return y[0]
# measured: off by 1e-13 and less; in absolute coordinates, where those of the wheels turn with them, by 1e-12
reference = [(-14.0783896927982, 0), (-0.775341882195846, 4.46486771378822), (-0.322866429004085, 0)]
for coordinates in "joint", "absolute":
    found = sorted((m["growth"], m["omega"]) for m in modes(5.0, coordinates) if abs(m["growth"]) > 1e-3)
    assert len(found) == 3
    for (growth, omega), should in zip(found, reference):
        off = abs(growth - should[0]) + abs(omega - should[1])
        print(f"bicycle at 5 m/s, {coordinates}: {growth:.12f} {omega:+.12f}i, off by {off:.1e}")
        assert off < 1e-9
for name, f, speeds, should in (("weave", weave, (4.2, 4.24, 4.28, 4.32, 4.36, 4.4), 4.29238253634110),
                                ("capsize", capsize, (5.6, 5.7, 5.8, 5.87, 5.94, 6.11, 6.17, 6.25, 6.3, 6.4),
                                 6.02426201538836)):
    speed = zero(f, speeds)
    print(f"{name} speed {speed:.9f} m/s, off by {abs(speed - should):.1e}")
    assert abs(speed - should) < 1e-6
END

# a hanging chain of 300 links with damping: modes next to 0 and near a frequency are among all of them, which the dense
# matrix gives; those of a chain of 10 000 links are sqrt(g/l)/2 times zeros of the Bessel function J0
hang() { # hang LINKS DAMPING
    /usr/bin/python3 - "$@" <<'END'
import sys
n, d = int(sys.argv[1]), float(sys.argv[2])
l = 1 / n
print("trammel: 1\nmechanism:\n  plane: xy\n  coordinates: absolute\n  gravity: [0, -9.81]\n  bodies:")
for i in range(n):
    print(f"    b{i + 1}: {{mass: {l}, center: [0, {-(i + 0.5) * l}], inertia: {l**3 / 12}}}")
print("  joints:")
for i in range(n):
    print(f"    j{i + 1}: {{revolute: {{between: [{f'b{i}' if i else 'ground'}, b{i + 1}], at: [0, {-i * l}]}}}}")
print("  forces:")
for i in range(n if d else 0):
    print(f"    d{i + 1}: {{actuator: {{joint: j{i + 1}, damping: {d}}}}}")
print("simulate: {end: 1}")
END
}
hang 300 2e-7 >chain.yaml
expect 0 "$trammel" modes chain.yaml --out all.json
expect 0 "$trammel" modes chain.yaml --count 8 --out lowest.json
says out "lowest modes by" "iterations, klu solver"
expect 0 "$trammel" modes chain.yaml --count 8 --near 20 --out near.json
says out "modes near 20 Hz by"
python3 - <<'END' || fail "modes by iteration"
import json
every, lowest, near = ([complex(m["growth"], m["omega"]) for m in json.load(open(f + ".json"))["modes"]]
                       for f in ("all", "lowest", "near"))
for found, at in ((lowest, 0), (near, 40j * 3.141592653589793)):
    nearest = sorted(every, key=lambda s: abs(s - at))[:8]
    # 1e-7: the dense matrix knows these to 1e-9
    worst = max(min(abs(s - t) for t in nearest) / abs(s) for s in found)
    assert len(found) == 8 and worst < 1e-7, (at, worst, found, nearest)
END
# A box that sticks on a slope of 24 degrees (tan = 4/9, friction 0.6): friction took hold during the search, and modes and
# runs begin with that. It must not be accelerated, nor move by more than the roundoff of a stiff contact.
cat >slope.yaml <<'END'
trammel: 1
mechanism:
  gravity: [4, 0, -9]
  bodies:
    box: {mass: 1, center: [0, 0, 0.1], inertia: [0.01, 0.012, 0.015], shape: {box: {from: [-0.1, -0.1, 0], to: [0.1, 0.1, 0.2]}}}
  joints: {fly: {free: {between: [ground, box], at: [0, 0, 0.1]}}}
  forces: {floor: {contact: {between: [ground, box], at: [0, 0, 0], normal: z, stiffness: 1e6, damping: 0.3, friction: 0.6}}}
simulate: {end: 1}
outputs: {x: box_x}
END
for coordinates in joint absolute; do
    expect 0 "$trammel" modes slope.yaml --equilibrium --set mechanism.coordinates=$coordinates
    says out "at rest, in equilibrium"
    expect 0 "$trammel" run slope.yaml --from equilibrium --csv --no-hdf5 --set mechanism.coordinates=$coordinates
    python3 - <<'END' || fail "a box that sticks on a slope moves"
import csv
x = [float(row["x [m]"]) for row in csv.DictReader(open("slope.csv"))]
assert max(abs(v - x[0]) for v in x) < 1e-11, (x[0], x[-1])
END
done

hang 10000 0 >chain.yaml
expect 0 "$trammel" modes chain.yaml --count 3 --near 4.5 --out near.csv
python3 - <<'END' || fail "modes of 10 000 links"
import csv, math
# zeros 5 to 7 of J0 (Abramowitz, Stegun, table 9.5); 1e-5: n links differ from a rope by 1/n^2 and more for higher modes
for row, j in zip(csv.DictReader(open("near.csv")), (14.9309177085, 18.0710639679, 21.2116366299)):
    omega = float(row["omega [rad/s]"])
    assert abs(omega / (j / 2 * math.sqrt(9.81)) - 1) < 1e-5, (omega, j)
END
finish
