#!/usr/bin/env bash
# trammel reproduce: verdicts, exit codes, messages, figures, and docs/reproduction.md.
# Usage: check_reproduce.sh PROGRAM
#
# The document is up to date when rows, papers' numbers, verdicts and claims are those of a new one,
# and our medians lie within a quarter (and 3 counts) of the new ones: on another machine chaotic
# counters move, but not that far. Long experiments, and drifts, which move more than that, are
# compared with TRM_REPRODUCE_ALL=1 only; of some the verdicts are looked at, of all the section.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
trammel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work TRM_EXPERIMENTS=$root/experiments
cd "$work"

fail() {
    echo "failed: $*"
    exit 1
}

# expect CODE ARGUMENT...: output in out, messages in err
expect() {
    local wanted=$1 code=0
    shift
    "$trammel" reproduce "$@" >out 2>err || code=$?
    [ "$code" = "$wanted" ] || { cat err; fail "exit $code instead of $wanted: reproduce $*"; }
}

says() { grep -qF -- "$2" "$1" || { cat "$1"; fail "'$2' is missing in $1"; }; }

# ---- verdicts and exit codes ----

expect 0 table-5-2 --json
[ "$(grep -o '"verdict": "reproduced"' out | wc -l)" = 12 ] || fail "Table 5.2 is not reproduced"
says out '"differs": 0, "unconfirmed": 0'
says out '"name": "coordinate-split-table-5-2"'

expect 0 eich-table-3-1 eich-wheelset-2-curved --json
[ "$(grep -o '"verdict": "reproduced"' out | wc -l)" -ge 9 ] || fail "Eich's rows are not reproduced"
says out '"differs": 0, "unconfirmed": 0'

mkdir -p experiments
cp -r "$root/experiments/models" experiments
other=experiments/other.yaml
rows_from() { sed "s/$1/$2/" "$root/experiments/coordinate-split-table-5-2.yaml" >$other; }
rows_from '\[822, ' '[1822, '
expect 1 other --json # the folder here comes before TRM_EXPERIMENTS
says out '"differs": 1'
rows_from '\[822, ' '[1822, '
sed -i 's/^slack:/reason: "a test"\nslack:/' $other
expect 0 $other
says out 'not reproducible [1]'
says out '[1] not reproducible: a test'
rows_from 'below: 1}' 'above: 1}' # evidence that is not true
expect 1 other
says out 'not confirmed: "CS eliminates'

# ---- mistakes ----

expect 2 othr
says err "did you mean 'other'?"
expect 2 --json --markdown
expect 2 --jso
rows_from '^rows:' 'rowz:'
expect 3 other
says err "experiments/other.yaml:"
says err "unknown key 'rowz'; did you mean 'rows'?"
rows_from 'models\/spring-pendulum.yaml' 'models\/nothing.yaml'
expect 3 other
says err 'models/nothing.yaml'
rows_from 'parameters.eps: 1e-5' 'parameters.epz: 1e-5'
expect 3 other
says err epz
expect 3 nothing.yaml
says err 'nothing.yaml'
rm -r experiments
TRM_EXPERIMENTS=$work/none expect 2
says err 'which TRM_EXPERIMENTS names'
if [ -w /dev/full ]; then
    "$trammel" reproduce normal-force >/dev/full 2>err && fail "a full disk was not noticed"
    says err 'cannot write'
fi

# ---- the document and its figures ----

quick=(coordinate-split eich-test-order)
[ -z "${TRM_REPRODUCE_ALL:-}" ] || quick=()
expect 0 --markdown --out figures "${quick[@]}"
for figure in figures/*.svg; do
    says out "($figure)"
    head -c 4 "$figure" | grep -q '<svg' || fail "$figure is no SVG"
done
[ "$(find figures -name 'coordinate-split-figure-5-*' | wc -l)" = 4 ] || fail "figures are missing"
[ -z "$(find . -name 'trammel-*')" ] || fail "temporary files were left"
for file in "$root"/experiments/*.yaml; do
    says "$root/docs/reproduction.md" "<a id=\"$(basename "$file" .yaml)\"></a>"
done
sed -n 's/^!\[.*](\(.*\))$/\1/p' "$root/docs/reproduction.md" | while read -r figure; do
    [ -s "$root/docs/$figure" ] || fail "docs/reproduction.md shows docs/$figure, which is not there"
done

# the part of the document that is about the experiments in `out`
awk 'NR == FNR { if (/^<a id=/) { split($0, part, "\""); known[part[2]] = 1 } next }
     /^<a id=/ { split($0, part, "\""); hidden = !(part[2] in known) }
     /^\| \[.*\]\(#/ { id = $0; sub(/.*\]\(#/, "", id); sub(/\).*/, "", id) }
     /^\| \[.*\]\(#/ && !(id in known) { next }
     !hidden { print }' out "$root/docs/reproduction.md" >document

# skeleton FILE: everything but our numbers; medians FILE: those, one in a line
# where nothing is expected a table has our numbers only
table='/^\| row \|/ { inside = 1; paper = /, paper \|/; wide = /, ours \|/ ? 1 : 2 }
       /^$/ { inside = 0 }'
skeleton() {
    awk -F '|' "$table"'
        /^First failure of/ { next }
        inside { # name, what is expected, ours, expected, ours, ..., verdict
            line = $2
            for (k = 3; k < NF - 1 && paper; k += 2) line = line "|" $k
            sub(/; .*/, "", $(NF - 1))
            print line "|" $(NF - 1)
            next
        }
        / in our range \|$/ || /, with slack [0-9]+ \|$/ { $(NF - 1) = "" }
        { sub(/ Measured: .*/, ""); print }' "$1"
}
medians() {
    awk -F '|' "$table"' inside { for (k = 2 + wide; k < NF - 1; k += wide) print $2 ":" $k }' "$1" |
        sed 's/ *(.*//'
}
diff -B <(skeleton document) <(skeleton out) ||
    fail "docs/reproduction.md is out of date; make reproduction renews it"
paste -d : <(medians document) <(medians out) | awk -F : '
    $2 + 0 < 1e-12 && $4 + 0 < 1e-12 { next } # nothing, or roundoff
    { d = $2 - $4; d = d < 0 ? -d : d; most = $2 > $4 ? $2 + 0 : $4 + 0; seen++ }
    d > 0.25 * most + (most < 1 ? 0 : 3) { print "medians differ: " $0; bad = 1 }
    END { if (seen < 200) print "only " seen " medians were compared"; exit bad || seen < 200 }' ||
    fail "docs/reproduction.md is out of date; make reproduction renews it"
