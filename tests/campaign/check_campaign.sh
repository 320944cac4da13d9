#!/usr/bin/env bash
# The campaign of campaign.py, with its arguments. --short: the form that is a test, 250 runs of small machines; what is silently
# wrong in it may only become less (short.json). All 13 without a companion are one machine, a body that spins about its
# middle axis: errors of energy and momentum at the tolerance decide when it turns over, and nothing but a companion sees that.
# Usage: check_campaign.sh PATH-OF-TRAMMEL [--short | ARGUMENT...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
trammel=$1
shift
[ "${1:-}" != --short ] || set -- --tree-variants -1 --variants 1 --runs 250 --check "$here/short.json"
for python in python3 /usr/bin/python3; do # the runs are read with h5py
    "$python" -c 'import h5py, numpy' 2>/dev/null || continue
    PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/campaign.py" "$trammel" "$@"
done
echo "there is no python3 with h5py"
exit 77
