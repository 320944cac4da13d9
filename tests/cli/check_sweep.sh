#!/usr/bin/env bash
# Studies: rows, their order, failures, going on after kills, mistakes in study files.
. "$(dirname "$0")/lib.sh"
good_model >good.yaml
sed -i 's/^parameters:.*/parameters: {g: 9.81, k: 1}/; s/force: \[0, "-g"\]/force: [0, "-g*sqrt(k)"]/; s/g\*y/g*sqrt(k)*y/; s/end: 10/end: 1/' good.yaml

study() {
    cat <<'END'
trammel-study: 1
model: good.yaml
parameters:
  g: {from: 8, to: 10, count: 21}
  k: [0.25, 1, -1]
record:
  end: [x, velocity/vy]
  maximum: [y]
  channels: [y, velocity/vy]
  times: 5
END
}
study >s.yaml

# the same rows for any number of jobs; a failed run is a row
expect 0 "$trammel" sweep s.yaml -j 1 -o one.csv
says out "63 of 63 runs done" "21 runs have an exit code other than 0"
expect 0 "$trammel" sweep s.yaml -j 4 -o four.csv
cmp -s one.csv four.csv || fail "-j 4 gives other rows than -j 1"
[ "$(wc -l <one.csv)" = 64 ] || fail "not one line per run"
says one.csv "run,g,k,status,exit_code,trusted,t [s],steps,x,vy,maximum(y),channel(y),channel(vy),message,fingerprint" "FORCE of y is nan"
[ "$(grep -c ',failed,4,' one.csv)" = 21 ] || fail "k = -1 has no start, which rows must have"

# the same in HDF5, and a page
expect 0 "$trammel" sweep s.yaml -o one.csv --report page.html
says page.html "63 of 63, 21 with an exit code other than 0" "variance of x by" "g 0." "Parallel coordinates" "largest vy" "95 %"
h5py= # a Python that has it
for python in python3 /usr/bin/python3; do
    $python -c 'import h5py' 2>/dev/null || continue
    h5py=$python
    $python - >out 2>err <<'END' || fail "one.study.h5: $(cat err)"
import csv, h5py, math
file, rows = h5py.File("one.study.h5"), list(csv.DictReader(open("one.csv")))
assert file.attrs["format"] == "trammel study"
names = {"parameter": ["g", "k"], "recorded": ["x", "vy", "maximum(y)"], "outcome": ["exit_code", "steps"]}
for group, columns in names.items():
    for name in columns:
        for a, b in zip(file[group][name][:], rows):
            assert a == float(b[name]) or math.isnan(a) and b[name] == "nan", name
assert [s.decode() for s in file["outcome/message"][:]] == [row["message"] for row in rows]
assert list(file["time"]) == [0, 0.25, 0.5, 0.75, 1] and file["channel/y"].shape == (63, 5)
for name in ["y", "vy"]:
    for values, row in zip(file["channel"][name][:], rows):
        for a, b in zip(values, row["channel(%s)" % name].split(" "), strict=True):
            assert a == float(b) or math.isnan(a) and b == "nan", name
assert all(a == b or math.isnan(a) for a, b in zip(file["channel/vy"][:, 4], file["recorded/vy"][:]))
assert file["channel/y"].dims[1][0] == file["time"]
# a pendulum that starts from rest at x = 1: v^2 = vy^2/(1 - y^2) = -2 g sqrt(k) y, to the tolerance 1e-6 of the
# run over its steps
for y, vy, g, k in zip(file["channel/y"][:], file["channel/vy"][:], file["parameter/g"][:], file["parameter/k"][:]):
    assert k < 0 or max(abs(vy**2 + 2*g*math.sqrt(k)*y*(1 - y**2))) < 1e-3
assert len(file["run"]) == len(rows) == 63 and file["recorded/x"].chunks
END
    break
done

# a point of the page leads to the command of its run, which gives the values of its row
sed 's/^record/settings: {simulate.tolerance: 1e-7, name: "A '"'"'study'"'"'"}\nrecord/' s.yaml >settled.yaml
expect 0 "$trammel" sweep settled.yaml --report page.html --set simulate.end=0.5
says page.html "Scatter matrix" '<a href="#run-4"><circle' '<title>run 4</title>'
python3 - >command 2>err <<'END' || fail "page.html: $(cat err)"
import xml.etree.ElementTree as tree
page = tree.parse("page.html").getroot()
ids = {e.get("id") for e in page.iter() if e.get("id")}
links = [e.get("href") for e in page.iter() if e.tag.endswith("}a")]
# of 63 runs 21 have failed: they have no points with what is recorded, but with g over k
assert len(links) == 63 + 9 * 42, len(links)
assert all(link[1:] in ids for link in links)
row = [e for e in page.iter() if e.get("id") == "run-4"][0]
print("".join(row.itertext())[1:].replace("trammel run", '"$trammel" run -q --no-hdf5 --no-checkpoint --no-verify --summary s.json').replace("--view", ""))
END
says command "--set simulate.end=0.5 --set simulate.tolerance=1e-7"
eval "$(cat command)" >out 2>err || fail "the command of the page: $(cat command err)"
x=$(sed -n 's/^4,8.1,0.25,done,0,1,0.5,[0-9]*,\([^,]*\),.*/\1/p' settled.csv)
[ -n "$x" ] && grep -qF -- "$x" s.json || fail "x at the end of run 4 is '$x', but not in the summary of the command on the page"

