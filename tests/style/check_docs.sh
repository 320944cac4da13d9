#!/usr/bin/env bash
# The documentation says what the headers and the examples say.
#  - The tables of docs/c-api.md between <!-- table: NAME --> and <!-- end --> are those of
#    print_tables.c, which prints the lists of the public headers.
#  - Every ```c block of README.md and docs/getting-started.md stands under a line
#    <!-- examples/c/NAME.c --> and is the text of that file.
# Usage: check_docs.sh [--update | --self-test | ROOT]      --update rewrites tables and blocks
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# document FILE: the text of FILE as it should be
document() {
    awk -v printer="$work/print_tables" '
        function insert(command) {
            while ((command | getline text) > 0)
                print text
            if (close(command) != 0) { print "failed: " command > "/dev/stderr"; exit 1 }
        }
        skip == "" { print }
        /^<!-- table: .* -->$/ { insert(printer " " $3); skip = "<!-- end -->" }
        /^```c$/ && !skip {
            if (last !~ /^<!-- examples\/c\/.* -->$/) {
                print FILENAME ":" FNR ": a C block without its file" > "/dev/stderr"; exit 1
            }
            split(last, word, " ")
            insert("cat " word[2])
            skip = "```"
        }
        skip != "" && $0 == skip { print; skip = "" }
        { last = $0 }' "$1"
}

check() {
    cd "$1"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    ${CC:-cc} -std=c17 -Iinclude "$here/print_tables.c" -o "$work/print_tables"
    local bad=0 file
    for file in README.md docs/getting-started.md docs/c-api.md; do
        document "$file" >"$work/text"
        if [ "${2:-}" = --update ]; then
            cp "$work/text" "$file"
        elif ! diff -u "$file" "$work/text"; then
            echo "$file is out of date; tests/style/check_docs.sh --update repairs it"
            bad=1
        fi
    done
    for table in options choices quantities status; do
        grep -qx "<!-- table: $table -->" docs/c-api.md ||
            { echo "docs/c-api.md has no table of the $table"; bad=1; }
    done
    return $bad
}

# each change of a header, an example or a document must be noticed
self_test() {
    local root=$here/../..
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    fresh() {
        rm -rf "${tree:?}"/*
        cp -r "$root/include" "$root/examples" "$root/docs" "$root/README.md" "$tree"
    }
    expect_failure() {
        if "$here/check_docs.sh" "$tree" >/dev/null 2>&1; then
            echo "not noticed: $1"
            exit 1
        fi
    }
    fresh
    "$here/check_docs.sh" "$tree"
    sed -i 's/"relative tolerance"/"another help"/' "$tree/include/trammel/options.h"
    expect_failure "a changed option"
    fresh
    sed -i '/TRM_ERR_STEPS/d' "$tree/docs/c-api.md"
    expect_failure "a missing status"
    fresh
    sed -i '/table: quantities/d' "$tree/docs/c-api.md"
    expect_failure "a missing table"
    fresh
    echo '// changed' >>"$tree/examples/c/pendulum.c"
    expect_failure "a changed example"
    fresh
    printf '```c\nint x;\n```\n' >>"$tree/README.md"
    expect_failure "a C block without a file"
}

case ${1:-} in
--self-test) self_test ;;
--update) check "$here/../.." --update ;;
*) check "${1:-$here/../..}" ;;
esac
