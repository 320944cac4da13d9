#!/usr/bin/env bash
# -vv says why each matrix was formed: as many lines as the summary counts matrices, by action.
. "$(dirname "$0")/lib.sh"

# matrices MODEL ARGUMENT...: runs with -vv; lines and counters must agree
matrices() {
    expect 0 "$trammel" run "$@" --set simulate.integrator=bdf -vv --progress never --no-hdf5 --summary s.json
    python3 - err s.json <<'END' || bad=1
import json, re, sys
line = re.compile(r"step \d+ to t = \S+: (first matrix|new step|cj changed|matrix outdated|slow convergence|"
                  r"new multipliers|no convergence|singular matrix), matrix (none|old|re-formed|evaluated|widened), "
                  r"cj ratio [\d.e+-]+, rate (-|[\d.e+-]+): (re-form|evaluate|widen patterns|shorten the step)$")
found = [m for m in map(line.match, open(sys.argv[1]).read().splitlines()) if m]
s = json.load(open(sys.argv[2]))
for action, counter in ("evaluate", "jacobian_evaluations"), ("re-form", "jacobian_updates"):
    lines = sum(m.group(4) == action for m in found)
    assert lines == s[counter] and lines > 0 or lines == s[counter] == 0, (action, lines, s[counter])
assert found[0].group(1) == "first matrix" and found[0].group(4) == "evaluate", found[0].group(0)
END
}

cat >stamp.yaml <<'END_OF_MODEL'
trammel: 1
problem: {name: wheel-on-stamp, a: 0.05}
simulate: {end: 3, control: classic, tolerance: 1e-5}
END_OF_MODEL
for update in full partitioned extended secant; do
    matrices stamp.yaml --set simulate.jacobian.update=$update
done
says err "cj changed, matrix old"
matrices stamp.yaml --set simulate.control=default --set simulate.jacobian.source=differences
says err "new step, matrix old" "rate"
good_model >good.yaml
matrices good.yaml --set simulate.end=1

# less is said with less
expect 0 "$trammel" run stamp.yaml -v --progress never --no-hdf5
! grep -q "cj ratio" err || fail "-v prints what belongs to -vv"
finish