# pages of the viewer for the extreme runs, which the report leads to
if ls "$root"/viewer/node_modules >/dev/null 2>&1; then
    sed '/channels/d; /times/d' s.yaml >viewed.yaml
    expect 0 "$trammel" sweep viewed.yaml --report viewed.html --views 3
    expect 2 "$trammel" sweep viewed.yaml --views 3
    says err "--views are pages beside that of --report"
    python3 - 2>err <<'END' || fail "viewed.html: $(tail -1 err)"
import csv, glob, re
links = set(re.findall('<a href="(viewed.run-[0-9]+.html)">open</a>', open("viewed.html").read()))
assert links == set(glob.glob("viewed.run-*")) and len(links) == 3, links
rows = [row for row in csv.DictReader(open("viewed.csv")) if row["x"] != "nan"]
lowest = min(rows, key=lambda row: float(row["x"]))["run"]
assert "viewed.run-%s.html" % lowest in links, lowest
END
fi

# a row is what trammel run gives
"$trammel" run good.yaml -q --no-hdf5 --no-checkpoint --no-verify --set parameters.g=8.1 --set parameters.k=0.25 --summary s.json
x=$(sed -n 's/^4,8.1,0.25,done,0,1,1,[0-9]*,\([^,]*\),.*/\1/p' one.csv)
[ -n "$x" ] && grep -qF -- "$x" s.json || fail "x at the end of run 4 is '$x', but not in the summary of trammel run"

