#!/usr/bin/env bash
# A run that is stopped and resumed gives the same bits as one that went through: to a later end,
# after Ctrl-C, with events, for every solver; and refuses what does not belong to it. Usage: check_resume.sh TRAMMEL DISK.SO
disk=$(realpath "$2")
. "$(dirname "$0")/lib.sh"

# same A B: datasets and summary of two runs are equal bit for bit
same() {
    /usr/bin/python3 - "$1" "$2" <<'END' || fail "$3: files differ"
import h5py, sys
a, b = (h5py.File(name, "r") for name in sys.argv[1:3])
names = []
a.visititems(lambda n, o: names.append(n) if isinstance(o, h5py.Dataset) else None)
for n in names:
    if n.split("/")[-1] in ("model", "summary", "options"):
        continue
    x, y = a[n][()], b[n][()]
    assert x.tobytes() == y.tobytes(), n
END
    python3 - "$1.json" "$2.json" <<'END' || fail "$3: summaries differ"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:3])
for key in ("wall_seconds", "cpu_seconds", "output_seconds", "peak_memory_bytes"):
    a.pop(key), b.pop(key)
for part in a, b: # rows of earlier parts are compared again, from the file
    for key in "companion_seconds", "run_seconds":
        part["accuracy"].pop(key, None)
assert a == b, [k for k in a if a[k] != b.get(k)]
END
}

