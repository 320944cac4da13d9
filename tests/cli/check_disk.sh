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
mkdir locked
expect 5 "$trammel" run m.yaml --out /proc/nothing
expect 5 "$trammel" run m.yaml --no-hdf5 --summary /dev/full
finish
