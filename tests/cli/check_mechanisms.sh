#!/usr/bin/env bash
# trammel check tells what a mechanism is as a whole: redundant and contradictory rows by name and place, mobility.
. "$(dirname "$0")/lib.sh"
link() { # NAME X Y: a body of a plane mechanism
    echo "    $1: {mass: 1, center: [$2, $3], inertia: 0.1}"
}
hinge() { # NAME FIRST SECOND X Y
    echo "    $1: {revolute: {between: [$2, $3], at: [$4, $5]}}"
}
cat >spatial.yaml <<'END'
trammel: 1
name: Four-bar of spatial hinges
mechanism:
  bodies:
    crank: {mass: 1, center: [0, 0.1, 0], inertia: [1, 1, 1]}
    coupler: {mass: 1, center: [0.25, 0.3, 0], inertia: [1, 1, 1]}
    rocker: {mass: 1, center: [0.5, 0.2, 0], inertia: [1, 1, 1]}
  joints:
    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}}
    elbow: {revolute: {between: [crank, coupler], at: [0, 0.2, 0], axis: z}}
    knee: {revolute: {between: [coupler, rocker], at: [0.5, 0.4, 0], axis: z}}
    hinge: {revolute: {between: [ground, rocker], at: [0.5, 0, 0], axis: z}}
simulate: {end: 1}
END
count="is redundant (3 coordinates, 5 constraints, rank 2, mobility 1)"
expect 0 "$trammel" check spatial.yaml
says err "spatial.yaml:11:5: warning: constraint 'knee_z' $count" "constraint 'knee_ax' $count" \
    "constraint 'knee_ay' $count"
[ "$(grep -c warning err)" = 3 ] || fail "not three redundant rows"
says out "5; rank 2, mobility 1" "cuts           knee"
expect 0 "$trammel" check spatial.yaml --set mechanism.coordinates=absolute
says out "20; rank 17, mobility 1" "cuts           pivot elbow knee hinge"
says err "(18 coordinates, 20 constraints, rank 17, mobility 1); it follows from others, most of all from '"
[ "$(grep -c warning err)" = 3 ] || fail "not three redundant rows in absolute coordinates"
expect 0 "$trammel" run spatial.yaml --no-hdf5
says err "spatial.yaml:11:5: warning: constraint row knee_z is redundant, it is fulfilled whatever moves (gradient 0)" \
    "its multiplier is not unique (minimum norm is reported)"
[ "$(grep -c warning err)" = 3 ] || fail "a redundant row is not reported once"

# guesses that do not close the loop: how far they were off, and which moved
{
    printf 'trammel: 1\nname: Four-bar\nmechanism:\n  plane: xy\n  bodies:\n'
    link crank 0 0.1
    link coupler 0.25 0.3
    link rocker 0.5 0.2
    echo "  joints:"
    echo "    pivot: {revolute: {between: [ground, crank], at: [0, 0]}, start: {angle: 0.5}}"
    hinge elbow crank coupler 0 0.2
    hinge knee coupler rocker 0.5 0.4
    echo "    hinge: {revolute: {between: [ground, rocker], at: [0.5, 0]}, start: {angle: -1}}"
    echo "simulate: {end: 1}"
} >guess.yaml
expect 0 "$trammel" check guess.yaml
says out "|g| 0.61 -> "
says err "guess.yaml:13:5: warning: the start angle hinge = -1 does not fit the other joints and became 0.139"
grep -q "in 0 iterations" out && fail "the assembly took no iterations"

{
    printf 'trammel: 1\nname: Triangle\nmechanism:\n  plane: xy\n  bodies:\n'
    link a 0.5 0
    link b 0.5 1
    echo "  joints:"
    hinge pa ground a 0 0
    hinge pb a b 1 1
    hinge pc ground b 0 1
    echo "simulate: {end: 1}"
} >triangle.yaml
expect 0 "$trammel" check triangle.yaml
says err "triangle.yaml: warning: nothing can move: 2 constraints of rank 2 hold 2 coordinates (mobility 0)"
expect 0 "$trammel" check triangle.yaml --set mechanism.coordinates=absolute
says err "triangle.yaml: warning: nothing can move: 6 constraints of rank 6 hold 6 coordinates (mobility 0)"
expect 0 "$trammel" run triangle.yaml --no-hdf5
says err "triangle.yaml: warning: nothing can move"

