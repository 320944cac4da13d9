#!/usr/bin/env bash
# trammel modes: the table, JSON and CSV tell the same numbers; times, files and their errors.
. "$(dirname "$0")/lib.sh"
cat >spring.yaml <<'END'
trammel: 1
name: Spring
equations:
  coordinates: {x: v, y: w}
  mass: [1, 1]
  force: ["-100*x - 2*v", "-4*y"]
initial: {values: {y: 1}}
simulate: {end: 3}
events:
  later: {when: "t - 1", action: restart}
END
expect 0 "$trammel" modes spring.yaml --out m.csv
says out "Spring: 2 modes" "at rest, but not in equilibrium" "for this instant only" "frequency Hz"
cp out table
expect 0 "$trammel" modes spring.yaml --json --out m.json
cmp out m.json || fail "--json and --out differ"
python3 - <<'END' || bad=1
import csv, json
s = json.load(open("m.json"))
rows = list(csv.DictReader(open("m.csv")))
assert s["at_rest"] and not s["balanced"] and s["states"] == 4 and len(s["modes"]) == len(rows) == 2
for mode, row in zip(s["modes"], rows):
    assert mode["omega"] == float(row["omega [rad/s]"]) and mode["growth"] == float(row["growth [1/s]"])
    assert mode["shape"]["y"] == float(row["shape/y"])
# closed forms: sqrt(4); s^2 + 2 s + 100 = 0
assert abs(s["modes"][0]["omega"] - 2) < 1e-14 and s["modes"][0]["shape"] == {"x": 0, "y": 1}
assert abs(s["modes"][1]["growth"] + 1) < 1e-13 and abs(s["modes"][1]["omega"] - 99**0.5) < 1e-13
END
expect 0 "$trammel" modes spring.yaml --at 1.5 --count 1
says out "t = 1.5 s: moving" "not steady" "Spring: 1 mode"
[ "$(ls)" = "$(ls | grep -v checkpoint)" ] || fail "--at left files of a run"
expect 2 "$trammel" modes spring.yaml --at soon
says err "--at must be a time in seconds, not 'soon'"
expect 2 "$trammel" modes spring.yaml --at -1
says err "lies before the start"
expect 2 "$trammel" modes spring.yaml --count 0
says err "--count must be a whole number"
expect 2 "$trammel" modes spring.yaml --out m.txt
says err "--out must end with .csv or .json"
expect 5 "$trammel" modes spring.yaml --out nowhere/m.csv
says err "cannot write the modes to nowhere/m.csv"
expect 3 "$trammel" modes absent.yaml
expect 1 "$trammel" modes spring.yaml --at 3 --set simulate.max_steps=2
finish
