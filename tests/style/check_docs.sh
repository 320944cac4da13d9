#!/usr/bin/env bash
# The documentation says what the headers and the examples say.
#  - The tables of docs/c-api.md between <!-- table: NAME --> and <!-- end --> are those of
#    print_tables.c, which prints the lists of the public headers.
#  - Every ```c block of README.md, docs/getting-started.md and docs/c-api.md stands under a line
#    <!-- examples/c/NAME.c --> and is the text of that file.
#  - Every ```c block of CONTRIBUTING.md stands under a line <!-- not run: part of FILE -->, and every
#    line of it but comments stands in that file, which the tests build.
#  - Links between the documents lead to a file, and to a heading of it.
# What the command prints is the matter of tests/cli/check_documents.sh.
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

# lines of the C blocks of CONTRIBUTING.md that are not in their file
foreign_lines() {
    awk '
        /^<!-- not run: part of .* -->$/ { file = $6; next }
        /^```c$/ { inside = 1; if (!file) print "CONTRIBUTING.md:" FNR ": a C block without its file"; next }
        /^```$/ { inside = 0; file = "" }
        inside && !/^[ ]*\/\// && file { print file "\t" $0 }' CONTRIBUTING.md |
        while IFS=$'\t' read -r file line; do
            [ -n "$line" ] || { [ -n "$file" ] && [ ! -e "$file" ] && echo "$file"; continue; }
            grep -qxF -- "$line" "$file" || echo "CONTRIBUTING.md: not in $file: $line"
        done
}

# anchors FILE: those of its headings, and those that it sets
anchors() {
    sed '/^```/,/^```/d' "$1" | sed -n 's/^##* //p' | tr 'A-Z' 'a-z' |
        sed 's/[^a-z0-9 _-]//g; s/ /-/g'
    sed -n 's/.*<a id="\([^"]*\)".*/\1/p' "$1"
}

# links that lead nowhere, one per line; http(s) is not followed
dead_links() {
    local file link path
    for file in README.md CONTRIBUTING.md CHANGELOG.md examples/README.md docs/*.md; do
        while read -r link; do
            path=$file
            [ -z "${link%%#*}" ] || path=$(dirname "$file")/${link%%#*}
            if [ ! -e "$path" ]; then
                echo "$file: no file $link"
            elif [ "${link#*#}" != "$link" ] && ! anchors "$path" | grep -qxF "${link#*#}"; then
                echo "$file: no heading $link"
            fi
        done < <(sed '/^```/,/^```/d' "$file" | grep -o ']([^) ]*)' | sed 's/^](//; s/)$//' |
            grep -v '^https\?:' | sort -u)
    done
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
    { dead_links && foreign_lines; } >"$work/dead"
    [ ! -s "$work/dead" ] || { cat "$work/dead"; bad=1; }
    return $bad
}

# each change of a header, an example or a document must be noticed
self_test() {
    local root=$here/../..
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    fresh() {
        rm -rf "${tree:?}"/*
        cp -r "$root"/{include,examples,docs,experiments,bench,LICENSE} "$root"/*.md "$tree"
        mkdir -p "$tree/tests" && cp -r "$root/tests/unit" "$tree/tests"
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
    fresh
    sed -i 's|1 / R;|2 / R;|' "$tree/tests/unit/example/point_on_cylinder.c"
    expect_failure "an example of a joint that is not the one that is built"
    fresh
    sed -i 's|c \* v \* v;|2 * c * v * v;|' "$tree/tests/unit/example/attraction.c"
    expect_failure "an example of a force that is not the one that is built"
    fresh
    echo '[text](docs/nothing.md)' >>"$tree/README.md"
    expect_failure "a link to no file"
    fresh
    echo '[text](results.md#nothing)' >>"$tree/docs/command.md"
    expect_failure "a link to no heading"
}

case ${1:-} in
--self-test) self_test ;;
--update) check "$here/../.." --update ;;
*) check "${1:-$here/../..}" ;;
esac
