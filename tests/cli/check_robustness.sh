#!/usr/bin/env bash
# Models that once made the program crash or stop for long, and messages that would have no end.
. "$(dirname "$0")/lib.sh"

# ---- redundant rows of velocities without rows of positions ----
cat >velocities.yaml <<'END'
trammel: 1
name: two velocity constraints, the second follows from the first; no constraint of positions
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: [0, -1]
  velocity_constraints: {a: "vx", b: "2*vx"}
simulate: {end: 1}
END
cat >sledge.yaml <<'END'
trammel: 1
name: a sledge with two blades in one line
mechanism:
  bodies: {s: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
  joints:
    place: {free: {between: [ground, s]}, start: {x_rate: 1}}
    one: {knife-edge: {between: [ground, s], at: [0, 0, 0], axis: y}}
    two: {knife-edge: {between: [ground, s], at: [0, 0, 0], axis: y}}
simulate: {end: 1}
END
for model in velocities sledge; do
    for integrator in bdf radau radau-adaptive explicit adams generalized-alpha; do
        expect 0 "$trammel" run $model.yaml -q --out o --set simulate.integrator=$integrator
        says err "is redundant, it follows from"
    done
    expect 0 "$trammel" check $model.yaml
    expect 0 "$trammel" modes $model.yaml
done
expect 1 "$trammel" equilibrium velocities.yaml # nothing holds y
expect 0 "$trammel" equilibrium sledge.yaml

# ---- warnings of one kind are counted after the fifth ----
{
    echo "trammel: 1"
    echo "equations: {coordinates: {x: v}, mass: [1], force: [-x]}"
    echo "simulate: {end: 1}"
    echo "parameters:"
    for ((k = 0; k < 20000; k++)); do echo "  p$k: 1"; done
} >unused.yaml
expect 0 "$trammel" check unused.yaml
[ "$(grep -c "is not used" err)" = 5 ] || fail "$(grep -c "is not used" err) warnings of one kind instead of 5"
says err "unused.yaml:10:7: warning: and 19995 more warnings of this kind, from here on"
{
    head -3 unused.yaml
    echo "parameters: {a: 1, b: 2, c: 3, d: 4, f: 5}"
} >five.yaml
expect 0 "$trammel" check five.yaml
[ "$(grep -c "is not used" err)" = 5 ] || fail "five warnings are shown"
grep -q "more warning" err && fail "five warnings have no rest"
finish