# a gear between two prescribed shafts agrees with them at the start only
{
    printf 'trammel: 1\nname: Shafts\nmechanism:\n  plane: xy\n  coordinates: absolute\n  bodies:\n'
    link a 0 0
    link b 0 1
    echo "  joints:"
    echo '    pa: {revolute: {between: [ground, a], at: [0, 0]}, motion: "t^2"}'
    echo '    pb: {revolute: {between: [ground, b], at: [0, 1]}, motion: "2*t^2"}'
    echo "    gear: {coupling: {terms: {pa_angle: 1, pb_angle: -1}}}"
    echo "simulate: {end: 1}"
} >shafts.yaml
expect 0 "$trammel" check shafts.yaml
says err "shafts.yaml:12:5: warning: constraint 'gear_gear' is redundant"
grep -q "nothing can move" err && fail "what is driven moves"
expect 1 "$trammel" run shafts.yaml --no-hdf5
says err "the rows contradict each other" "make gear_gear and pa_drive agree"

# two rods of different length between the same points: there is no consistent start
{
    printf 'trammel: 1\nname: Apart\nmechanism:\n  plane: xy\n  bodies:\n'
    link a 1 0
    echo "  joints:"
    hinge pa ground a 0 0
    echo "    one: {rod: {between: [ground, a], from: [1, 1], to: [1, 0]}}"
    echo "    two: {rod: {between: [ground, a], from: [1, 1], to: [1, 0], length: 1.1}}"
    echo "simulate: {end: 1}"
} >apart.yaml
for command in run check modes equilibrium; do
    expect 4 "$trammel" $command apart.yaml
    says err "apart.yaml:10:5: error: the mechanism cannot be assembled: two_length is off by"
    [ "$(grep -c "cannot be assembled" err)" = 1 ] || fail "$command tells it more than once"
done
expect 3 "$trammel" run apart.yaml --set simulate.tolerance=-1

# an explicit integrator takes accelerations by recursion in either formalism: one matrix, at the start
"$root/scripts/make-mechanism" --joint chain 40 >chain.yaml
for integrator in explicit adams; do
    expect 0 "$trammel" check chain.yaml --set simulate.integrator=$integrator
    for formalism in residual explicit; do
        expect 0 "$trammel" run chain.yaml --no-hdf5 --summary $formalism.json --set simulate.integrator=$integrator \
            --set mechanism.formalism=$formalism --set simulate.end=0.05 --set 'simulate.output_times=[0.05]'
    done
    # 1e-9: roundoff of either way, at angles of 0.1
    python3 -c 'import json
a, b = (json.load(open(n + ".json")) for n in ("residual", "explicit"))
assert a["factorizations"] <= 1, a["factorizations"]
p, q = (x["samples"][0]["q"] for x in (a, b))
assert all(abs(p[n] - q[n]) < 1e-9 for n in p)' || fail "$integrator: accelerations by recursion"
done

# roundoff of long chains is neither a wrong derivative nor a kink, and that of short steps of a large
# mechanism is no lost rank
for count in 30 150; do
    "$root/scripts/make-mechanism" --joint chain $count >chain.yaml
    expect 0 "$trammel" check chain.yaml
    grep -qE "kink|disagrees" out err && fail "roundoff of $count bodies is taken for a wrong derivative"
done
"$root/scripts/make-mechanism" --spatial ladder 300 >ladder.yaml
expect 0 "$trammel" run ladder.yaml --no-hdf5 --no-verify --set simulate.integrator=bdf --set simulate.end=0.0001 --set simulate.tolerance=1e-10
grep -qE "add up to [1-9]\.?[0-9]*e\+0[34] tolerances" out || fail "roundoff of short steps is not in what the steps add up to"
grep -q "lose rank" err && fail "roundoff of short steps is taken for lost rank"
# pressures of 1e6 Pa: increments of 1e-3 Pa would drown in the roundoff of their rates
expect 0 "$trammel" check "$root/examples/mechanisms/hydraulic-arm.yaml"
finish
