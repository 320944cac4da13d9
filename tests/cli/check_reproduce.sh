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
[ "$(grep -o '"verdict": "reproduced"' out | wc -l)" -ge 7 ] || fail "Eich's rows are not reproduced"
[ "$(grep -o '"verdict": "agrees"' out | wc -l)" = 4 ] || fail "the curved track does not agree"
says out '"differs": 0, "unconfirmed": 0'

mkdir -p experiments
cp -r "$root/experiments/models" "$root/experiments/papers" experiments
other=experiments/other.yaml
rows_from() { sed "s/$1/$2/" "$root/experiments/coordinate-split-table-5-2.yaml" >$other; }
rows_from '^slack: ' 'slack: '
sed -i 's/\[822, /[1822, /' experiments/papers/yen-petzold-1996.yaml
expect 1 other --json # the folder here comes before TRM_EXPERIMENTS
says out '"differs": 1'
says out '"compared_with_papers": {"rows": 12, '
sed -i 's/^slack:/reason: "a test"\nslack:/' $other
expect 0 $other
says out 'not reproducible [1]'
says out '[1] not reproducible: a test'
says out '60 printed, 60 compared, '
says out 'reproduced in part'
cp "$root/experiments/papers/yen-petzold-1996.yaml" experiments/papers
rows_from 'below: 1}' 'above: 1}' # evidence that is not true
expect 1 other
says out 'not confirmed: "CS eliminates'

# ---- what is compared with what ----

# the last table: every number once, and nothing fails where the paper's data are unknown
rows_from '^slack: ' 'slack: '
cp $other experiments/again.yaml
expect 3 other again
says err 'is judged by row'
rm experiments/again.yaml
expect 0 other --json
says out '"name": "Table 5.2", '
says out '"compared": 60, '
expect 0 "$root/experiments/coordinate-split-test-consistency.yaml"
says out 'not in the paper, compared with our own computations'
says out '12 of 16 rows agree'
says out 'disagrees as explained [1]'
rows_from 'verdict: holds$' 'verdict: fails'
sed -i 's/^table:/unknown: the mass\ntable:/' $other
expect 3 other
says err "the paper does not print the mass: a claim 'cannot be decided' then"

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
rows_from 'papers\/yen-petzold-1996.yaml' 'papers\/nothing.yaml'
expect 3 other
says err 'papers/nothing.yaml'
rows_from 'printed: "TOL 1e-4, eps 1e-4, GGL"' 'printed: "TOL 1e-5"'
expect 3 other
says err "Table 5.2 has no row 'TOL 1e-5'"
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

quick=(arnold-figures coordinate-split eich-test-order)
[ -z "${TRM_REPRODUCE_ALL:-}" ] || quick=()
expect 0 --markdown --out figures "${quick[@]}"
for figure in figures/*.svg; do
    says out "($figure)"
    head -c 4 "$figure" | grep -q '<svg' || fail "$figure is no SVG"
done
[ "$(find figures -name 'coordinate-split-figure-5-*' | wc -l)" = 4 ] || fail "figures are missing"
[ -z "$(find . -name 'trammel-*')" ] || fail "temporary files were left"
says "$root/docs/reproduction.md" '## Tables and figures of the papers'
grep -h '  - name: \|{name: ' "$root"/experiments/papers/*.yaml | sed 's/.*name: "\?\([^",}]*\).*/\1/' |
    while read -r name; do
        says "$root/docs/reproduction.md" "| $name"
    done
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
        /^<a id="papers">/ { papers = 1 } # counts of all experiments, of which some are here
        papers && /^<a id=/ && !/"papers"/ { papers = 0 }
        papers || /^\| all \|/ { next }
        /, with slack [0-9]+ \|/ { $6 = "" }
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
