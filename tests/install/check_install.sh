#!/usr/bin/env bash
# A foreign project uses the library: installed (find_package and pkg-config) or as a subproject.
# Usage: check_install.sh static|shared|subproject FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
variant=$1
package=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/consumer/* "$work"

if [ "$variant" = subproject ]; then
    cmake -S "$work" -B "$work/build" -DTRAMMEL_SOURCE="$root" >"$work/log"
    cmake --build "$work/build" --parallel >>"$work/log" || { cat "$work/log"; exit 1; }
    "$work/build/consumer"
    if [ -d "$work/build/trammel/tests" ]; then
        echo "a subproject must not build the tests"
        exit 1
    fi
    exit 0
fi

"$here/build_package.sh" "$variant" "$package"
prefix=$work/prefix
cmake --install "$package/$variant" --prefix "$prefix" >/dev/null

echo "-- $variant, find_package"
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log"
cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }
"$work/build/consumer"

echo "-- $variant, pkg-config"
pc=$(find "$prefix" -name trammel.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}
[ "$variant" = static ] && static=--static || static=
${CC:-cc} -std=c17 "$work/consumer.c" -o "$work/consumer" $(pkg-config $static --cflags --libs trammel)
LD_LIBRARY_PATH=$libdir "$work/consumer"

# what a consumer of the shared library links: trammel and nothing that trammel is made of
if [ "$variant" = shared ]; then
    for program in "$work/consumer" "$work/build/consumer"; do
        if readelf -d "$program" | grep NEEDED | grep -E 'klu|amd|btf|suitesparse|lapack|blas'; then
            echo "the shared library passes its own libraries on"
            exit 1
        fi
    done
fi
