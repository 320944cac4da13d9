#!/usr/bin/env bash
# The companion of a run: digits, exit code 6, when it runs, what it finds that the run cannot know.
. "$(dirname "$0")/lib.sh"

good_model >m.yaml
expect 0 "$trammel" run m.yaml --summary s.json
says out "accuracy     positions " " digits, velocities " "(companion: radau-adaptive, "
python3 - <<'END' || fail "summary of a verified run"
import json
a = json.load(open("s.json"))["accuracy"]
assert a["verified"] and a["message"] == "" and a["rows"] == 201 and a["until"] == 10, a
assert 1e-8 < a["error"] < 1e-3 and a["trusted_until"] == 10 and a["growth"] is None, a
assert a["companion_rtol"] == 1e-7 and set(a["errors"]) >= {"position/x", "velocity/vx", "multiplier/rod"}, a
END
# steps and results are those of a run without
expect 0 "$trammel" run m.yaml --no-verify --summary alone.json
says out "accuracy     not known: no companion ran"
python3 - <<'END' || fail "a companion changes the run"
import json
a, b = (json.load(open(f)) for f in ("s.json", "alone.json"))
assert not b["accuracy"]["verified"]
for key in "steps", "newton_iterations", "final", "trusted":
    assert a[key] == b[key], key
END
expect 0 "$trammel" run m.yaml --set simulate.verify=false
says out "accuracy     not known"
expect 0 "$trammel" run m.yaml --set simulate.verify=false --verify --no-hdf5
says out "accuracy     positions"
expect 3 "$trammel" run m.yaml --set simulate.verify=perhaps
says err "error: 'verify' must be true or false"

# the start, which the companion has from the run, is no comparison: of runs without a step no digit is claimed
for line in "1 force=[sqrt(-t)]" "0 force=[-x] 0"; do
    set -- $line
    printf 'trammel: 1\nequations: {coordinates: {x: v}, mass: [1], %s}\nsimulate: {end: %s}\n' "${2/=/: }" "${3:-1}" >start.yaml
    expect "$1" "$trammel" run start.yaml --verify --no-hdf5 --summary s.json
    says out "accuracy     not known: the run made no step"
    says s.json '"verified": false, "message": "the run made no step"'
    ! grep -q digits out s.json || fail "digits of a run without a step"
done

# the errors of every row, beside what they belong to, in files, tables, lists and plots
expect 0 "$trammel" run m.yaml --out o --csv --summary s.json
expect 0 "$trammel" info o/m.h5 --names
says out "error/position/x" "error/multiplier/rod"
expect 0 "$trammel" info o/m.h5
says out "position/x " "  error "
python3 - <<'END' || fail "errors of the rows"
import csv, json
rows = list(csv.reader(open("o/m-errors.csv")))
a = json.load(open("s.json"))["accuracy"]
k = [label.split(" [")[0] for label in rows[0]].index("position/x")
largest = max(float(row[k]) for row in rows[1:])
assert len(rows) == 202 and float(rows[1][k]) == 0, len(rows)
# kept with the digits of a float
assert abs(largest / a["errors"]["position/x"] - 1) < 1e-6, (largest, a["errors"])
END
expect 0 "$trammel" plot o/m.h5 x -o o/narrow.svg
! grep -q 'class="e0"' o/narrow.svg || fail "a band that nobody can see"
expect 0 "$trammel" plot o/m.csv x -o o/table.svg
# a run that is extended has the errors of all its rows, as one in one go has
expect 0 "$trammel" run m.yaml --out parts --csv --set simulate.end=4 --set simulate.output_interval=0.05
expect 0 "$trammel" run m.yaml --out parts --csv --resume --set simulate.output_interval=0.05
expect 0 "$trammel" run m.yaml --out whole --csv --set simulate.output_interval=0.05
cmp parts/m-errors.csv whole/m-errors.csv || fail "errors of a resumed run"
[ "$("$trammel" info parts/m.h5 | grep position/x)" = "$("$trammel" info whole/m.h5 | grep position/x)" ] || fail "errors in the file of a resumed run"
# without a companion there are none, and none of an earlier run
expect 0 "$trammel" run m.yaml --out whole --csv --no-verify
[ ! -e whole/m-errors.csv ] || fail "errors of another run"
expect 0 "$trammel" info whole/m.h5 --names
! grep -q '^error/' out || fail "channels of errors without a companion"

