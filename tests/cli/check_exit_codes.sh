#!/usr/bin/env bash
# Every exit code of the contract, with the message that goes with it.
. "$(dirname "$0")/lib.sh"
good_model >good.yaml

expect 0 "$trammel" run good.yaml --out o
says out "Test pendulum: done at t = 10 s" o/good.h5
[ -s o/good.h5 ] || fail "no result file"
expect 0 "$trammel" good.yaml --out o -q
[ -s out ] && fail "--quiet printed something"
expect 0 "$trammel" run good.yaml --out o --set simulate.integrator=adams
says out "adams, index1-projected, rtol 1e-06"

expect 0 "$trammel" check good.yaml -q
cat out err | grep -q . && fail "check --quiet printed something"
expect 0 "$trammel" check good.yaml -q --set "equations.constraints={a: \"x - 1\", b: \"2*x - 2\"}" --set "initial.values={x: 1}"
[ -s out ] && fail "check --quiet printed its report"
says err "warning: constraint 'b' is redundant"

# 1: the simulation fails
expect 1 "$trammel" run good.yaml --out o --set simulate.max_steps=5
says err "max_steps = 5" "try:"
says out "failed at t ="

# 2: usage
expect 2 "$trammel"
expect 2 "$trammel" rum good.yaml
says err "there is no command 'rum'; did you mean 'run'?"
expect 2 "$trammel" run
says err "usage: trammel run MODEL"
expect 2 "$trammel" run good.yaml --sett simulate.end=1
says err "no option '--sett'" "did you mean '--set'?"
for name in tolerance:tolerance max-steps:max_steps step:step integratr:integrator; do
    expect 2 "$trammel" run good.yaml "--${name%:*}" 1
    says err "no option '--${name%:*}'; a key of the model is set by --set simulate.${name#*:}=VALUE"
done
expect 2 "$trammel" run good.yaml --nonsense
says err "no option '--nonsense'; trammel help run lists them"
expect 2 "$trammel" info good.yaml --tolerance 1
says err "no option '--tolerance'; trammel help info lists them"
expect 2 "$trammel" run good.yaml --set
says err "option '--set' needs a value"
expect 2 "$trammel" run good.yaml --progress sometimes

# 1 and 4: a formula without value is named with its place and the operation that has none
cat >faulty.yaml <<'END'
trammel: 1
parameters: {c: 0, k: 3}
equations:
  coordinates: {x: v}
  mass: [1]
  force: ["-k*x/c"]
initial: {values: {x: 1}}
simulate: {end: 1, integrator: bdf}
END
expect 4 "$trammel" run faulty.yaml --out o
says err "FORCE of x is -inf: division of -3 by 0 in the formula at faulty.yaml:6:11"
expect 4 "$trammel" check faulty.yaml
says err "FORCE of x is -inf: division of -3 by 0 in the formula at faulty.yaml:6:11"
sed -i 's|"-k.*"|"-k*x + log(x - 0.5)"|' faulty.yaml
expect 1 "$trammel" run faulty.yaml --out o --set parameters.c=1
says err "FORCE of x is nan: log of -" " in the formula at faulty.yaml:6:11"
cat >faulty.yaml <<'END'
trammel: 1
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: [0, 1]
  constraints: {root: "cbrt(x) - y"}
simulate: {end: 1}
END
expect 4 "$trammel" run faulty.yaml --out o
says err "CONSTRAINT_Q of root is inf: division of 0.333333 by 0 in a derivative of the formula at faulty.yaml:6:17"
cat >faulty.yaml <<'END'
trammel: 1
parameters: {c: 0}
mechanism:
  bodies:
    arm: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}
  joints:
    pivot: {revolute: {between: [ground, arm], at: [0, 0, 0], axis: y}}
  forces:
    push: {force: {on: arm, at: [1, 0, 0], value: [0, 0, "pivot_angle/c"]}}
simulate: {end: 1}
END
expect 4 "$trammel" run faulty.yaml --out o
says err "FORCE of pivot_angle is nan: division of 0 by 0 in the formula at faulty.yaml:9:58"
sed -i 's|pivot_angle/c|1/c|' faulty.yaml
expect 3 "$trammel" check faulty.yaml
says err "faulty.yaml:9:58: error: this formula is inf whatever the mechanism does"

