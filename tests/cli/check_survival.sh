#!/usr/bin/env bash
# Runs that are killed, lose their power, meet each other, or get signals. Usage: check_survival.sh TRAMMEL DISK.SO; the long
# form of the first two parts is `make torture`.
disk=$(realpath "$2")
. "$(dirname "$0")/lib.sh"
torture=$root/tests/torture
/usr/bin/python3 -c 'import h5py' 2>/dev/null || exit 77

# kills and power failures. The library that records does not go together with sanitizers.
if ! ldd "$trammel" | grep -q asan; then
    /usr/bin/python3 "$torture/power.py" "$trammel" "$disk" --every 15 --kills 5 --failures 10 --checkpoints 3 \
        --rows 1000 --end 100 >power 2>&1 || fail "power failures: $(cat power)"
    /usr/bin/python3 "$torture/power.py" "$trammel" "$disk" --format csv --every 8 --kills 3 --failures 10 --checkpoints 1 \
        --rows 1000 --end 100 >power 2>&1 || fail "power failures, tables: $(cat power)"
fi
/usr/bin/python3 "$torture/company.py" "$trammel" --runs 24 --models 3 >company 2>&1 || fail "company: $(cat company)"

# a study with xargs: the same model, no results, summaries of their own
good_model >m.yaml
seq 12 | xargs -P 4 -I{} "$trammel" run m.yaml --no-hdf5 -q --out study --summary study-{}.json --set simulate.end=1 \
    --set parameters.g={} >out 2>err || fail "study: $(cat err)"
[ "$(ls study-*.json | wc -l)" = 12 ] || fail "a study of 12 runs has $(ls study-*.json | wc -l) summaries"

# pairs of runs of one model without results, in one folder, end as they do alone
alone_or_beside() { # NAME FORCE
    "$trammel" run "$root/tests/cli/repro/small.yaml" --out pairs -q --no-hdf5 --summary "$1-$2.json" --set simulate.end=1 \
        --set equations.force.1=-"$2" 2>"$1-$2.err" || { fail "run $1 others: $(cat "$1-$2.err")" && return 1; }
}
final() { sed 's/.*"final"//' "$1"; }
alone_or_beside without 1
alone_or_beside without 2
for k in 1 2 3 4 5; do
    alone_or_beside beside 1 &
    alone_or_beside beside 2 || bad=1
    wait $! || bad=1
    for j in 1 2; do
        [ "$(final without-$j.json)" = "$(final beside-$j.json)" ] || fail "run $j ends differently beside another"
    done
done
[ "$(final without-1.json)" != "$(final without-2.json)" ] || fail "the forces of the runs do not differ"

# two runs with the same result; the second is refused, whatever its format
long="--set simulate.end=1e9 --set simulate.max_steps=2000000000 --set simulate.output_interval=100"
wait_for() { # FILE, as long as the run goes on
    until [ -s "$1" ]; do
        kill -0 $! 2>/dev/null || { fail "$1 did not appear" && return; }
        sleep 0.05
    done
}
for format in "" "--csv --no-hdf5" "--no-checkpoint"; do
    "$trammel" run m.yaml -q --out two $long $format >/dev/null 2>two-err &
    first=$!
    case $format in *csv*) wait_for two/m.csv ;; *) wait_for two/m.h5 ;; esac
    expect 5 "$trammel" run m.yaml -q --out two $format
    says err "another run is writing it"
    kill -TERM $first
    wait $first
    [ $? = 130 ] || fail "exit code after SIGTERM, format '$format'"
    rm -r two
done

# signals that are ignored stay ignored; a second one ends at once and says what is kept
(
    trap '' HUP INT
    exec "$trammel" run m.yaml -q --out signals $long 2>signals-err
) &
run=$!
wait_for signals/m.h5
kill -HUP $run
kill -INT $run
kill -TERM $run
wait $run
[ $? = 130 ] || fail "SIGTERM after two ignored signals"
[ "$(grep -c 'stops after' signals-err)" = 1 ] || fail "ignored signals were caught: $(cat signals-err)"
says signals-err "stops after the present step or row"
"$trammel" info signals/m.h5 >/dev/null || fail "result after signals"
# the run is stopped first, so that both signals are there when it goes on
"$trammel" run m.yaml -q --out twice $long 2>twice-err &
run=$!
wait_for twice/m.h5
kill -STOP $run
kill -TERM $run
kill -HUP $run
kill -CONT $run
wait $run
code=$?
[ $code -gt 128 ] || fail "exit code $code after two signals"
says twice-err "stops after the present step or row"
grep -q "ended at once" twice-err || [ $code = 130 ] || fail "the second signal said nothing: $(cat twice-err)"
"$trammel" info twice/m.h5 >/dev/null || fail "result after two signals"

# a reader that goes does not end the run
"$trammel" run m.yaml --out pipe --summary pipe.json --progress json 2>&1 | true
[ "${PIPESTATUS[0]}" = 0 ] || fail "exit code ${PIPESTATUS[0]} without a reader"
[ -s pipe.json ] && [ -s pipe/m.checkpoint ] || fail "a run without a reader lost its files"

# stopped by max_steps, and on with a larger limit: the same as in one go
expect 1 "$trammel" run m.yaml -q --out steps --set simulate.max_steps=50
says err "max_steps = 50 are done" "--resume goes on from t = "
expect 0 "$trammel" run m.yaml -q --out steps --resume
expect 0 "$trammel" run m.yaml -q --out whole
/usr/bin/python3 - steps/m.h5 whole/m.h5 <<'END' || fail "a run with a larger limit differs"
import h5py, sys
a, b = (h5py.File(name, "r") for name in sys.argv[1:3])
names = []
a.visititems(lambda n, o: names.append(n) if isinstance(o, h5py.Dataset) and o.shape != () else None)
assert all(a[n][()].tobytes() == b[n][()].tobytes() for n in names) and len(names) > 10
END

# the last two checkpoints are kept: a damaged one, or a missing one, is replaced by the one before it
expect 0 "$trammel" run m.yaml -q --out kept --set simulate.end=5
expect 0 "$trammel" run m.yaml -q --out kept --set simulate.end=8 --resume
[ -s kept/m.checkpoint.previous ] || fail "there is no previous checkpoint"
cp kept/m.checkpoint.previous older
printf 'x' | dd of=kept/m.checkpoint bs=1 seek=100 conv=notrunc 2>/dev/null
expect 0 "$trammel" run m.yaml --out kept --set simulate.end=10 --resume
says err "it is damaged" "going on from the checkpoint before it"
cp older kept/m.checkpoint.previous
rm kept/m.checkpoint
expect 0 "$trammel" run m.yaml --out kept --set simulate.end=10 --resume
says err "No such file" "going on from the checkpoint before it"
cmp -s kept/m.h5 whole/m.h5 || /usr/bin/python3 - kept/m.h5 whole/m.h5 <<'END' || fail "from the checkpoint before: differs"
import h5py, sys
a, b = (h5py.File(name, "r") for name in sys.argv[1:3])
assert a["position/x"][()].tobytes() == b["position/x"][()].tobytes()
END

# no checkpoint
expect 0 "$trammel" run m.yaml -q --out none --no-checkpoint
[ "$(ls -A none)" = m.h5 ] || fail "--no-checkpoint left $(ls -A none)"
expect 3 "$trammel" run m.yaml -q --out none --resume
finish
