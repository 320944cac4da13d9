#!/usr/bin/env bash
# The shared library exports exactly the symbols of symbols.txt, all of them trm_*.
# Usage: check_symbols.sh [--update] [FOLDER for the build]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

update=0
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
package=${1:-$root/build/tests/package}

"$here/../install/build_package.sh" shared "$package"
symbols=$(nm -D --defined-only "$package/shared/libtrammel.so" | awk '{print $NF}' | LC_ALL=C sort)

if grep -v '^trm_' <<<"$symbols"; then
    echo "exported, but not part of the interface: see above"
    exit 1
fi
if [ $update = 1 ]; then
    echo "$symbols" >"$here/symbols.txt"
elif ! diff -u "$here/symbols.txt" - <<<"$symbols"; then
    echo "the interface has changed; if that is meant: tests/api/check_symbols.sh --update"
    exit 1
fi
