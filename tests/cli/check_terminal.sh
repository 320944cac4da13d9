#!/usr/bin/env bash
# Texts of others never reach the terminal as commands, and no command writes over what it reads.
. "$(dirname "$0")/lib.sh"

# ---- control characters in names, units, messages, file names, options ----
bell=$(printf 'a\033[31m\007b')
cat >"$bell.yaml" <<'END'
trammel: 1
name: "title \e]0;changed\a \e[31mred\nerror: none"
parameters: {unused: 1}
equations:
  coordinates: {x: v}
  mass: [1]
  force: ["-x"]
  constraints: {}
initial: {values: {x: 1}}
outputs: {o: "x*2"}
units: {x: "m\e[2J", o: "\u009b31m"}
events: {e1: {when: "x - 0.5", log: "message \e[2J\nsecond line"}}
simulate: {end: 2}
END
# clean NAME: neither output of the last command has a control character
clean() {
    LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out err &&
        { fail "control characters printed by $1"; cat -v out err | head -20; }
}
expect 0 "$trammel" check "$bell.yaml"
clean check
says out 'title \x1B]0;changed\x07 \x1B[31mred error: none'
expect 0 "$trammel" run "$bell.yaml" --out "$bell" --csv --summary "$bell.json"
clean run
says out 'a\x1B[31m\x07b/a\x1B[31m\x07b.h5'
LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f]' "$bell.json" && fail "control characters in the summary"
expect 0 "$trammel" run "$bell.yaml" --out "$bell" --progress always
clean "run --progress always"
for command in equilibrium modes; do
    expect 0 "$trammel" $command "$bell.yaml"
    clean $command
done
for result in "$bell/$bell.h5" "$bell/$bell.csv"; do
    expect 0 "$trammel" info "$result"
    clean "info $result"
    says out 'm\x1B[2J' 'message \x1B[2J second line'
    expect 0 "$trammel" plot "$result" -o plot.svg
    clean "plot $result"
    LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f]' plot.svg && fail "control characters in a plot"
done
expect 0 "$trammel" info "$bell/$bell.h5" --names
clean "info --names"
expect 2 "$trammel" run "$bell.yaml" "--$bell"
clean "an unknown option"
expect 2 "$trammel" "$bell"
clean "an unknown command"
expect 3 "$trammel" check "$bell.yaml" --set "$bell=1"
clean "an unknown key"
expect 3 "$trammel" check "missing $bell.yaml"
clean "a missing file"
expect 5 "$trammel" info "missing $bell.h5"
clean "a missing result"

# every print of the commands goes through the console
raw=$(grep -nE '(^|[^a-z_])(printf|fprintf)\(' "$root"/src/program/cli/*.c | grep -v 'cmd_completion.c\|man_page.c\|fprintf(file, "%s\\n", text)')
[ -z "$raw" ] || fail "printf instead of trmi_print: $raw"

# ---- outputs that are inputs ----
good_model >good.yaml
cp good.yaml before
ln -s good.yaml link.yaml
mkdir o
for command in "equilibrium good.yaml --out good.yaml" "equilibrium good.yaml --out ./good.yaml" \
    "equilibrium good.yaml --out link.yaml" "equilibrium link.yaml -o good.yaml" \
    "run good.yaml --summary good.yaml -q" "run good.yaml --summary o/../link.yaml -q"; do
    # shellcheck disable=SC2086 # words
    expect 2 "$trammel" $command
    says err "which is read"
    cmp -s good.yaml before || fail "the model was overwritten: $command"
done
cp good.yaml model.csv
expect 2 "$trammel" run model.csv --csv
says err "model.csv would be written over model.csv"
cmp -s model.csv before || fail "the model was overwritten by its table"
cp good.yaml model.checkpoint
expect 2 "$trammel" run model.checkpoint
cmp -s model.checkpoint before || fail "the model was overwritten by its checkpoint"
expect 2 "$trammel" run good.yaml --out o --csv --summary ./o/good.csv
says err "good.csv would be written over" "give another name or folder"
expect 0 "$trammel" run good.yaml --out o --csv -q
cp o/good.csv table.svg
cp table.svg table.copy
expect 2 "$trammel" plot table.svg
says err "table.svg is the result itself"
expect 2 "$trammel" plot table.svg -o ./table.svg
cmp -s table.svg table.copy || fail "the result was overwritten by its plot"
cp good.yaml modes.json
expect 2 "$trammel" modes modes.json --out modes.json
cmp -s modes.json before || fail "the model was overwritten by its modes"

# ---- nor over a file that the model, the study or the optimisation names ----
printf 's,z\n0,0\n1,0.1\n9,0.2\n' >road.csv
cat >part.yaml <<'END'
trammel: 1
tables: {road: {file: road.csv, x: s, y: z}}
END
cat >road.yaml <<'END'
trammel: 1
include: part.yaml
parameters: {k: 1}
equations: {coordinates: {x: v}, mass: [1], force: ["-k*x + table(road, t)"]}
initial: {values: {x: 1}}
simulate: {end: 1}
END
printf 'trammel-study: 1\nmodel: road.yaml\nparameters: {k: [1, 2]}\nrecord: {end: [x]}\n' >road-study.yaml
printf 'trammel-study: 1\nmodel: road.yaml\npoints: points.csv\nrecord: {end: [x]}\n' >points.yaml
printf 'k\n1\n2\n' >points.csv
printf 't,x\n0,1\n0.5,0.9\n1,0.6\n' >data.csv
cat >fit.yaml <<'END'
trammel-optimization: 1
model: road.yaml
parameters: {k: {start: 1.1, min: 0.5, max: 2}}
fit: {data: data.csv, time: t, channels: {x: x}}
END
cat road.csv part.yaml road.yaml road-study.yaml points.yaml points.csv data.csv fit.yaml >all-before
for command in "run road.yaml --csv" "run road.yaml --summary road.csv" "run road.yaml --summary part.yaml" \
    "equilibrium road.yaml --out part.yaml" "modes road.yaml --out road.csv" "check road.yaml --pattern road.csv" \
    "sweep road-study.yaml --out road.csv --replace" "sweep road-study.yaml --report road.yaml" \
    "sweep road-study.yaml --report part.yaml" "sweep points.yaml --replace" "sweep points.yaml --out p.csv --report points.csv" \
    "optimize fit.yaml --report fit.yaml" "optimize fit.yaml --report road.yaml" "optimize fit.yaml --summary data.csv" \
    "optimize fit.yaml --report road.csv"; do
    # shellcheck disable=SC2086 # words
    expect 2 "$trammel" $command
    grep -q "which is read\|would be written over" err || fail "$command: $(cat err)"
    cat road.csv part.yaml road.yaml road-study.yaml points.yaml points.csv data.csv fit.yaml | cmp -s - all-before ||
        fail "a file was overwritten: $command"
done
expect 0 "$trammel" run road.yaml --csv --out elsewhere -q
expect 0 "$trammel" sweep road-study.yaml --out r.csv --report r.html -q
expect 0 "$trammel" optimize fit.yaml --report f.html --summary f.json -q
finish