# through WHAT MODEL ARGUMENT...: 0-10 equals 0-5 plus 5-10; --verify: how far a companion comes that nobody waits for
# depends on the machine. A first step that no error limits is a thousandth of the run: where it matters it is given.
through() {
    local what=$1 model=$2
    shift 2
    set -- --verify "$@"
    rm -rf a b
    expect_done "$trammel" run "$model" --out a --summary "a/$(basename "$model" .yaml).h5.json" "$@" --set simulate.end=10
    expect_done "$trammel" run "$model" --out b "$@" --set simulate.end=5
    expect_done "$trammel" run "$model" --out b --resume --summary "b/$(basename "$model" .yaml).h5.json" "$@" \
        --set simulate.end=10
    same a/*.h5 b/*.h5 "$what"
}

/usr/bin/python3 -c 'import h5py' 2>/dev/null || exit 77
good_model >m.yaml
through "null-space" m.yaml
for formulation in ggl ggl-star cm; do
    through "$formulation" m.yaml --set simulate.formulation=$formulation --set simulate.step.initial=1e-3
done
through "dense" m.yaml --set simulate.linear_solver=dense
through "klu" m.yaml --set simulate.linear_solver=sparse
through "classic" m.yaml --set simulate.control=classic
through "differences" m.yaml --set simulate.jacobian.source=differences
through "fixed steps" m.yaml --set simulate.step.fixed=0.01
through "every step" m.yaml --set simulate.output_interval=steps
through "fixed steps, every step" m.yaml --set simulate.step.fixed=0.01 \
    --set simulate.output_interval=steps
through "samples" m.yaml --set "simulate.output_times=[1, 4.999, 5, 7, 10]"
through "events" m.yaml --set 'events={low: {when: "x", set: {vx: "1.01*vx"}}, top: {when: "vy"}}'
cat >chain.yaml <<'END'
trammel: 1
problem: {name: chain, links: 20}
simulate: {end: 10, output_interval: 0.05, tolerance: 1e-4}
END
through "block" chain.yaml
# a ball that bounces: locks, and what is remembered of landings
cat >ball.yaml <<'END'
trammel: 1
mechanism:
  gravity: [0, 0, -9.81]
  bodies: {ball: {mass: 1, center: [0, 0, 1.1], inertia: [0.004, 0.004, 0.004]}}
  joints:
    fly: {free: {between: [ground, ball], at: [0, 0, 1.1]}, start: {x_rate: 0.3, rotation_y_rate: 2}}
  forces:
    floor: {contact: {between: [ground, ball], at: [0, 0, 0], normal: z, center: [0, 0, 1.1], radius: 0.1, stiffness: 1e6,
                      damping: 0.01, friction: 0.2}}
simulate: {end: 10, output_interval: 0.05, tolerance: 1e-4}
END
for integrator in bdf adams generalized-alpha; do
    through "contact, $integrator" ball.yaml --set simulate.integrator=$integrator
done

# a spacing that follows from the end changes with it, but leaves no gap
good_model | sed 's/, output_interval: 0.05//' >m.yaml
rm -rf b
expect 0 "$trammel" run m.yaml --out b --set simulate.end=5
expect 0 "$trammel" run m.yaml --out b --resume --set simulate.end=10
/usr/bin/python3 - <<'END' || fail "rows are missing after the end was moved"
import h5py
t = h5py.File("b/m.h5", "r")["time"][:]
assert t[-1] == 10 and max(t[1:] - t[:-1]) < 10 / 500 * 1.001, max(t[1:] - t[:-1])
END

# layered FOLDER COMMAND...: a clock that counts its readings, so that the changes of the files in the folder come at the same
# rows on every machine; their number is left in the file changes
layered() {
    mkdir -p "$1"
    LD_PRELOAD=$disk DISK_CLOCK=1 DISK_FOLDER=$work/$1 DISK_COUNT=$work/changes "${@:2}"
}
# interrupt CHANGE FOLDER COMMAND...: SIGTERM right after that change
interrupt() {
    DISK_KILL=$1 DISK_SIGNAL=15 layered "$2" expect 130 "${@:3}"
    says err "stops after the present step or row" "once more: at once"
}

good_model | sed 's/tolerance: 1e-6/tolerance: 1e-8, integrator: bdf/' >m.yaml
rm -rf a b
long="--verify --set simulate.end=1000 --set simulate.output_interval=1"
if ldd "$trammel" | grep -q asan; then # the layer below a program does not go together with sanitizers
    expect_done "$trammel" run m.yaml --out b $long
else
    # Ctrl-C in the middle, several times, then left alone
    layered a expect_done "$trammel" run m.yaml --verify --out a --summary a.json $long
    part=$(($(cat changes) / 6))
    resume=
    for try in 1 2 3 4; do
        interrupt $part b "$trammel" run m.yaml --verify --out b --summary b.json $long $resume
        resume=--resume
    done
    expect_done "$trammel" run m.yaml --verify --out b --summary b.json $long --resume
    mv a/m.h5 a.h5 && mv b/m.h5 b.h5 && mv a.json a.h5.json && mv b.json b.h5.json
    same a.h5 b.h5 "interrupted four times"

    # Ctrl-C between the rows of one step: a free mass takes few of them. Rows that were written stay, and
    # the rest is written by the resumed run
    cat >free.yaml <<'END'
trammel: 1
equations: {coordinates: {x: vx}, mass: [1], force: [1]}
simulate: {end: 1, tolerance: 1e-3, output_interval: 4e-5}
END
    for integrator in bdf radau explicit; do
        rm -rf d e
        fine="--verify --set simulate.integrator=$integrator"
        layered d expect 0 "$trammel" run free.yaml --out d --summary d.json $fine
        interrupt $(($(cat changes) / 2)) e "$trammel" run free.yaml --out e $fine
        /usr/bin/python3 -c 'import h5py
t = h5py.File("e/free.h5", "r")["time"][:]
assert 0 < len(t) < 25001 and max(abs(t - [4e-5*i for i in range(len(t))])) < 1e-12, len(t)' ||
            fail "$integrator: rows were lost"
        expect 0 "$trammel" run free.yaml --verify --out e --resume --summary e.json $fine
        mv d/free.h5 d.h5 && mv e/free.h5 e.h5 && mv d.json d.h5.json && mv e.json e.h5.json
        same d.h5 e.h5 "$integrator, interrupted between rows"
    done
fi

# output times that were added meanwhile and have passed have no values; an end that has passed is
# refused and changes nothing
rm -rf c
expect 0 "$trammel" run m.yaml --out c --set simulate.end=5
expect 0 "$trammel" run m.yaml --out c --resume --summary c.json --set simulate.end=6 \
    --set "simulate.output_times=[1, 5.5]"
python3 -c 'import json; s = json.load(open("c.json"))["samples"]
assert s[0]["q"]["x"] is None and abs(s[1]["q"]["x"]) <= 1 and s[1]["t"] == 5.5' || fail "added output times"
cp c/m.h5 before.h5
expect 3 "$trammel" run m.yaml --out c --resume --set simulate.end=1
says err "beyond the end 1"
cmp -s c/m.h5 before.h5 || fail "a refused resume changed the result"

# An output that is left out, added, shortened or from another run is refused before any file is
# touched: its rows up to the checkpoint would be missing, or lost.
# refused SAYS... -- ARGUMENT...: nothing in the folder w changes
refused() {
    local text=()
    while [ "$1" != -- ]; do text+=("$1") && shift; done
    shift
    rm -rf before && cp -r w before
    expect 3 "$trammel" run m.yaml --out w --resume --set simulate.end=6 "$@"
    says err "${text[@]}"
    diff -r w before >/dev/null || fail "a refused resume changed files: $*"
}
rm -rf w
expect 0 "$trammel" run m.yaml --out w --csv --set simulate.end=5
refused "cannot go on without w/m.csv: the run wrote" "rows to it up to the checkpoint at t = 4." "give --csv as before" --
refused "cannot go on without w/m.h5" -- --csv --no-hdf5
# 0 to 5 by 0.05: 101 rows; of them 21 end at t = 1
head -n 22 w/m.csv >short && cp short w/m.csv
refused "cannot continue w/m.csv: it has 21 rows, up to t = 1; the checkpoint at t = 4." "needs" "another --out" -- --csv
rm -rf w
expect 0 "$trammel" run m.yaml --out w --csv --set simulate.end=5
head -n 4 w/m-steps.csv >short && cp short w/m-steps.csv
refused "cannot continue w/m-steps.csv: it has 3 rows, up to t = " -- --csv
rm w/m*.csv
expect 0 "$trammel" run m.yaml --out w --set simulate.end=1
cp w/m.h5 short.h5
expect 0 "$trammel" run m.yaml --out w --set simulate.end=5
cp short.h5 w/m.h5
refused "cannot continue w/m.h5: it has 21 rows, up to t = 1; the checkpoint at t = 4." "another --out" --
# the checkpoint of a run without the file that lies there
expect 0 "$trammel" run m.yaml --out w --no-hdf5 --set simulate.end=5
refused "cannot continue w/m.h5: it has 21 rows, up to t = 1, but the run up to the checkpoint" "give --no-hdf5 as before" --
refused "cannot continue w/m.csv: the run up to the checkpoint at t = 4." "omit --csv as before" -- --no-hdf5 --csv
expect 0 "$trammel" run m.yaml --out w --no-hdf5 --resume --set simulate.end=6
# the outputs as before, both of them: every row is there
rm -rf w
expect 0 "$trammel" run m.yaml --out w --csv --set simulate.end=5
expect 0 "$trammel" run m.yaml --out w --csv --resume --set simulate.end=6
# header and 0 to 6 by 0.05
[ "$(wc -l <w/m.csv)" = 122 ] || fail "rows of the CSV file are missing"

# refused: another model, a damaged checkpoint, none at all
expect 3 "$trammel" run m.yaml --out b --resume --set parameters.g=9
says err "cannot use checkpoint b/m.checkpoint: parameters.g changed since it was written" "--set of the run"
expect 3 "$trammel" run m.yaml --out b --resume $long --set simulate.tolerance=1e-7 --set simulate.integrator=radau
says err "simulate.tolerance and simulate.integrator changed since it was written"
sed 's/rod/bar/' m.yaml >other.yaml
cp b/m.checkpoint b/other.checkpoint
expect 3 "$trammel" run other.yaml --out b --resume $long
says err "equations.constraints changed since it was written"
head -c 300 b/m.checkpoint >short && mv short b/m.checkpoint
expect 3 "$trammel" run m.yaml --out b --resume $long
says err "it is cut off: 300 bytes are there, at least"
expect 3 "$trammel" run m.yaml --out nowhere --resume
finish
