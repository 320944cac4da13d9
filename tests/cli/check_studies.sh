#!/usr/bin/env bash
# Studies and optimisations: names, files and settings that clash, and what stands in their reports.
. "$(dirname "$0")/lib.sh"

cat >model.yaml <<'END'
trammel: 1
parameters: {k: 4, run: 1, status: 3, message: 1}
equations:
  coordinates: {x: v}
  mass: ["run"]
  force: ["-k*x*message - 0*status"]
initial: {values: {x: 1}}
simulate: {end: 1}
outputs: {steps: "2*x", digits: "v", trusted: "x + v"}
END

study() { # NAME LINE...
    printf '%s\n' 'trammel-study: 1' 'model: model.yaml' "${@:2}" >"$1.yaml"
}

# ---- a parameter or an output with the name of another column: names are unique, and the page is made ----
study names 'parameters: {run: [1, 2], status: [3, 4], message: 1, k: 4}' 'verify: true'
expect 0 "$trammel" sweep names.yaml --report names.html
says names.csv "run,parameter/run,parameter/status,parameter/message,k,status,exit_code,trusted,t [s],steps,digits,output/steps,output/digits,output/trusted,message,fingerprint"
says names.html "4 of 4, 0 with an exit code" "variance of output/steps by" "--set parameters.run=2 --set parameters.status=4"
study plain 'parameters: {k: [1, 4]}' # without that column its name is free
expect 0 "$trammel" sweep plain.yaml --report plain.html
says plain.csv "steps,output/steps,digits,output/trusted,message"
sed 's/digits: "v"/k: "v"/' model.yaml >doubled.yaml
if "$trammel" check -q doubled.yaml >out 2>err; then # an output with the name of a parameter
    study double 'parameters: {k: [1, 4]}'
    sed -i 's/model.yaml/doubled.yaml/' double.yaml
    expect 0 "$trammel" sweep double.yaml
    says double.csv "run,k,status,exit_code,trusted,t [s],steps,output/steps,output/k,"
fi

# ---- no file is written over another one of the same command ----
refused() { # TEXT ARGUMENTS...
    expect 2 "$trammel" "${@:2}"
    says err "$1"
}
study ps 'parameters: {k: [1, 4]}'
mkdir sub
ln -s ../ps.csv sub/link.html # to a file that is not there yet
for file in ps.csv ./ps.csv "$PWD/ps.csv" sub/../ps.csv sub/link.html ps.study.h5; do
    refused "would be written over ps." sweep ps.yaml --report "$file"
done
[ ! -e ps.csv ] || fail "a study that is refused has run"
expect 0 "$trammel" sweep ps.yaml -o rows.csv
refused "would be written over rows.csv" sweep ps.yaml -o rows.csv --report ./rows.csv
says rows.csv "fingerprint"
expect 0 "$trammel" sweep ps.yaml --no-hdf5 --report ps.study.h5 # which is not written then
ln -s ps.yaml self.csv
refused "would overwrite" sweep ps.yaml -o self.csv
cat >best.yaml <<'END'
trammel-optimization: 1
model: model.yaml
parameters: {k: {start: 80, min: 1, max: 100}}
minimize: {end: steps}
END
refused "found.txt would be written over" optimize best.yaml --report found.txt --summary ./found.txt

finish