# the name of a rotation is what it is in formulas: a body that spins with w about z has turned by w t. Its coordinates
# are parameters about a centre that moves along, which only their whole names mean
cat >top.yaml <<'END'
trammel: 1
parameters: {w: 3}
mechanism:
  bodies: {b: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
  joints: {f: {free: {between: [ground, b]}, start: {spin: [0, 0, "w"]}}}
simulate: {end: 1, tolerance: 1e-8}
END
printf 'trammel-study: 1\nmodel: top.yaml\nparameters: {w: [0.5, 3]}\n' >spin.yaml
printf 'record: {end: [f_rotation_z], maximum: [f_rotation_z], channels: [f_rotation_z], times: 3}\n' >>spin.yaml
expect 0 "$trammel" sweep spin.yaml --report page.html
python3 - 2>err <<'END' || fail "spin.csv: $(tail -1 err)"
import csv
for row in csv.DictReader(open("spin.csv")):
    w = float(row["w"])
    values = [row["f_rotation_z [rad]"], row["maximum(f_rotation_z) [rad]"], row["channel(f_rotation_z) [rad]"].split()[2]]
    assert all(abs(float(x) - w) < 1e-6 for x in values), (w, values)  # a hundred times the tolerance
END
says page.html "--set outputs.f_rotation_z=f_rotation_z"
sed -i 's/record.*/record: {end: ["f_[xr]*", position\/f_rotation_z]}/' spin.yaml
expect 0 "$trammel" sweep spin.yaml -o spin2.csv
[ "$(head -1 spin2.csv | cut -d, -f8-)" = "position/f_x [m],f_x_rate [m/s],acceleration/f_x [m/s^2],f_rotation_z [rad],message,fingerprint" ] ||
    fail "what f_[xr]* means: $(head -1 spin2.csv)"
sed -i '/record/d' spin.yaml
expect 0 "$trammel" sweep spin.yaml -o spin3.csv
says spin3.csv "b_e3"
printf 'trammel-optimization: 1\nmodel: top.yaml\nparameters: {w: {start: 2.5, min: 0.5, max: 6}}\nfit: {data: turned.csv, channels: {f_rotation_z: z}}\n' >seek.yaml
printf 't,z\n0,0\n0.5,1\n1,2\n' >turned.csv
expect 0 "$trammel" optimize seek.yaml
says out "w  " " 2"

# all numbers of the summary are those of trammel run --energy; the torque of 0.5 does the work 0.5 (angle - start)
printf 'trammel-study: 1\nmodel: %s\nsettings: {simulate.end: 0.2}\nparameters: {torque: [0.5, 0.6]}\n' "$root/examples/slider-crank.yaml" >slider.yaml
printf 'record: {end: [shaft_angle], summary: ["*"]}\n' >>slider.yaml
expect 0 "$trammel" sweep slider.yaml
expect 0 "$trammel" run "$root/examples/slider-crank.yaml" --energy -q --no-hdf5 --no-checkpoint --no-verify --set simulate.end=0.2 --summary s.json
python3 - 2>err <<'END' || fail "slider.csv: $(tail -1 err)"
import csv, json, math
row, summary, numbers = list(csv.DictReader(open("slider.csv")))[0], json.load(open("s.json")), 0
for key in row:
    if key.startswith("summary("):
        numbers += 1
        assert float(row[key]) == summary[key[8:-1]], key
assert numbers > 20, numbers
work, angle = float(row["summary(energy_work)"]), float(row["shaft_angle [rad]"])
assert abs(work - 0.5*(angle - math.pi/3)) < 1e-6*work, (work, angle)
END
# equations have no powers to be balanced
printf 'trammel-study: 1\nmodel: good.yaml\nparameters: {g: [9, 10]}\nrecord: {summary: [energy_defect]}\n' >unbalanced.yaml
expect 0 "$trammel" sweep unbalanced.yaml
[ "$(tail -n +2 unbalanced.csv | cut -d, -f8 | sort -u)" = nan ] || fail "an energy balance of a model that has none: $(cat unbalanced.csv)"

# nothing is left to do; what a kill leaves is completed: rows in any order and a piece of one
expect 0 "$trammel" sweep s.yaml -o one.csv
says out "63 were there"
(head -1 one.csv; tail -20 one.csv | tac; printf '5,8.1,1,do') >cut.csv
expect 0 "$trammel" sweep s.yaml -o cut.csv -j 2
says out "20 were there"
cmp -s one.csv cut.csv || fail "a study that was cut off ends with other rows"

# killed while it runs: whatever is there goes on to the same table
sed 's/count: 21/count: 1001/' s.yaml >long.yaml
"$trammel" sweep long.yaml -q -j 2 -o killed.csv &
pid=$!
while [ ! -s killed.csv ] || [ "$(wc -l <killed.csv)" -lt 50 ]; do
    kill -0 $pid 2>/dev/null || break
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
expect 0 "$trammel" sweep long.yaml -j 2 -o killed.csv
expect 0 "$trammel" sweep long.yaml -j 1 -o through.csv
cmp -s killed.csv through.csv || fail "a killed study ends with other rows"

# killed later: the HDF5 file has the rows of a moment before, as they are in the table
if [ -n "$h5py" ]; then
    sed 's/count: 21/count: 300001/' s.yaml >longer.yaml
    "$trammel" sweep longer.yaml -q -j 2 -o saved.csv &
    pid=$!
    while [ ! -e saved.study.h5 ] && kill -0 $pid 2>/dev/null; do sleep 0.1; done
    kill -9 $pid || fail "the study came to its end without an HDF5 file"
    wait $pid 2>/dev/null
    $h5py - 2>err <<'END' || fail "saved.study.h5: $(tail -1 err)"
import csv, h5py
rows = {int(row["run"]): row for row in csv.DictReader(open("saved.csv")) if row["fingerprint"]}
file = h5py.File("saved.study.h5")
assert len(file["run"]) > 0
for run, fingerprint in zip(file["run"][:], file["outcome/fingerprint"][:]):
    assert rows[int(run)]["fingerprint"] == fingerprint.decode(), run
END
fi

# interrupted (a script ignores SIGINT for jobs in the background): 130, and the rows are in order
"$trammel" sweep long.yaml -q -j 2 -o stopped.csv 2>err &
pid=$!
while [ ! -s stopped.csv ]; do kill -0 $pid 2>/dev/null || break; done # it has rows: it runs
kill -TERM $pid 2>/dev/null
wait $pid
code=$?
[ $code = 130 ] || [ $code = 0 ] || fail "exit code $code after SIGTERM"
cut -d, -f1 stopped.csv | tail -n +2 | sort -cn || fail "the rows of an interrupted study are not in order"

# a study that has grown does the new runs alone; rows of others are not lost silently
sed 's/k: .*/k: [0.25, 0.5, 1, -1]/' s.yaml >grown.yaml
cp one.csv grown.csv
expect 0 "$trammel" sweep grown.yaml -o grown.csv
says out "63 were there" "84 of 84 runs done"
expect 5 "$trammel" sweep s.yaml -o grown.csv
says err "21 rows that are not of this study" "--replace"
[ "$(wc -l <grown.csv)" = 85 ] || fail "the refused table has changed"
expect 0 "$trammel" sweep s.yaml -o grown.csv --replace
cmp -s one.csv grown.csv || fail "--replace gives other rows"
expect 5 "$trammel" sweep s.yaml -o one.csv --set simulate.tolerance=1e-7
says err "63 rows that are not of this study"
expect 2 "$trammel" sweep s.yaml -o good.yaml
says err "would overwrite good.yaml, which is read"
cp good.yaml other.csv
expect 5 "$trammel" sweep s.yaml -o other.csv
says err "has other columns than this study"
cmp -s good.yaml other.csv || fail "a file with other columns was changed"
# a power failure has left a block of zeros in the middle: the runs from there on are done again
/usr/bin/python3 - <<'END'
with open("one.csv", "rb") as file:
    data = bytearray(file.read())
at = len(data) // 2
data[at:at + 100] = bytes(100)
with open("zeros.csv", "wb") as file:
    file.write(data)
END
expect 0 "$trammel" sweep s.yaml -o zeros.csv -q
cmp -s one.csv zeros.csv || fail "after a block of zeros the study ends with other rows"

# limits: a stiff spring takes 10^9 steps, and is a row; with another limit it alone is done again
cat >spring.yaml <<'END'
trammel: 1
parameters: {k: 1}
equations: {coordinates: {x: v}, mass: [1], force: ["-k*x"]}
initial: {values: {x: 1}}
simulate: {end: 1, tolerance: 1e-6}
END
printf 'trammel-study: 1\nmodel: spring.yaml\nparameters: {k: [1, 1e24, 4]}\nlimit: {steps: 1000}\n' >limited.yaml
expect 0 "$trammel" sweep limited.yaml
[ "$(cut -d, -f3,4 limited.csv | tr '\n' ' ')" = "status,exit_code done,0 limit,1 done,0 " ] || fail "limit.steps: $(cat limited.csv)"
cp limited.csv limited-1000.csv
sed -i 's/1000/2000/' limited.yaml
expect 0 "$trammel" sweep limited.yaml
says out "2 were there" "1 in "
[ "$(cut -d, -f7 limited.csv | sed -n 3p)" = 2000 ] || fail "another limit: $(cat limited.csv)"
expect 0 "$trammel" sweep limited.yaml
says out "3 were there"
sed -i 's/limit: .*/limit: {seconds: 0.1}/' limited.yaml
expect 0 "$trammel" sweep limited.yaml
says limited.csv "the run has taken the 0.1 s of processor time that the study allows"
[ "$(sed '/limit/d; s/,[0-9a-f]*$//' limited.csv)" = "$(sed '/limit/d; s/,[0-9a-f]*$//' limited-1000.csv)" ] || fail "a limit changes other rows"

# a table that the model names decides rows as its text does
printf 's,f\n-2,-2\n2,2\n' >curve.csv
sed 's/^equations/tables: {spring: {file: curve.csv, x: s, y: f}}\nequations/; s/-k\*x/-k*table(spring, x)/' spring.yaml >tabled.yaml
printf 'trammel-study: 1\nmodel: tabled.yaml\nparameters: {k: [1, 4]}\n' >tabulated.yaml
expect 0 "$trammel" sweep tabulated.yaml
printf 's,f\n-2,-2\n2,2.5\n' >curve.csv
expect 5 "$trammel" sweep tabulated.yaml
says err "2 rows that are not of this study"

# and so does a tyre file
cp "$root"/examples/vehicles/saloon.yaml "$root"/examples/vehicles/saloon.tir .
printf 'trammel-study: 1\nmodel: saloon.yaml\nsettings: {simulate.end: 0.001}\nparameters: {speed: [24]}\n' >driven.yaml
expect 0 "$trammel" sweep driven.yaml
printf '\n$ changed\n' >>saloon.tir
expect 5 "$trammel" sweep driven.yaml
says err "1 row that is not of this study"

# samples: the seed decides, not the jobs
cat >sampled.yaml <<'END'
trammel-study: 1
model: good.yaml
parameters: {g: {mean: 9.81, deviation: 0.1}, k: {from: 0.5, to: 2, spacing: logarithmic}}
sampling: {method: METHOD, runs: 16, seed: SEED}
record: {end: [y]}
END
for method in random latin-hypercube sobol saltelli; do
    for seed in 1 2; do
        sed "s/METHOD/$method/; s/SEED/$seed/" sampled.yaml >m.yaml
        expect 0 "$trammel" sweep m.yaml -j 3 -o $method-$seed.csv
    done
    cmp -s $method-1.csv $method-2.csv && fail "$method: the seed changes nothing"
done
cut -d, -f2,3 random-1.csv >points.csv
printf 'trammel-study: 1\nmodel: good.yaml\npoints: points.csv\nrecord: {end: [y]}\n' >p.yaml
expect 0 "$trammel" sweep p.yaml -o p.csv
cmp -s p.csv random-1.csv || fail "points from a file give other rows than the samples they are"

# a run that ends earlier than the model has its channels up to there; other times are other rows
sed 's/k: 1}/k: 1, last: 1}/; s/end: 1,/end: "last",/' good.yaml >lasting.yaml
cat >early.yaml <<'END'
trammel-study: 1
model: lasting.yaml
parameters: {last: [0.6, 1, 2]}
record: {channels: [y], times: 5}
END
expect 0 "$trammel" sweep early.yaml
nans=$(cut -d, -f8 early.csv | tail -n +2 | awk '{n = 0; for (i = 1; i <= NF; i++) n += $i == "nan"; printf "%d of %d, ", n, NF}')
[ "$nans" = "2 of 5, 0 of 5, 0 of 5, " ] || fail "values of runs that end at 0.6, 1, 2 that are not there: $nans"
sed 's/times: 5/times: 6/' s.yaml >other.yaml
expect 5 "$trammel" sweep other.yaml -o one.csv
says err "63 rows that are not of this study"

# a model that always fails
study | sed 's/k: .*/k: [-1]/' >never.yaml
expect 1 "$trammel" sweep never.yaml -o never.csv
says err "all runs failed"
[ "$(wc -l <never.csv)" = 22 ] || fail "failed runs are rows"

# formulas of numbers, and the same rows as with the numbers themselves
study | sed 's/from: 8, to: 10/from: "2^3", to: "20\/2"/' >formulas.yaml
expect 0 "$trammel" sweep formulas.yaml -q
cmp formulas.csv one.csv || fail "formulas give other rows than numbers"
expect 2 "$trammel" sweep formulas.yaml --split
says err "--split has a table for each rank of a launcher, and there is one rank"

# mistakes, with their places
wrong() { # SED TEXT...
    study | sed "$1" >w.yaml
    shift
    expect 3 "$trammel" sweep w.yaml -o w.csv
    says err "$@"
    [ -e w.csv ] && fail "a table of a wrong study"
}
wrong 's/  k: /  K: /' "w.yaml:5:3: error: the model has no parameter 'K'; did you mean 'k'?"
wrong 's/  k: /  simulate.end: /' "a key of the model changes by a parameter in its place"
wrong 's/record/recrod/' "w.yaml:6:1: error: unknown key 'recrod'; did you mean 'record'?"
wrong 's/model: .*/model: none.yaml/' "w.yaml:2:8: error: cannot read 'none.yaml': No such file"
wrong 's/\[x, /[xx, /' "w.yaml:7:9: error: the model has no channel 'xx'; did you mean 'x'?"
wrong 's/channels: .y/channels: [yy/' "w.yaml:9:14: error: the model has no channel 'yy'; did you mean 'y'?"
wrong 's/  end: .*/  summary: [newton_iteration]/' "w.yaml:7:13: error: a study can record no number of the summary 'newton_iteration'; did you mean 'newton_iterations'?"
wrong 's/  end: .*/  summary: [wall_seconds]/' "w.yaml:7:13: error: a study can record no number of the summary 'wall_seconds'"
wrong 's/times: 5/times: 1/' "w.yaml:10:10: error: 'times' must be 2 .. 7500, not 1"
wrong 's/times: 5/times: 5000/' "w.yaml:9:3: error: 2 channels at 5000 times: a run has 10003 values, and at most 7500 can be recorded"
wrong '/channels/d' "w.yaml:9:3: error: 'times' is for 'channels', and there are none"
wrong 's/count: 21/count: 1/' "w.yaml:4:31: error: one value of a range from 8 to 10: which one?"
wrong 's/, count: 21//' "w.yaml:4:3: error: a range in a grid or list needs 'count'"
wrong 's/from: 8, to: 10, count: 21/mean: 8, deviation: 1/' "a normal distribution is sampled: give sampling.method"
wrong 's/^record/sampling: {method: sobol, runs: 4}\nrecord/' "w.yaml:4:31: error: 'count' is for grids and lists"
wrong 's/^record/sampling: {method: list}\nrecord/' "'k' has 3 values, and 'g' has 21"
wrong 's/k: .*/k: [fast]/' "'fast' has no value in this file: a formula here is one of numbers"
wrong 's/from: 8,/from: "8*k",/' "w.yaml:4:16: error: 'k' has no value in this file: a formula here is one of numbers"
wrong 's/from: 8,/from: "1\/0",/' "'1/0' is no finite number"
wrong 's/^record/settings: {parameters.k: 2}\nrecord/' "w.yaml:6:12: error: 'k' is varied by the study"
wrong 's/^record/settings: {simulate: {end: 2}}\nrecord/' "'simulate' must be a number or a word; write its path out, as of --set"
wrong 's/^record/settings: {simulate.ende: 2}\nrecord/' "w.yaml:6:12: error: unknown key 'ende'; did you mean 'end'?"
wrong 's/^record/settings: {simulate.tolerance: abc}\nrecord/' "w.yaml:6:32: error: 'abc' is not defined"
wrong 's/^record/settings: {simulate.end: "1 + abc"}\nrecord/' "w.yaml:6:31: error: 'abc' is not defined"
expect 3 "$trammel" sweep s.yaml -o w.csv --set simulate.ende=2 # which is not in the study
says err "--set simulate.ende=2: error: unknown key 'ende'"
wrong 's/from: 8, to: 10, count: 21/from: 8, to: 10, mean: 9/' "w.yaml:4:7: error: 'from' beside 'mean': a range has 'from' and 'to', a normal distribution 'mean' and 'deviation'"
wrong 's/from: 8, to: 10, count: 21/mean: 9/' "w.yaml:4:3: error: a normal distribution needs 'mean' and 'deviation'"
wrong 's/^record/limit: {seconds: 0}\nrecord/' "w.yaml:6:18: error: 'seconds' must be positive, not 0"
wrong 's/^record/limit: {steps: 9}\nsettings: {simulate.max_steps: 8}\nrecord/' "'simulate.max_steps' beside 'limit.steps'"
wrong 's/count: 21/count: 1000000000/; s/  k: /  k: /' "the grid has 3e+09 runs"
sed 's/METHOD/sobol/; s/SEED/0/; s/, runs: 16//' sampled.yaml >m.yaml
expect 3 "$trammel" sweep m.yaml -o w.csv
says err "sampling needs 'runs'"
sed 's/METHOD/random/; s/SEED/0/; s/to: 2/to: 0.1/' sampled.yaml >m.yaml
expect 3 "$trammel" sweep m.yaml -o w.csv
says err "'to' is 0.1 and must be larger than 'from', 0.5"
sed 's/METHOD/random/; s/SEED/0/; s/from: 0.5/from: -0.5/' sampled.yaml >m.yaml
expect 3 "$trammel" sweep m.yaml -o w.csv
says err "both ends must be positive"
printf 'g\n1\nx\n' >points.csv
expect 3 "$trammel" sweep p.yaml -o w.csv
says err "points.csv:3:1: error: there is no number for 'g' but 'x'"
printf '# g and k\ng, k\n\n1, 2\n3\n' >points.csv
expect 3 "$trammel" sweep p.yaml -o w.csv
says err "points.csv:5:1: error: the line has 1 value for 2 columns"
printf '\xef\xbb\xbfg, kk\r\n1, 2\r\n' >points.csv # a byte order mark is no column
expect 3 "$trammel" sweep p.yaml -o w.csv
says err "points.csv:1:4: error: the model has no parameter 'kk'; did you mean 'k'?"
printf 'g,g\n1,2\n' >points.csv
expect 3 "$trammel" sweep p.yaml -o w.csv
says err "points.csv:1:3: error: the file has two columns 'g'"
: >points.csv
expect 3 "$trammel" sweep p.yaml -o w.csv
says err "p.yaml:3:9: error: points.csv is empty"

# a study is not a model, and a model no study
expect 3 "$trammel" run s.yaml
says err "s.yaml:1:1: error: this file is a study: trammel sweep takes it"
[ "$(grep -c error err)" = 1 ] || fail "more than one error: $(cat err)"
expect 3 "$trammel" sweep good.yaml
says err "good.yaml:1:1: error: this file is a model: trammel run takes it"

# a table that an editor has given other line ends is still the table of the study
sed 's/$/\r/' one.csv >returns.csv
expect 5 "$trammel" sweep s.yaml -o returns.csv
says err "returns.csv has the columns of this study, but lines that end with \r\n (CR LF)" "sed -i 's/\r\$//' returns.csv"
eval "$(grep -o "sed -i .* returns.csv" err)"
expect 0 "$trammel" sweep s.yaml -o returns.csv
says out "63 were there"
cmp -s returns.csv one.csv || fail "a table with its line ends turned back gives other rows"

# what is not a file cannot be a table; messages that cannot be written are a failure
expect 5 "$trammel" sweep s.yaml -o /dev/full
says err "cannot write /dev/full: it is not a file"
expect 5 "$trammel" sweep s.yaml -o .
says err "cannot write .: it is a folder"
"$trammel" sweep s.yaml -o one.csv >/dev/full 2>err
[ $? = 5 ] || fail "messages to a full device are not a failure"

# a full disk ends it with the rows that fit
(ulimit -f 100; expect 5 "$trammel" sweep long.yaml -o full.csv -j 2; says err "cannot write full.csv: File too large"
    says out "failed, $(($(wc -l <full.csv) - 1)) of 3003 runs are in the table"; exit $bad) || bad=1
tail -c 1 full.csv | od -c | grep -q '\\n' || fail "a full disk leaves a piece of a line"
expect 0 "$trammel" sweep long.yaml -o full.csv -j 2
cmp -s full.csv through.csv || fail "after a full disk the study ends with other rows"

joined() { # the rows of all parts, each once
    cat "$1".[0-9]*.csv | head -1
    tail -q -n +2 "$1".[0-9]*.csv | sort -nu
}

# lose_keeper RANKS LAUNCHER...: s.yaml in parts named lost; while rank 1 has a block of runs, the process between it and
# its worker is killed. The worker is stopped before, so that the block cannot be done; rank 2, if any, comes after that.
lose_keeper() {
    local ranks=$1 keeper='' worker='' pid code
    local sweep=("$trammel" sweep s.yaml -q -o lost.csv --split)
    local second=(: -n 1 sh -c 'until [ -e go ]; do sleep 0.05; done; exec "$@"' sh "${sweep[@]}")
    [ "$ranks" = 3 ] || second=()
    shift
    rm -f go rank lost.*
    timeout 1800 "$@" -n 1 "${sweep[@]}" -j 0 : -n 1 sh -c 'echo $$ >rank; exec "$@"' sh "${sweep[@]}" "${second[@]}" >out 2>err &
    pid=$!
    until [ -n "$worker" ]; do
        kill -0 $pid 2>/dev/null || break
        keeper=$([ -s rank ] && pgrep -P "$(cat rank)") && worker=$(pgrep -P "$keeper") || sleep 0.05
    done
    kill -STOP "$worker" && touch go
    until [ -e lost.1.csv ]; do # it has a block
        kill -0 $pid 2>/dev/null || break
        sleep 0.05
    done
    kill -9 "$keeper" || fail "there is nothing between rank 1 and its worker"
    wait $pid
    code=$?
    if [ "$ranks" = 3 ]; then
        [ $code = 0 ] || fail "exit code $code after all workers of a rank were killed: $(head -5 err)"
        says err "warning: rank 1: 1 of 1 workers was killed"
        joined lost | cmp -s - one.csv || fail "after all workers of a rank were killed there are other rows"
        [ "$(wc -l <lost.1.csv)" = 1 ] || fail "a stopped worker has done runs"
    else
        [ $code = 5 ] || fail "exit code $code after all workers were killed: $(head -5 err)"
        says err "all workers were killed" "the same command goes on"
    fi
}

# over MPI the same rows, also when the process of a worker is killed
if command -v mpirun >/dev/null && "$trammel" version --features | grep -q '^mpi .*openmpi'; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # ignored by others than Open MPI
    oversubscribe=$(mpirun --version 2>&1 | grep -q "Open MPI" && echo --oversubscribe)
    expect 0 mpirun $oversubscribe -n 3 "$trammel" sweep s.yaml -o mpi.csv
    says out "63 of 63 runs done"
    cmp -s one.csv mpi.csv || fail "mpirun -n 3 gives other rows"
    mpirun $oversubscribe -n 3 "$trammel" sweep long.yaml -q -o mpi-killed.csv >out 2>err &
    pid=$!
    # a worker is the child of a keeper, which is the child of a rank; as soon as all three are there
    ranks= workers=
    until [ "$(wc -w <<<"$workers")" -ge 3 ]; do
        kill -0 $pid 2>/dev/null || { fail "the study ended before its workers were found" && break; }
        ranks=$(pgrep -P $pid -f "sweep long.yaml -q -o mpi-killed.csv")
        workers=$(for rank in $ranks; do
            for keeper in $(pgrep -P "$rank" -f "mpi-killed.csv"); do pgrep -P "$keeper"; done
        done)
        sleep 0.05
    done
    [ -z "$workers" ] || kill -9 $workers
    wait $pid || fail "exit code $? after workers were killed: $(head -5 err)"
    cmp -s through.csv mpi-killed.csv || fail "with killed workers mpirun gives other rows"
    sed 's/times: 5/times: 3748/; s/count: 21/count: 7/' s.yaml >wide.yaml # 2*3748 + 3 values
    expect 0 "$trammel" sweep wide.yaml -o wide.csv --no-hdf5
    expect 0 mpirun $oversubscribe -n 2 "$trammel" sweep wide.yaml -o mpi-wide.csv --no-hdf5
    cmp -s wide.csv mpi-wide.csv || fail "mpirun gives other rows where they are long"
    expect 3 mpirun $oversubscribe -n 2 "$trammel" sweep w.yaml -o w.csv
    says err "the grid has 3e+09 runs"
    # a table for each rank, joined: the same rows in the same order. What is there of it, with rows of other ranks, a
    # piece of a line and a row twice, goes on with another number of ranks
    expect 0 mpirun $oversubscribe -n 3 "$trammel" sweep s.yaml -o split.csv --split --report page.html
    says out "63 of 63 runs done" "split.0.csv and the parts after it, joined in split.study.h5"
    says page.html "63 of 63, 21 with an exit code other than 0"
    joined split | cmp -s - one.csv || fail "--split gives other rows"
    (cat split.1.csv; tail -1 split.1.csv; printf '5,8.1,1,do') >split.7.csv
    rm split.0.csv split.1.csv
    expect 0 mpirun $oversubscribe -n 2 "$trammel" sweep s.yaml -o split.csv --split
    says out "were there"
    joined split | cmp -s - one.csv || fail "--split goes on with other rows"
    lose_keeper 3 mpirun $oversubscribe
    lose_keeper 2 mpirun $oversubscribe
    if [ -n "$h5py" ]; then
        expect 0 "$trammel" sweep s.yaml -o one.csv
        mkdir moved && mv split.*study.h5 moved
        $h5py - 2>err <<'END' || fail "split.study.h5: $(tail -1 err)"
import h5py, numpy
whole, joined = h5py.File("one.study.h5"), h5py.File("moved/split.study.h5")
assert joined["run"].is_virtual and joined["channel/y"].dims[1][0] == joined["time"]
def compare(name, dataset):
    if isinstance(dataset, h5py.Dataset):
        a, b = dataset[()], joined[name][()]
        numbers = isinstance(a, numpy.ndarray) and a.dtype.kind == "f"
        assert numpy.array_equal(a, b, equal_nan=True) if numbers else numpy.array_equal(a, b), name
whole.visititems(compare)
END
    fi
    expect 5 mpirun $oversubscribe -n 2 "$trammel" sweep s.yaml -o split.csv --split --set simulate.tolerance=1e-7
    says err "rows that are not of this study"
    expect 0 mpirun $oversubscribe -n 2 "$trammel" sweep s.yaml -o split.csv --split --set simulate.tolerance=1e-7 --replace
    expect 0 "$trammel" sweep s.yaml -o tight.csv --set simulate.tolerance=1e-7
    joined split | cmp -s - tight.csv || fail "--split --replace leaves rows of before"
    expect 0 mpirun $oversubscribe -n 1 "$trammel" sweep s.yaml -j 0 -o handed.csv : -n 2 "$trammel" sweep s.yaml -o handed.csv
    cmp -s one.csv handed.csv || fail "a first rank without workers gives other rows"
    # Files that do not fit: the rows that are counted are in the tables, and the first file that did not fit is named.
    small=(bash -c 'ulimit -f $0; trap "" XFSZ; exec "$@"')
    expect 5 mpirun $oversubscribe -n 3 "${small[@]}" 20 "$trammel" sweep long.yaml -o cut.csv --split
    says out "failed, $(tail -q -n +2 cut.[0-9].csv | wc -l) of 3003 runs are in the table"
    grep -q "cannot write cut.[0-2].csv: File too large" err || fail "the table that did not fit is not named: $(cat err)"
    grep -q "study.h5" out err && fail "a study without space for its tables has begun HDF5 files"
    expect 0 mpirun $oversubscribe -n 2 "$trammel" sweep long.yaml -o cut.csv --split --no-hdf5
    joined cut | cmp -s - through.csv || fail "--split goes on with other rows after a full disk"
    expect 5 mpirun $oversubscribe -n 3 "${small[@]}" 30 "$trammel" sweep s.yaml -o cut-h5.csv --split
    says out "failed, 63 of 63 runs done"
    says err "study.h5: File too large" "the table itself is written"
    joined cut-h5 | cmp -s - one.csv || fail "HDF5 files that do not fit cost rows of the tables"
    # what is wrong with the model is printed once
    sed 's/force:/forces:/' good.yaml >bad.yaml
    sed 's/good.yaml/bad.yaml/' s.yaml >wm.yaml
    expect 3 mpirun $oversubscribe -n 3 "$trammel" sweep wm.yaml -o w.csv
    [ "$(grep -c "unknown key 'forces'" err)" = 1 ] || fail "ranks repeat errors of the model: $(cat err)"
fi

# and over the other MPI: the command takes the module of its launcher
if command -v mpirun.mpich >/dev/null && "$trammel" version --features | grep -q '^mpi .*mpich'; then
    expect 0 mpirun.mpich -n 3 "$trammel" sweep s.yaml -o mpich.csv
    cmp -s one.csv mpich.csv || fail "mpirun.mpich -n 3 gives other rows"
    lose_keeper 3 mpirun.mpich
fi

finish