# A companion that is slower than its run does not hold it up: elastic beams with constant steps, whose fast modes a companion resolves.
# Processor times of the two threads are compared, which does not depend on what else the machine does.
code=0
"$trammel" run "$root/examples/mechanisms/flexible-slider-crank.yaml" --set simulate.verify=null --no-hdf5 --no-checkpoint --summary s.json >out 2>err || code=$?
says out "until t = " "(the companion takes longer than the run; --verify waits for it)"
python3 - $code <<'END' || fail "a slow companion"
import json, sys
s = json.load(open("s.json"))
a = s["accuracy"]
assert not a["verified"] and 0 < a["rows"] and a["until"] < s["t_end"], a
assert "longer than the run" in a["message"], a["message"]
assert a["companion_seconds"] < 2 * max(a["run_seconds"], 0.5), a
assert (sys.argv[1] == "6") == (a["error"] > 0.01), a # what was compared is judged
END

# constant steps that are too long, and a loose tolerance: exit code 6, files complete
expect 6 "$trammel" run m.yaml --out o --set simulate.tolerance=1e-2 --set simulate.integrator=bdf --set simulate.end=60 --summary s.json
says err "warning: finished, but the result cannot be trusted" "a companion run disagrees by" "right to 1 % until t =" \
    "neighbouring motions stay together" "try: set the tolerance to"
says s.json '"trusted": false'
expect 0 "$trammel" info o/m.h5
expect 0 "$trammel" plot o/m.h5 x -o o/wide.svg
grep -q 'class="e0"' o/wide.svg || fail "a band around a wrong curve"
expect 6 "$trammel" run m.yaml --set simulate.step.fixed=0.05 --set simulate.integrator=hht
says out "accuracy     positions "
says err "the steps are too long" "try: shorten the steps (step.fixed)"

# ---- pulses that run and companion step over ----

# Rows on them show accelerations that no step has seen: the companion begins again with shorter steps. The error that counts
# beside these accelerations is not that of motions of 1e-17.
cat >pulse.yaml <<'END'
trammel: 1
parameters: {height: 28.2095, center: 2.0037, width: 0.006}
equations: {coordinates: {x: v}, mass: [1], force: ["-4*x - 0.2*v + height*exp(-((t - center)/width)^2)"]}
simulate: {end: 5, tolerance: 1e-6}
END
expect 6 "$trammel" run pulse.yaml --no-hdf5
grep -q 'disagrees by' err || fail "pulse that the run has stepped over"
for integrator in auto explicit bdf adams generalized-alpha; do
    expect 6 "$trammel" run pulse.yaml --no-hdf5 --set simulate.integrator=$integrator --set simulate.tolerance=1e-3 \
        --set 'equations.force.0="-4*x - 0.2*v + 30*exp(-((t - 2)/0.01)^2) + if(t > 3 and t < 3.003, 500, 0)"'
done
# the run sees it, its companion does not at first
expect 0 "$trammel" run pulse.yaml --no-hdf5 --set parameters.height=3.38514 --set parameters.center=2 --set parameters.width=0.05
# times far from 0 have the digits that tell the rows of the run apart
cat >late.yaml <<'END'
trammel: 1
equations: {coordinates: {x: v}, mass: [1], force: ["-400*x + 10*sin(19*t)"]}
initial: {values: {x: 1}}
simulate: {start: 1e9, end: 1000000003, integrator: hht, step: {fixed: 0.02}}
END
expect 6 "$trammel" run late.yaml --no-hdf5
grep -q "right to 1 % until t = 1000000000\\.[0-9]" err || fail "a time without its digits"

# a blow on a mass at rest that the run steps over; rows are closer than it is long
cat >blow.yaml <<'END'
trammel: 1
equations:
  coordinates: {x: v}
  mass: [1]
  force: ["if(t > 5 and t < 5.05, 100, 0) - x"]
initial: {values: {x: 0}}
simulate: {end: 10, integrator: explicit}
END
code=0
"$trammel" run blow.yaml --summary s.json >out 2>err || code=$?
python3 - $code <<'END' || fail "a blow"
import json, math, sys
s = json.load(open("s.json"))
# x after a blow of 100 N for 0.05 s: a step up at 5 and down at 5.05
right = 100 * (math.cos(4.95) - math.cos(5))
wrong = abs(s["final"]["q"]["x"] - right) > 0.01 * 10
assert (sys.argv[1] == "6") == wrong, (sys.argv[1], s["final"], right) # found out, or not stepped over
END

# ---- disturbances far below the tolerance that the machine magnifies ----

