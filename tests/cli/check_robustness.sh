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

# ---- pipes in the place of files: nobody writes into them ----
mkfifo pipe.csv pipe.stl
cat >pipe.yaml <<'END'
trammel: 1
tables: {road: {file: pipe.csv, x: s, y: z}}
mechanism:
  bodies: {b: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
  joints: {j: {prismatic: {between: [ground, b], at: [0, 0, 0], axis: x}}}
  forces: {f: {actuator: {joint: j, effort: "table(road, t)"}}}
simulate: {end: 1}
END
cat >mesh.yaml <<'END'
trammel: 1
mechanism:
  bodies: {b: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], shape: {mesh: {file: pipe.stl}}}}
  joints: {j: {prismatic: {between: [ground, b], at: [0, 0, 0], axis: x}}}
simulate: {end: 1}
END
printf 'trammel: 1\ninclude: pipe.csv\nsimulate: {end: 1}\n' >include.yaml
for model in pipe mesh include; do
    expect 3 timeout 600 "$trammel" check $model.yaml
    says err ": it is a pipe or a device, not a file"
done

# ---- constant steps of a model without freedoms ----
cat >held.yaml <<'END'
trammel: 1
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: [0, -1]
  constraints: {g: "x"}
  velocity_constraints: {a: "vx", b: "3*vy"}
simulate: {end: 0.5, tolerance: 1e-3, step: {fixed: 0.01}}
END
expect 0 "$trammel" run held.yaml -q --out o

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
# those of the solver too: 10 redundant rows of a beam on 12 parallel bars, 7 beams that bend too much
python3 - <<'END' || bad=1
bars = range(12)
with open("bars.yaml", "w") as f:
    print("trammel: 1\nmechanism:\n  plane: xy\n  gravity: [0, -9.81]\n  bodies:\n    beam: {mass: 1, center: [0, 1], inertia: 1}", file=f)
    for i in bars:
        print(f"    b{i}: {{mass: 1, center: [{i}, 0.5], inertia: 0.1}}", file=f)
    print("  joints:", file=f)
    for i in bars:
        print(f"    l{i}: {{revolute: {{between: [ground, b{i}], at: [{i}, 0]}}}}", file=f)
        print(f"    h{i}: {{revolute: {{between: [beam, b{i}], at: [{i}, 1]}}}}", file=f)
    print("simulate: {end: 0.01}", file=f)
with open("bent.yaml", "w") as f:
    print("trammel: 1\nmechanism:\n  plane: xy\n  gravity: [0, -9.81]\n  bodies:", file=f)
    for i in range(7):
        print(f"    b{i}: {{beam: {{from: [0, {i}], to: [1, {i}], elements: 1, modulus: 1e6, area: 1e-4, inertia: 1e-9, density: 1000}}}}", file=f)
    print("  joints:", file=f)
    for i in range(7):
        print(f"    l{i}: {{fixed: {{between: [ground, b{i}], at: [0, {i}]}}}}", file=f)
    print("simulate: {end: 0.5, tolerance: 1e-3}", file=f)
