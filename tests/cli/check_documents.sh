#!/usr/bin/env bash
# The examples of README.md and docs/ are real: see documents.py, which does the work.
# Usage: check_documents.sh PATH-OF-TRAMMEL [--update | --self-test]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for python in python3 /usr/bin/python3; do # the documents read result files with h5py
    "$python" -c 'import h5py' 2>/dev/null || continue
    exec "$python" "$here/documents.py" "$@"
done
echo "there is no python3 with h5py"
exit 77
