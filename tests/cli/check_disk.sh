#!/usr/bin/env bash
# A full disk: exit 5, and what was written stays readable.
. "$(dirname "$0")/lib.sh"
good_model >m.yaml
run_limited() ( # files of at most so many kB
    ulimit -f "$1"
    trap '' XFSZ
    exec "$trammel" run m.yaml --out o --set simulate.end=500 --set simulate.output_interval=0.01 "${@:2}"
)
expect 5 run_limited 400
says err "error:" "o/m.h5"
expect 0 "$trammel" info o/m.h5
says out "position/x"
rm -rf o
expect 5 run_limited 200 --csv --no-hdf5
expect 0 "$trammel" info o/m.csv
# a limit that is met in the first moments: no hint to a checkpoint that is not there, and none of an earlier run is left
rm -rf o
expect 0 "$trammel" run m.yaml --out o -q
expect 5 run_limited 400
says err "there is no checkpoint yet: start again"
[ -e o/m.checkpoint ] && fail "the checkpoint of the earlier run is still there"
expect 3 "$trammel" run m.yaml --out o --resume
says err "cannot read checkpoint o/m.checkpoint" "start without --resume: a checkpoint is written once a minute"
# a result that was cut or lost after the run
rm -rf o
expect 0 "$trammel" run m.yaml --out o -q
head -c 3000 o/m.h5 >short && mv short o/m.h5
expect 5 "$trammel" run m.yaml --out o --resume --set simulate.end=11
says err "o/m.h5: the file is cut off: 3000 bytes are there,"
rm o/m.h5
expect 5 "$trammel" run m.yaml --out o --resume --set simulate.end=11
says err "cannot continue o/m.h5: it is not there any more" "start again without --resume"
mkdir locked
expect 5 "$trammel" run m.yaml --out /proc/nothing
expect 5 "$trammel" run m.yaml --no-hdf5 --summary /dev/full # also where it is larger than the buffer of a file
says err "cannot write the summary to /dev/full: No space left on device"
expect 5 "$trammel" run m.yaml --no-hdf5 --summary /dev/full --set "simulate.output_times=[$(seq -s, 0.1 0.1 9.9)]"
says err "cannot write the summary to /dev/full: No space left on device"
# a page is there until the next one is complete
rm -rf o
expect 0 "$trammel" run m.yaml --out o -q
for command in plot view; do
    expect 0 "$trammel" "$command" o/m.h5 -o page.html
    cp page.html first.html
    limited() (
        ulimit -f 4
        trap '' XFSZ
        exec "$trammel" "$command" o/m.h5 -o page.html
    )
    expect 5 limited
    cmp -s page.html first.html || fail "$command: a page that could not be written cost the one before"
    [ -e page.html.new ] && fail "$command left page.html.new"
done
"$trammel" check m.yaml >/dev/full 2>err && fail "a report that could not be written was not noticed"
says err "standard output: No space left on device"
finish