END
expect 0 "$trammel" run bars.yaml -q --out o
[ "$(grep -c "is redundant, it follows" err)" = 5 ] || fail "redundant rows are not counted"
says err "and 5 more redundant constraint rows"
expect 0 "$trammel" check bars.yaml
[ "$(grep -c "is redundant (" err)" = 5 ] || fail "redundant rows of check are not counted"
says err "and 5 more redundant constraints"
expect_done "$trammel" run bent.yaml -q --out o --no-verify
[ "$(grep -c "warning: t = .* is inclined by" err)" = 5 ] || fail "beams that bend are not counted"
says err "warning: and 2 more warnings of the kind"
{
    head -3 unused.yaml
    echo "parameters: {a: 1, b: 2, c: 3, d: 4, f: 5}"
} >five.yaml
expect 0 "$trammel" check five.yaml
[ "$(grep -c "is not used" err)" = 5 ] || fail "five warnings are shown"
grep -q "more warning" err && fail "five warnings have no rest"

# ---- a model with a library is code: refused, unless it is allowed ----
if command -v "${CC:-cc}" >/dev/null; then
    cat >code.c <<'END'
#include <stdio.h>
__attribute__((constructor)) static void begin(void)
{
    FILE *file = fopen("ran", "w");
    if (file)
        fclose(file);
}
END
    "${CC:-cc}" -shared -fPIC -o code.so code.c || fail "no library to load"
    printf 'trammel: 1\nproblem: {library: ./code.so}\nsimulate: {end: 1}\n' >code.yaml
    cat >force.yaml <<'END'
trammel: 1
mechanism:
  bodies: {b: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}
  joints: {j: {free: {between: [ground, b]}}}
  forces: {f: {user: {between: [ground, b], at: [0, 0, 0], library: ./code.so, name: pull}}}
simulate: {end: 1}
END
    for model in code force; do
        for command in run check equilibrium modes; do
            rm -f ran
            expect 3 "$trammel" $command $model.yaml </dev/null
            says err "the library is code that would run with your rights, and was not allowed" "--allow-code"
            [ -e ran ] && fail "$command ran the code of $model.yaml without being allowed"
            expect 3 "$trammel" $command $model.yaml --allow-code
            says err "the library does not export"
            [ -e ran ] || fail "$command --allow-code did not load the library of $model.yaml"
        done
        # and through files that name the model
        printf 'trammel-study: 1\nmodel: %s.yaml\nparameters: {p: [1, 2]}\n' $model >study.yaml
        printf 'trammel-optimization: 1\nmodel: %s.yaml\nparameters: {p: {start: 1, min: 0, max: 2}}\nminimize: {end: x}\n' \
            $model >best.yaml
        for line in "sweep study.yaml" "optimize best.yaml" "view $model.yaml -o page.html"; do
            rm -f ran
            # shellcheck disable=SC2086 # words
            "$trammel" $line >out 2>err </dev/null && case $line in view*) ;; *) fail "$line was not refused" ;; esac
            says err "the library is code that would run with your rights, and was not allowed"
            [ -e ran ] && fail "$line ran the code of $model.yaml without being allowed"
            # shellcheck disable=SC2086 # words
            "$trammel" $line --allow-code >out 2>err </dev/null
            [ -e ran ] || fail "$line --allow-code did not load the library of $model.yaml"
        done
    done
    # at a terminal it is asked; script(1) makes one
    if command -v script >/dev/null; then
        rm -f ran
        echo n | script -qec "'$trammel' check code.yaml" /dev/null >out 2>&1
        says out "The model loads ./code.so, which is code and can do whatever you can. Run it? [y/N]"
        [ -e ran ] && fail "code ran although the answer was n"
        echo y | script -qec "'$trammel' check code.yaml" /dev/null >out 2>&1
        says out "the library does not export"
        [ -e ran ] || fail "code did not run although the answer was y"
    fi
fi


# ---- errors that only the solver finds have a place in the file, too ----
# placed PLACE TEXT SETTING...: the model with these lines is refused there
placed() {
    local place=$1 text=$2
    shift 2
    {
        echo "trammel: 1"
        printf '%s\n' "$@"
    } >placed.yaml
    for command in check run; do
        "$trammel" $command placed.yaml >out 2>err && fail "not refused: $text"
        says err "placed.yaml:$place: error: " "$text"
    done
}
placed 2:34 "the mass of y is negative: -1" "equations: {coordinates: {x: vx, y: vy}, mass: [1, \"-1\"], force: [0, -9]}" \
    "simulate: {end: 1}"
two="equations: {coordinates: {x: vx, y: vy}, mass: [1, 1], force: [0, -9]"
placed 2:98 "velocity constraint 'a' has no velocity in it" "$two, velocity_constraints: {a: \"0*vx\"}}" "simulate: {end: 1}"
placed 3:35 "linear_solver = block needs declared bodies and joints" "$two}" "simulate: {end: 1, linear_solver: block}"
placed 3:48 "control = classic does not go with integrator radau" "$two}" \
    "simulate: {end: 1, integrator: radau, control: classic}"
placed 2:98 "row h followed from g at the start but is violated by 1" "$two, constraints: {g: \"x - 1\", h: \"2*x - 1\"}}" \
    "simulate: {end: 1}"
finish
