#!/usr/bin/env bash
# The JSON summary: every key of the contract, numbers that read back, samples.
. "$(dirname "$0")/lib.sh"
good_model >good.yaml
# by bdf, whose steps are many
expect 0 "$trammel" run good.yaml --no-hdf5 --summary - --set simulate.integrator=bdf --set "simulate.output_times=[1, 2.5]" \
    --set 'outputs={height: "y + 1", push: "a(y) + g"}'
says err "Test pendulum: done"
python3 - out <<'END' || bad=1
import json, math, sys
s = json.load(open(sys.argv[1]))
keys = """status message t_end steps rejected_error rejected_newton newton_iterations
residual_evaluations residual_evaluations_for_jacobian jacobian_evaluations jacobian_updates
jacobian_dense_evaluations jacobian_groups jacobian_nonzeros
factorizations position_residual_max velocity_residual_max energy_start energy_end wall_seconds cpu_seconds output_seconds
peak_memory_bytes final samples""".split()
missing = [k for k in keys if k not in s]
assert not missing, missing
assert s["status"] == "done" and s["t_end"] == 10 and s["steps"] > 100
final = s["final"]
for part in "q v x z multipliers outputs".split():
    assert part in final, part
x, y = final["q"]["x"], final["q"]["y"]
vx, vy = final["v"]["vx"], final["v"]["vy"]
# the last step itself: one Newton iteration leaves g at 1e-13, the velocities are projected
assert abs(x * x + y * y - 1) < 1e-12 and abs(x * vx + y * vy) < 1e-14
# lambda = v^2 - g y on the circle, exactly what the accelerations of the sample say
assert abs(final["multipliers"]["rod"] - (vx * vx + vy * vy - 9.81 * y)) < 1e-10
assert abs(final["outputs"]["height"] - (y + 1)) < 1e-15
assert abs(final["outputs"]["push"] + final["multipliers"]["rod"] * y) < 1e-10
assert [p["t"] for p in s["samples"]] == [1, 2.5]
for p in s["samples"]:  # projected: both hold to roundoff
    x, y, vx, vy = *p["q"].values(), *p["v"].values()
    assert abs(x * x + y * y - 1) < 1e-14 and abs(x * vx + y * vy) < 1e-14
END
expect 1 "$trammel" run good.yaml --no-hdf5 --summary s.json --set simulate.max_steps=5
says s.json '"status": "failed"' 'max_steps = 5'
# which methods auto has used: all steps and all of the time
expect 0 "$trammel" run good.yaml --no-hdf5 --summary s.json
says out "  auto         explicit "
python3 - <<'END' || bad=1
import json
s = json.load(open("s.json"))
assert s["integrator"] == "auto" and sum(m["steps"] for m in s["methods"].values()) == s["steps"], s["methods"]
assert abs(sum(m["time"] for m in s["methods"].values()) - 10) < 1e-9, s["methods"]
END
finish
