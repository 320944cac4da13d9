#!/usr/bin/env bash
# trammel run --energy: work, losses and the defect of mechanisms, against closed forms; resuming keeps them.
. "$(dirname "$0")/lib.sh"
cat >cart.yaml <<'END'
trammel: 1
name: Cart
mechanism:
  gravity: [0, -10]
  plane: xy
  bodies:
    cart: {mass: 2, center: [0, 0], inertia: 1}
    bob: {mass: 1, center: [0, -1], inertia: 0.1}
  joints:
    rail: {prismatic: {between: [ground, cart], at: [0, 0], axis: x}}
    pin: {revolute: {between: [cart, bob], at: [0, 0]}, start: {angle: 1}}
  forces:
    pull: {force: {on: cart, at: [0, 0], value: [3, 0]}}
    brake: {actuator: {joint: pin, damping: 0.4}}
outputs: {x: "rail_travel"}
simulate: {end: 2, tolerance: 1e-8}
END
# balance FILE EXPRESSION: of the summary as s
balance() {
    python3 - "$1" "$2" <<'END' || bad=1
import json, sys
s = json.load(open(sys.argv[1]))
w, d, e = s["energy_work"], s["energy_dissipated"], s["energy_end"] - s["energy_start"]
assert eval(sys.argv[2]), (sys.argv[2], s["energy_work"], s["energy_dissipated"], s["energy_defect"], e)
END
}
for coordinates in joint absolute; do
    expect 0 "$trammel" run cart.yaml --no-hdf5 --energy --summary s.json --set mechanism.coordinates=$coordinates
    says out "J put in" "J dissipated, defect"
    # a constant force: 3 N times the way; 1e-6: a hundred times the tolerance of the run
    balance s.json 'abs(w - 3*s["final"]["outputs"]["x"]) < 1e-6 and d > 0.5'
    balance s.json 'abs(s["energy_defect"]) < 1e-6 and abs(e - w + d - s["energy_defect"]) < 1e-12'
done
# a prescribed motion instead: all the energy there is comes from it, and goes to the brake
for coordinates in joint absolute; do
    expect 0 "$trammel" run cart.yaml --no-hdf5 --energy --summary s.json --set mechanism.coordinates=$coordinates \
        --set 'mechanism.joints.rail.motion="0.3*sin(4*t)"' --set mechanism.joints.pin.start.angle=0
    balance s.json 'abs(w) > 0.1 and d > 0.1 and abs(s["energy_defect"]) < 1e-6'
done
# stopped and resumed: the same numbers to the last bit
expect 0 "$trammel" run cart.yaml --no-hdf5 --energy --summary whole.json
expect 0 "$trammel" run cart.yaml --no-hdf5 --energy --out part --set simulate.end=1
expect 0 "$trammel" run cart.yaml --no-hdf5 --energy --out part --resume --summary resumed.json
python3 - <<'END' || bad=1
import json
a, b = json.load(open("whole.json")), json.load(open("resumed.json"))
for key in "energy_work", "energy_dissipated", "energy_defect":
    assert a[key] == b[key], (key, a[key], b[key])
END
# steps of half a radian of the crank, over which the power of the motor changes its sign: the motion has 13 digits, and 100
# times the tolerance of the exchanged 15 J is what 15 steps may leave of the balance
for tolerance in 1e-4 1e-6 1e-10; do
    for integrator in radau radau-adaptive explicit; do
        expect 0 "$trammel" run "$root/examples/mechanisms/quick-return.yaml" --no-hdf5 --no-verify --energy --summary s.json \
            --set simulate.integrator=$integrator --set simulate.tolerance=$tolerance
        balance s.json "abs(s['energy_defect']) < 1500*$tolerance and s['steps'] < 100"
    done
done
# machines at rest, by friction and hanging: the energy of roundoff is no energy
for model in slope hanging-body; do
    for integrator in bdf radau-adaptive; do
        expect 0 "$trammel" run "$root/tests/cli/physics/$model.yaml" --no-hdf5 --no-verify --from equilibrium --summary s.json \
            --set simulate.integrator=$integrator
        says s.json '"trusted": true'
    done
done
expect 0 "$trammel" run cart.yaml --no-hdf5 --out blind --set simulate.end=1
expect 0 "$trammel" run cart.yaml --no-hdf5 --energy --out blind --resume --summary s.json
says out "not known: an earlier part ran without --energy"
says s.json '"energy_work": null'
good_model >pendulum.yaml
expect 0 "$trammel" run pendulum.yaml --no-hdf5 --energy
says out "not known: only a mechanism knows its powers"
finish
