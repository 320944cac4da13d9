#!/usr/bin/env bash
# Folders of src/ include only from folders above them in the list below.
# Usage: check_includes.sh [ROOT | --self-test]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

order="trammel base linear expression system jacobian formulation integrator multibody model results cli"

# rank FOLDER: its place in the list, nothing if it has none
rank() {
    local place=0 folder
    for folder in $order; do
        if [ "$folder" = "$1" ]; then
            echo $place
            return
        fi
        place=$((place + 1))
    done
}

check() {
    cd "$1"
    local bad=0 file line text folder included own other
    while IFS=: read -r file line text; do
        folder=${file#src/}
        folder=${folder%%/*}
        included=$(sed -E 's/[^"]*"([^"]*)".*/\1/' <<<"$text")
        included=${included%%/*}
        own=$(rank "$folder")
        other=$(rank "$included")
        if [ -z "$own" ] || [ -z "$other" ]; then
            echo "$file:$line: '$folder' or '$included' is not in the list of folders"
            bad=1
        elif [ "$other" -gt "$own" ]; then
            echo "$file:$line: '$folder' must not include from '$included', which is above it"
            bad=1
        fi
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' src --include='*.[ch]')
    return $bad
}

# a forbidden include must be found, an allowed one must not
self_test() {
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree/src/base" "$tree/src/linear"
    echo '#include "base/memory.h"' >"$tree/src/linear/good.c"
    echo '#include "trammel/status.h"' >"$tree/src/base/good.c"
    "$here/check_includes.sh" "$tree" || { echo "allowed includes were refused"; exit 1; }
    local text
    for text in '#include "linear/solver.h"' '  # include "linear/solver.h" // why' \
        '#include "../linear/solver.h"' '#include "unknown/thing.h"'; do
        echo "$text" >"$tree/src/base/bad.c"
        if "$here/check_includes.sh" "$tree" >/dev/null; then
            echo "not refused in src/base: $text"
            exit 1
        fi
    done
}

case ${1:-} in
--self-test) self_test ;;
*) check "${1:-$here/../..}" ;;
esac
