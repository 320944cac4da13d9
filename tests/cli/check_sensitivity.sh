#!/usr/bin/env bash
# Sensitivities of runs, and optimisation: what is written, what is found, mistakes.
. "$(dirname "$0")/lib.sh"
examples=$root/examples

# channels and summary: a swing does not depend on the mass, the force of the rod is proportional to it
expect 0 "$trammel" run "$examples/pendulum.yaml" --sensitivity m,length --no-verify --no-checkpoint --csv --summary s.json
says pendulum.csv "sensitivity/m/position/x" "sensitivity/length/output/angle"
python3 - <<'END' || fail "the sensitivities of the pendulum are wrong"
import json
s = json.load(open("s.json"))
by, end = s["sensitivity"]["m"], s["final"]
assert abs(by["position"]["x"]) < 1e-6, by
assert abs(by["output"]["rod_force"] - end["outputs"]["rod_force"]) < 1e-5 * abs(end["outputs"]["rod_force"]), by
assert abs(s["sensitivity"]["length"]["position"]["x"]) > 1
END
# a run that is stopped and resumed gives the same bits
cp pendulum.csv whole.csv
expect 0 "$trammel" run "$examples/pendulum.yaml" --sensitivity m,length -q --no-verify --csv --no-hdf5 --set simulate.end=4
expect 0 "$trammel" run "$examples/pendulum.yaml" --sensitivity m,length -q --no-verify --csv --no-hdf5 --resume --summary r.json
python3 - <<'END' || fail "a resumed run has other sensitivities"
import json
s, r = json.load(open("s.json")), json.load(open("r.json"))
assert s["sensitivity"]["length"] == r["sensitivity"]["length"]
END

# mistakes
expect 3 "$trammel" run "$examples/pendulum.yaml" --sensitivity lenght
says err "there is no parameter 'lenght'; did you mean 'length'?"
expect 2 "$trammel" run "$examples/pendulum.yaml" --sensitivity m,,length
says err "--sensitivity: a name is missing"
expect 2 "$trammel" run "$examples/pendulum.yaml" --sensitivity m,m
says err "--sensitivity names m twice"
expect 2 "$trammel" run "$examples/pendulum.yaml" --sensitivity m --from equilibrium
says err "cannot be used with --from"
expect 3 "$trammel" run "$examples/pendulum.yaml" --sensitivity m --set simulate.integrator=adams
says err "integrator = adams has no sensitivities" "use integrator"
expect 3 "$trammel" run "$examples/pendulum.yaml" --sensitivity m --set simulate.integrator=bdf --set simulate.step.fixed=0.01
says err "with constant steps has no sensitivities"
expect 3 "$trammel" run "$examples/knife-edge.yaml" --sensitivity m --set simulate.integrator=radau
says err "integrator = radau has no sensitivities where there are velocity constraints" "use integrator = bdf"
expect 3 "$trammel" run "$examples/pendulum.yaml" --sensitivity m --set simulate.integrator=radau --set simulate.formulation=index1-projected
says err "with formulation = index1-projected"

# an identification: the data were made with k = 126330, c = 75; four standard errors are exceeded in one of 10^4 cases
expect 0 "$trammel" optimize "$examples/optimize/bushing-fit.yaml" --report fit.html --summary fit.json
says out "levenberg-marquardt" "report       fit.html"
says fit.html "<svg" "Stiffness and damping"
python3 - <<'END' || fail "stiffness and damping of the bushing are wrong"
import json
s = json.load(open("fit.json"))
k, c = s["parameters"]["k"], s["parameters"]["c"]
assert abs(k["value"] - 126330) < 4 * k["error"] and 5 < k["error"] < 100, k
assert abs(c["value"] - 75) < 4 * c["error"] and 0.05 < c["error"] < 1, c
assert 1.5e-5 < s["deviation"] < 2.5e-5 and s["runs"] < 50, s
END

# an optimum: ten times better, with fewer than 50 runs
if "$trammel" version --features | grep -q nlopt; then
    for method in slsqp lbfgs mma; do
        sed "s/^runs:/method: $method\nruns:/" "$examples/optimize/four-bar-path.yaml" >path.yaml
        cp "$examples/optimize/four-bar.yaml" .
        expect 0 "$trammel" optimize path.yaml --summary path.json
        python3 - $method <<'END' || fail "the path of the four-bar linkage is not ten times better with $method"
import json, sys
s = json.load(open("path.json"))
assert s["goal"] < s["goal_start"] / 10 and s["runs"] < 50, s
END
    done
fi

# mistakes in the file
cp "$examples/optimize/bushing.yaml" "$examples/optimize/bushing-data.csv" .
wrong() { # sed expression, messages
    sed "$1" "$examples/optimize/bushing-fit.yaml" >wrong.yaml
    shift
    expect 3 "$trammel" optimize wrong.yaml
    says err "$@"
}
wrong 's/^  k: /  kk: /' "wrong.yaml:7:3: error: the model has no parameter 'kk'; did you mean 'k'?"
wrong 's/min: 1e4, max: 1e6/min: 1e6, max: 1e4/' "'max' is 10000 and must be larger than 'min'"
wrong 's/start: 1e5/start: 1e3/' "'start' is 1000, outside of 10000"
wrong 's/travel: x/travle: x/' "the model has no channel 'travle'; did you mean 'travel'?"
wrong 's/travel: x/travel: y/' "the file has no column 'y'"
wrong 's/bushing-data.csv/none.csv/' "cannot read 'none.csv'"
wrong 's/model: bushing.yaml/model: none.yaml/' "none.yaml"
wrong 's/^fit:/fitt:/' "unknown key 'fitt'"
wrong 's/travel: x/travel: {column: x, deviation: -1}/' "the deviation must be positive"
wrong 's/^model:/settings: {simulate.end: 0.5}\nmodel:/' "the data are from t = 0 to 1, the model runs from 0 to 0.5"
wrong 's/^model:/method: mmb\nmodel:/' "mmb"
sed 's/k: {start: 1e5, min: 1e4, max: 1e6}/k: {start: 1e5}/; s/^model:/settings: {simulate.max_steps: 3}\nmodel:/' "$examples/optimize/bushing-fit.yaml" >fails.yaml
expect 1 "$trammel" optimize fails.yaml
says err "max_steps = 3 are done" "the run at the start failed"
finish
