#!/usr/bin/env bash
# Every C file is formatted as .clang-format says. `make format` repairs.
# Usage: check_format.sh [--fix]
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v clang-format >/dev/null; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
mapfile -t files < <(find src include problems tests bench examples -name '*.[ch]' | sort)
if [ "${1:-}" = --fix ]; then
    clang-format -i "${files[@]}"
    exit 0
fi
bad=0
for file in "${files[@]}"; do
    clang-format --dry-run -Werror "$file" 2>/dev/null || { echo "not formatted: $file"; bad=1; }
done
[ $bad = 0 ] || echo "make format repairs"
exit $bad