# A pendulum upside down, 1e-9 m beside its equilibrium, or pushed by 1e-6 N from t = 1 on, falls. Implicit steps as long as a tolerance of
# 1e-3 allows damp that. y at t = 7 by radau-adaptive at 1e-10, with which radau, bdf and generalized-alpha agree to 0.03; right to 1 %
# of the diameter it is within 0.02 of that.
for integrator in radau-adaptive radau bdf generalized-alpha; do
    for start in "1e-9 0 -0.0068" "0 1e-6 -0.4014"; do
        set -- $start
        cat >upper.yaml <<END
trammel: 1
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: ["if(t > 1, $2, 0)", -9.81]
  constraints: {rod: "(x^2 + y^2 - 1)/2"}
initial: {values: {x: $1, y: 1}}
simulate: {end: 7, integrator: $integrator, tolerance: 1e-3}
END
        code=0
        "$trammel" run upper.yaml --no-hdf5 --no-checkpoint --summary s.json >out 2>err || code=$?
        python3 -c 'import json, sys
y, right = json.load(open("s.json"))["final"]["q"]["y"], float(sys.argv[2])
assert sys.argv[1] == "6" or abs(y - right) < 0.02, (sys.argv, y)' $code $3 || fail "a pendulum that should fall, $integrator, $start"
    done
done
# a motion that the tolerance resolves is right
expect 0 "$trammel" run upper.yaml --no-hdf5 --no-checkpoint --set initial.values.x=0.01 --set simulate.tolerance=1e-6 --set simulate.integrator=radau-adaptive
says out "(companion: explicit, "

# The companion and its neighbour are compared until the end, and 500/500 of the way there is not a rounding beyond it: they would go there for ever.
cat >end.yaml <<'END'
trammel: 1
equations: {coordinates: {x: v}, mass: [1], force: ["2275*x + 2.8e-12"]}
initial: {values: {x: 0}}
simulate: {end: 0.6040138052488473, integrator: bdf, tolerance: 1e-5}
END
expect 6 "$trammel" run end.yaml --verify --no-hdf5 --no-checkpoint

# a chaotic machine is not blamed on the tolerance
cat >chaos.yaml <<'END'
trammel: 1
equations:
  coordinates: {x1: vx1, y1: vy1, x2: vx2, y2: vy2}
  mass: [1, 1, 1, 1]
  force: [0, -9.81, 0, -9.81]
  constraints: {upper: "(x1^2 + y1^2 - 1)/2", lower: "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2"}
initial: {values: {x1: 0.1, y1: 0.995, x2: 0.3, y2: 1.97}}
simulate: {end: 40}
END
expect 6 "$trammel" run chaos.yaml --no-hdf5 --summary s.json
says err "the machine is sensitive, no tolerance helps for long"
says s.json '"growth": "sensitive"'
# nor are chaotic states, beside a body that rests, at the tightest tolerance either
cat >lorenz.yaml <<'END'
trammel: 1
equations:
  coordinates: {x: v}
  mass: [1]
  force: [0]
  states: {a: "10*(b - a)", b: "a*(28 - c) - b", c: "a*b - 8/3*c"}
initial: {values: {a: 1, b: 1, c: 1}}
simulate: {end: 60}
END
for tolerance in 1e-6 1e-13; do
    expect 6 "$trammel" run lorenz.yaml --no-hdf5 --verify --set simulate.tolerance=$tolerance --summary s.json
    says err "the machine is sensitive, no tolerance helps for long"
    says s.json '"growth": "sensitive"'
    # largest Lyapunov exponent 0.906 per second; over a few of its times it is not the same everywhere
    python3 -c 'import json; T = json.load(open("s.json"))["accuracy"]["growth_time"]; assert 0.7 < T < 1.6, T' || fail "growth of Lorenz' states"
done

