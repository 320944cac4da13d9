#!/usr/bin/env bash
# Modules of src/ include only from modules before them in the list below, and never from the other layer:
# solver and modelling meet in the public trm_system alone. A folder inside a module belongs to the module.
# problems/ includes the public headers only.
# Usage: check_includes.sh [ROOT | --self-test]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

order="trammel base
       solver/linear solver/system solver/formulation solver/analysis solver/integrator solver/verify
       modelling/expression modelling/multibody modelling/reader problems
       program/files program/plot program/view program/run program/study program/optimize program/reproduce program/cli"

# The assembly of a mechanism factors its matrix with the solvers; these know no system. The elastic rod of
# a problem is the beam of mechanisms.
allowed="modelling/multibody/assembly.c:solver/linear/solver.h
         problems/flexible_crank.h:modelling/multibody/beams/beam.h"

check() {
    cd "$1"
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' src $(ls -d problems 2>/dev/null) --include='*.[ch]' |
        awk -v order="$order" -v allowed="$allowed" '
            function module(path, part, n, k, name) {
                n = split(path, part, "/")
                name = part[1]
                if (n > 1 && ((part[1] "/" part[2]) in rank))
                    name = part[1] "/" part[2]
                return name
            }
            function layer(name) {
                sub(/\/.*/, "", name)
                return name
            }
            BEGIN {
                n = split(order, list, /[ \n]+/)
                for (k = 1; k <= n; k++)
                    rank[list[k]] = k
                n = split(allowed, list, /[ \n]+/)
                for (k = 1; k <= n; k++)
                    excepted[list[k]] = 1
            }
            {
                split($0, field, ":")
                file = field[1]
                sub(/^src\//, "", file)
                match($0, /"[^"]*"/)
                included = substr($0, RSTART + 1, RLENGTH - 2)
                own = module(file)
                other = module(included)
                if ((file ":" included) in excepted)
                    next
                place = field[1] ":" field[2] ": "
                if (!(own in rank) || !(other in rank)) {
                    print place "'\''" own "'\'' or '\''" other "'\'' is not in the list of modules"
                    bad = 1
                } else if (rank[other] > rank[own]) {
                    print place "'\''" own "'\'' must not include from '\''" other "'\'', which comes after it"
                    bad = 1
                } else if (layer(own) == "modelling" && layer(other) == "solver") {
                    print place "modelling must not include from the solver"
                    bad = 1
                } else if (own == "problems" && other != "trammel" && other != own) {
                    print place "problems include public headers only"
                    bad = 1
                }
            }
            END { exit bad }'
}

# a forbidden include must be found, an allowed one must not
self_test() {
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree/src/base" "$tree/src/solver/linear/deep" "$tree/src/modelling/reader"
    echo '#include "base/memory.h"' >"$tree/src/solver/linear/deep/good.c"
    echo '#include "trammel/status.h"' >"$tree/src/base/good.c"
    "$here/check_includes.sh" "$tree" || { echo "allowed includes were refused"; exit 1; }
    local text
    for text in '#include "solver/linear/solver.h"' '  # include "solver/linear/solver.h" // why' \
        '#include "../linear/solver.h"' '#include "unknown/thing.h"'; do
        echo "$text" >"$tree/src/base/bad.c"
        if "$here/check_includes.sh" "$tree" >/dev/null; then
            echo "not refused in src/base: $text"
            exit 1
        fi
    done
    rm "$tree/src/base/bad.c"
    echo '#include "solver/linear/solver.h"' >"$tree/src/modelling/reader/bad.c"
    if "$here/check_includes.sh" "$tree" >/dev/null; then
        echo "not refused: an include of modelling from the solver"
        exit 1
    fi
    rm "$tree/src/modelling/reader/bad.c"
    mkdir "$tree/problems"
    echo '#include "base/memory.h"' >"$tree/problems/bad.c"
    if "$here/check_includes.sh" "$tree" >/dev/null; then
        echo "not refused: an internal header in problems/"
        exit 1
    fi
}

case ${1:-} in
--self-test) self_test ;;
*) check "${1:-$here/../..}" ;;
esac
