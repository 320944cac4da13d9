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
bad=$(printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 40 clang-format --dry-run 2>&1 |
    sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: .*/\1/p' | sort -u)
if [ -n "$bad" ]; then
    printf 'not formatted: %s\n' $bad
    echo "make format repairs"
    exit 1
fi