# an accuracy instead of a tolerance: reached, reported when it cannot be, excluded with others
sed 's/tolerance: 1e-6/accuracy: 1e-7/' m.yaml >asked.yaml
expect 0 "$trammel" run asked.yaml --no-hdf5 --summary s.json
python3 - <<'END' || fail "an accuracy that is asked for"
import json
a = json.load(open("s.json"))["accuracy"]
assert a["verified"] and a["error"] <= 1e-7, a
END
[ ! -e asked.checkpoint ] || fail "a run that searches its tolerance leaves a checkpoint"
expect 0 "$trammel" run asked.yaml -v --no-hdf5 --set simulate.integrator=bdf --set simulate.accuracy=1e-8
says err "1e-08 is asked for: again with "
expect 6 "$trammel" run asked.yaml --no-hdf5 --set simulate.integrator=bdf --set simulate.accuracy=1e-11
says err "an accuracy of 1e-11 was asked for, " " was reached in "
expect 2 "$trammel" run asked.yaml --resume
says err "simulate.accuracy searches its tolerance and cannot be resumed"
expect 3 "$trammel" run asked.yaml --set simulate.tolerance=1e-6
says err "'accuracy' and 'tolerance' exclude each other"
expect 3 "$trammel" run asked.yaml --set simulate.accuracy=0.5
says err "an accuracy lies between 1e-11 and 0.01, not 0.5"
sed 's/output_interval: 0.05/integrator: hht, step: {fixed: 0.002}/' asked.yaml >constant.yaml
expect 3 "$trammel" run constant.yaml
says err "constant.yaml:11:21: error: 'accuracy' and 'step.fixed' exclude each other: constant steps have no tolerance"
# it is the companion that confirms an accuracy
sed 's/output_interval: 0.05/verify: false/' asked.yaml >unconfirmed.yaml
expect 3 "$trammel" run unconfirmed.yaml --verify
says err "unconfirmed.yaml:11:37: error: 'verify: false' contradicts 'accuracy'"
expect 2 "$trammel" run asked.yaml --no-verify
says err "--no-verify contradicts simulate.accuracy"
for order in "--verify --no-verify" "--no-verify --verify"; do
    expect 2 "$trammel" run m.yaml $order --out refused
    says err "--verify and --no-verify exclude each other"
    [ ! -e refused ] || fail "files of a run that was refused"
done

# An output that shows a force near 0 is as right as the forces it comes with: 0.25 N along a wheel that 26 kN press, not judged by
# itself. It has their unit.
cat >wheel.yaml <<'END'
trammel: 1
mechanism:
  gravity: [0, 0, -9.81]
  bodies:
    upright: {mass: 50, center: [0, 0, 0.3], inertia: [1, 0.1, 1]}
    wheel: {mass: 20, center: [0, 0, 0.3], inertia: [1, 1.7, 1]}
  joints:
    post: {free: {between: [ground, upright]}, start: {x_rate: 20, z: -0.12}}
    axle: {revolute: {between: [upright, wheel], at: [0, 0, 0.3], axis: y}, start: {rate: "20/0.31"}}
  forces:
    tyre:
      tyre:
        between: [ground, wheel]
        center: [0, 0, 0.3]
        radius: 0.31
        stiffness: 2e5
        damping: 500
        slip: combined
        law: {pac2002: {FNOMIN: 4850, UNLOADED_RADIUS: 0.31, PCY1: 1.35, PDY1: 1.05, PDY2: -0.18, PEY1: -0.0075, PEY2: -0.0063, PKY1: -21.9, PKY2: 2,
          PCX1: 1.64, PDX1: 1.17, PDX2: -0.16, PEX1: 0.46, PEX2: 0.25, PEX3: 0.068, PKX1: 22.3, PKX2: 0.49, PKX3: 0.21,
          QBZ1: 10.9, QBZ2: -1.84, QBZ3: -0.52, QCZ1: 1.21, QDZ1: 0.0935, QDZ2: -0.0092}}
outputs: {push: tyre_longitudinal}
simulate: {end: 2, tolerance: 1e-6}
END
expect 0 "$trammel" run wheel.yaml --verify --csv --no-hdf5 --out wheel
head -1 wheel/wheel.csv | grep -qF "push [N]" || fail "an output that shows a force has no unit"

# events that set velocities: rows before an event are compared before it is carried out
expect 0 "$trammel" run "$root/examples/bouncing-ball.yaml" --out o
says out "stopped by event calm" "accuracy     positions "
# a failed start and a failed run
expect 4 "$trammel" run m.yaml --set 'equations.constraints.far="y - 5"'
expect 1 "$trammel" run m.yaml --set 'equations.force.0="1/(3 - t)^2"' --set simulate.max_steps=50
says out "accuracy     "
# a motion of 1 cm about x = 1000 m, where rtol = 1e-4 allows 0.1 m: bdf damps it away within the run
cat >far.yaml <<'END'
trammel: 1
equations: {coordinates: {x: v}, mass: [1], force: ["-4*(x - 1000)"]}
initial: {values: {x: 1000.01}}
simulate: {end: 10, integrator: bdf, tolerance: 1e-4}
END
expect 0 "$trammel" run far.yaml --no-hdf5 --no-checkpoint --summary s.json
says out "; position/x moves by 0.02" " and is off by 0.01" ", which rtol leaves open"
says s.json '"open": "position/x"'
# interrupted, also while it waits
"$trammel" run m.yaml --verify --set simulate.end=1e5 --out waits >out 2>err &
pid=$!
while [ ! -s waits/m.h5 ]; do sleep 0.1; done
kill -TERM $pid
wait $pid
[ $? = 130 ] || fail "interrupted with a companion"
finish
