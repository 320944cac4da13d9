#!/usr/bin/env bash
# Builds the library alone, as a packager would.
# Usage: build_package.sh static|shared FOLDER      leaves the build in FOLDER/static or .../shared
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
variant=$1
folder=$2/$variant
mkdir -p "$2"

[ "$variant" = shared ] && shared=ON || shared=OFF
cmake -S "$root" -B "$folder" -DBUILD_SHARED_LIBS=$shared -DTRM_TESTS=OFF -DTRM_EXAMPLES=OFF \
    -DTRM_TOOL=OFF -DTRM_BENCH=OFF -DCMAKE_INSTALL_PREFIX="$folder/prefix" >"$2/$variant.log"
cmake --build "$folder" --parallel >>"$2/$variant.log" || { cat "$2/$variant.log"; exit 1; }
