#!/usr/bin/env bash
# trammel equilibrium: what it tells, the start it writes, its exit codes.
. "$(dirname "$0")/lib.sh"
good_model >pendulum.yaml
expect 0 "$trammel" equilibrium pendulum.yaml --out start.yaml
says out "Test pendulum: stable equilibrium at t = 0 s" "stable       9.81 1/s^2: x 1" "rod" "9.81"
# a run from there stays: the section replaces the one of the file
grep -v '^initial' pendulum.yaml >rest.yaml
cat start.yaml >>rest.yaml
expect 0 "$trammel" run rest.yaml --csv --no-hdf5
python3 - <<'END' || bad=1
import csv
rows = list(csv.DictReader(open("rest.csv")))
values = [float(r[next(n for n in r if n.split(" ")[0] == "position/y")]) for r in rows]
# hanging at y = -1; 1e-12: what roundoff does in 10 s
assert len(values) > 100 and max(abs(v + 1) for v in values) < 1e-12, values[:3]
END
expect 0 "$trammel" equilibrium -q pendulum.yaml --out quiet.yaml
[ -s out ] && fail "-q was not quiet"
cmp -s start.yaml quiet.yaml || fail "-q wrote another start"
expect 0 "$trammel" equilibrium pendulum.yaml --set initial.values.x=0 --set initial.values.y=1
says out "unstable equilibrium" "unstable     -9.81 1/s^2: x 1"
# a body on a ball joint, from the side, in both kinds of coordinates; its reaction is its weight
cat >ball.yaml <<'END'
trammel: 1
name: Ball
mechanism:
  gravity: [0, 0, -10]
  bodies: {arm: {mass: 2, center: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
  joints:
    ball: {spherical: {between: [ground, arm], at: [0, 0, 0]}, start: {rotation: [0.1, -1.2, 0.3], spin: [0, 1, 0]}}
simulate: {end: 1, tolerance: 1e-8}
END
for coordinates in joint absolute; do
    expect 0 "$trammel" equilibrium ball.yaml --set mechanism.coordinates=$coordinates --out start.yaml
    says out "equilibrium with free directions" "stable       16.66667 1/s^2" "ball_fz                                20 N"
    says start.yaml "ball_rotation_x: " "ball_rotation_x_rate: 0"
    cat ball.yaml start.yaml >rest.yaml
    expect 0 "$trammel" equilibrium rest.yaml --set mechanism.coordinates=$coordinates
    grep -qE '^  iterations   1[,;]' out || fail "more than one iteration from where it rests"
done
# prescribed motions stand still where they are
cat >driven.yaml <<'END'
trammel: 1
name: Driven
mechanism:
  gravity: [0, -10]
  plane: xy
  bodies:
    cart: {mass: 1, center: [0, 0], inertia: 1}
    bob: {mass: 1, center: [0.6, -0.8], inertia: 0.1}
  joints:
    rail: {prismatic: {between: [ground, cart], at: [0, 0], axis: x}, motion: "3*t + 5*t^2"}
    pin: {revolute: {between: [cart, bob], at: [0, 0]}}
simulate: {start: 0.2, end: 1}
END
expect 0 "$trammel" equilibrium driven.yaml --out start.yaml
# hanging below the pin: atan2 of the centre turns by asin 0.6 = -0.6435 rad; m g l / (J + m l^2) = 10/1.1
says out "at t = 0.2 s" "pin_angle                    -0.643501109 rad" "stable       9.090909 1/s^2"
says start.yaml "pin_angle_rate: 0"
grep -q rail start.yaml && fail "a prescribed motion has a start value"
cat >fall.yaml <<'END'
trammel: 1
name: Fall
equations: {coordinates: {height: v}, mass: [1], force: [-9.81]}
simulate: {end: 1}
END
expect 1 "$trammel" equilibrium fall.yaml
says err "fall.yaml:3:27: error: " "height has moved by -" "the largest acceleration is 9.81, of height" "nothing holds it"
# what drifts on is named, not what is accelerated most meanwhile; a rate that stays is that of a state
cat >drift.yaml <<'END'
trammel: 1
mechanism:
  bodies:
    cart: {mass: 100, center: [0, 0, 0], inertia: [1, 1, 1]}
    flap: {mass: 0.1, center: [0, 0, -0.1], inertia: [1e-3, 1e-3, 1e-3]}
  joints:
    place: {yaw-roll-pitch: {between: [ground, cart]}, start: {yaw: 0.1}}
    pin: {revolute: {between: [cart, flap], at: [0, 0, 0], axis: y}, start: {angle: 0.3}}
  forces:
    hold: {bushing: {between: [ground, cart], at: [0, 0, 0], stiffness: [0, 100, 100], rotation_stiffness: 10}}
    push: {force: {body: cart, at: [0, 0, 0], value: [0.1, 0, 0]}}
    coil: {actuator: {joint: pin, stiffness: 1, effort: "0.1*sin(300*place_x)"}}
simulate: {end: 1}
END
expect 1 "$trammel" equilibrium drift.yaml
says err "at: place_x" "place_x has moved by " "and goes on"
for coordinates in joint absolute; do
    expect 0 "$trammel" equilibrium drift.yaml --set mechanism.coordinates=$coordinates --set mechanism.forces.push=null
    says out "place_yaw" " rad"
    grep -q "place_yaw.* m$" out && fail "an angle in metres"
done
sed -i 's/^simulate/  states: {sum: {rate: "1 + pin_angle^2"}}\nsimulate/' drift.yaml
expect 1 "$trammel" equilibrium drift.yaml --set mechanism.forces.push=null
says err "at: rate of sum" "the rate of sum is still 1" "equilibrium.speeds: start"
# chains of thin rods, without inertia about their axis: rod k hangs with its middle at -(k + 1/2), 1e-7: nine digits are printed
python3 - "$trammel" <<'END' || bad=1
import re, subprocess, sys
for rods, joint in (4, "revolute"), (34, "revolute"), (34, "universal"), (60, "revolute"):
    axes = "axis: y" + (", second_axis: z" if joint == "universal" else "")
    with open("rods.yaml", "w") as f:
        print("trammel: 1\nmechanism:\n  coordinates: absolute\n  gravity: [0, 0, -9.81]\n  bodies:", file=f)
        for k in range(rods):
            print(f"    b{k}: {{mass: 1, center: [{k + 0.5}, 0, 0], inertia: [0, 0.0833, 0.0833]}}", file=f)
        print("  joints:", file=f)
        for k in range(rods):
            on = f"b{k - 1}" if k else "ground"
            print(f"    j{k}: {{{joint}: {{between: [{on}, b{k}], at: [{k}, 0, 0], {axes}}}}}", file=f)
        print("simulate: {end: 1}", file=f)
    r = subprocess.run([sys.argv[1], "equilibrium", "rods.yaml"], capture_output=True, text=True)
    assert r.returncode == 0 and "stable equilibrium" in r.stdout, (rods, joint, r.stderr)
    place = dict(re.findall(r"^ +(b\d+_z) +(\S+)", r.stdout, re.M))
    for k in range(rods):
        assert abs(float(place[f"b{k}_z"]) + k + 0.5) < 1e-7, (rods, joint, k, place[f"b{k}_z"])
END
# Bricard's linkage turns inside out through positions where other rows follow from the rest: hinge 1
# ends at a quarter turn in both kinds of coordinates, bar 1 pointing along -z, with one stiffness
examples=$(dirname "$0")/../../examples/mechanisms
for coordinates in joint absolute; do
    expect 0 "$trammel" equilibrium "$examples/bricard.yaml" --set mechanism.coordinates=$coordinates
    says out "stable       1.543622 1/s^2" "1 redundant constraints"
done
says out "bar1_z                               -0.5 m"
# the corner of a car, far from its rest: a stable direction and one free one, the same in both kinds of coordinates
for coordinates in joint absolute; do
    expect 0 "$trammel" equilibrium "$examples/double-wishbone.yaml" --set mechanism.coordinates=$coordinates
    says out "heave_travel               -0.00846588998 m" "stable       45.2518 1/s^2"
done
# a coin that leans has no equilibrium: it tips over, and says so
for coordinates in joint absolute; do
    expect 1 "$trammel" equilibrium "$examples/rolling-disc.yaml" --set mechanism.coordinates=$coordinates
    says err "accelerated by"
    grep -q "could not be computed" err && fail "the coin ends in a formula without value"
done
# a beam that bends: a run that begins with what is written begins there to the last digit
cat >beam.yaml <<'END'
trammel: 1
name: Cantilever
mechanism:
  plane: xy
  gravity: [0, -9.81]
  bodies:
    rod: {beam: {from: [0, 0], to: [1, 0], elements: 3, modulus: 2e9, area: 1e-4, inertia: 1e-9, density: 7870, stiffening: false}}
    bob: {mass: 0.1, center: [1, 0], inertia: 1e-3}
  joints:
    wall: {fixed: {between: [ground, rod], at: [0, 0]}}
    tip: {revolute: {between: [rod, bob], at: [1, 0]}}
simulate: {end: 1, tolerance: 1e-8}
END
for coordinates in joint absolute; do
    expect 0 "$trammel" equilibrium beam.yaml --set mechanism.coordinates=$coordinates --out start.yaml
    # (rho A g L^4/8 + m g L^3/3)/(E I) = (0.7872 + 0.2667) 9.81/16 = 0.646029 m below
    says out "-0.646029375 m"
    cat beam.yaml start.yaml >rest.yaml
    expect 0 "$trammel" equilibrium rest.yaml --set mechanism.coordinates=$coordinates
    grep -qE '^  iterations   1[,;]' out || fail "more than one iteration from where it rests"
done
# the same in a loop, which is assembled with the beam as it is bent; what one kind of coordinates writes
# is the rest of the other
sed -e '/^    tip:/a\    guide: {prismatic: {between: [ground, bob], at: [1, 0], axis: x}}' \
    -e 's/wall: {fixed/wall: {revolute/' beam.yaml >loop.yaml
expect 0 "$trammel" equilibrium loop.yaml --set mechanism.coordinates=absolute --out start.yaml
cat loop.yaml start.yaml >rest.yaml
for coordinates in joint absolute; do
    expect 0 "$trammel" equilibrium rest.yaml --set mechanism.coordinates=$coordinates
    says out "  iterations   1; last correction" "stable equilibrium"
done
expect 3 "$trammel" equilibrium absent.yaml
expect 5 "$trammel" equilibrium pendulum.yaml --out nowhere/start.yaml
says err "cannot write the equilibrium to nowhere/start.yaml"
cat >apart.yaml <<'END'
trammel: 1
name: Apart
equations: {coordinates: {x: v}, mass: [1], force: [0], constraints: {never: "x^2 + 1"}}
initial: {values: {x: 1}}
simulate: {end: 1}
END
expect 4 "$trammel" equilibrium apart.yaml
# cars at speed: tyres, loads and attitude in balance; the height of the Iltis is 0.09 mm below that of the standing one
expect 0 "$trammel" equilibrium "$root/examples/vehicles/iltis.yaml" --set variant=trim
says out "Iltis: steady motion"
says out "-0.00716949"
expect 0 "$trammel" equilibrium "$root/examples/vehicles/saloon.yaml" --set "variant=[full, trim]"
says out "Saloon: steady motion"
finish
