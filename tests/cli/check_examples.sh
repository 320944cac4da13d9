#!/usr/bin/env bash
# trammel new: every mechanism of the library has three lines of purpose and a plot in its head, is written as it stands
# in examples/mechanisms, runs, and the command of its line "Plot:" draws it.
. "$(dirname "$0")/lib.sh"
expect 0 "$trammel" new
names=$(cut -d' ' -f1 out)
[ "$names" = "$(cd "$root/examples/mechanisms" && ls -- *.yaml | sed 's/\.yaml$//')" ] ||
    fail "the list is not that of examples/mechanisms: $names"
for name in $names; do
    expect 0 "$trammel" new "$name"
    cmp -s "$name.yaml" "$root/examples/mechanisms/$name.yaml" || fail "$name.yaml is not the example"
    [ "$(head -3 "$name.yaml" | grep -c '^# .\{40\}')" = 3 ] || fail "$name: not three lines of purpose"
    plot=$(sed -n '4s/^# Plot: trammel //p' "$name.yaml")
    [ -n "$plot" ] || fail "$name: no plot in line 4"
    expect 0 "$trammel" run "$name.yaml" --quiet
    # the arguments are words: channels and -x
    # shellcheck disable=SC2086
    expect 0 "$trammel" $plot --quiet --out "$name.svg"
    grep -q "<polyline\|<path" "$name.svg" || fail "$name: nothing is drawn"
done
expect 2 "$trammel" new four-baar
says err "did you mean 'four-bar'"
echo mine >stewart.yaml
expect 5 "$trammel" new stewart
[ "$(cat stewart.yaml)" = mine ] || fail "trammel new wrote over a file"
finish