# 1: a road that ends below a tyre is not the air, and the tyre is named; 0: a steep one is a warning
cat >tyre.yaml <<'END'
trammel: 1
mechanism:
  gravity: [0, 0, -9.81]
  bodies: {wheel: {mass: 300, center: [0, 0, 0.3], inertia: [20, 30, 25]}}
  joints: {place: {free: {between: [ground, wheel]}, start: {x_rate: 8, keep: true}}}
  forces:
    fl: {tyre: {between: [ground, wheel], center: [0, 0, 0.3], radius: 0.31, stiffness: 2e5, road: "0.01*log(1 - road_x)", law: {calspan: {A0: 2625, A1: 14.47, A2: 12930, A3: 2.29, A4: 18175, B1: -0.464e-4, B3: 1.216, B4: 2.18e-11}}}}
simulate: {end: 0.2}
END
expect 1 "$trammel" run tyre.yaml --out o
says err "the road of tyre 'fl' has no value: log of " " in the formula at tyre.yaml:7:100" "at: fl" "t = 0.12"
expect 4 "$trammel" run tyre.yaml --out o --set "mechanism.forces.fl.tyre.road=sqrt(road_x - 1)"
says err "the road of tyre 'fl' has no value: sqrt of -1"
expect 0 "$trammel" run tyre.yaml --out o --no-verify --set "mechanism.forces.fl.tyre.road=20*(exp(road_x) - 1)"
says err "the road of tyre 'fl' is steeper than 45 degrees: it rises by "
expect 0 "$trammel" run tyre.yaml --out o --no-verify --set mechanism.forces.fl.tyre.road=null --set mechanism.joints.place.start.z=-0.7
says err "the road of tyre 'fl' presses it by 0.71 m, and its radius is 0.31 m"

# 0: an output without value is reported, once for each
expect 0 "$trammel" run good.yaml --set "outputs={depth: \"sqrt(y)\", inverse: \"1/(x - 1)\", fine: x}"
says err "warning: output 'inverse' is inf at t = 0: its formula has no value there" "warning: output 'depth' is nan at t = "
[ "$(grep -c "output 'depth'" err)" = 1 ] || fail "an output without value is reported more than once"
grep -q "'fine'" err && fail "an output with values is reported"

# 3: the model
expect 3 "$trammel" run missing.yaml
says err "missing.yaml: error: cannot read"
expect 3 "$trammel" run good.yaml --set simulat.end=1
says err "unknown key 'simulat'" "did you mean 'simulate'?"
expect 3 "$trammel" run good.yaml --set simulate.integrator=hht --set simulate.alpha=0.1
says err "must be from -0.333333 to 0, not 0.1"
expect 3 "$trammel" run good.yaml --set simulate.formulation=baumgarte
says err "baumgarte needs baumgarte_alpha and baumgarte_beta"
expect 3 "$trammel" run good.yaml --set simulate.formulation=cm-frozen
says err "control = classic"
# an acceleration level that forgets the motion of algebraic variables: first derivatives are right
expect 3 "$trammel" check "$root/experiments/models/wheelset-defect.yaml"
says err "of GAMMA is"
expect 0 "$trammel" check "$root/experiments/models/wheelset-defect.yaml" --set problem.defect=0

# 4: no consistent start
expect 4 "$trammel" run good.yaml --set "initial.values={x: 1, y: 1}" --set initial.consistent=keep
expect 4 "$trammel" run good.yaml --set "equations.constraints={a: \"x - 1\", b: \"x - 2\"}"
says err "contradict"

expect 4 "$trammel" run good.yaml --summary s.json --set 'events={a: {when: "log(t - 1)"}}'
says err "the function of event a is"

# 5: results
expect 5 "$trammel" run good.yaml --out good.yaml/o
expect 5 "$trammel" run good.yaml --out o --summary /no/such/folder/s.json
expect 5 "$trammel" info missing.h5
expect 5 "$trammel" info good.yaml
# exact derivatives of something fast are judged at its own time scale
cat >fast.yaml <<'END'
trammel: 1
equations:
  inputs: {y: "0.01*sin(2*pi*2000*t)"}
  coordinates: {x: v}
  mass: [1]
  force: ["-1000*(x - y)"]
  constraints: {c: "x - y"}
simulate: {end: 0.001}
END
expect 0 "$trammel" check fast.yaml
says out "8 compared with differences"
finish
