#!/usr/bin/env bash
# Damaged result files: info, plot, view and run --resume end with a message, or with what they give for the whole file.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c "import h5py" 2>/dev/null || exit 77
good_model >m.yaml
/usr/bin/python3 "$root/tests/cli/damage.py" "$trammel" "$root/tests/torture/files" >out 2>&1 || fail "$(cat out)"
cat out
finish
