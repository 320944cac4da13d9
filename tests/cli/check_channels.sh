#!/usr/bin/env bash
# Models with many channels: what info and plot tell, short names of positions, resuming.
. "$(dirname "$0")/lib.sh"
"$root/scripts/make-chain" 150 >chain.yaml # 300 coordinates, 150 multipliers
expect 0 "$trammel" run chain.yaml -q --set simulate.end=0.02 --set simulate.output_interval=0.0005

expect 0 "$trammel" info chain.h5
says out position/x1 position/y50 velocity/u1 multiplier/link100 output/tip_y solver/h
[ "$(grep -c '^  \.\.\. and 200 more$' out)" = 3 ] || fail "positions, velocities, accelerations: 200 more"
[ "$(grep -c '^  \.\.\. and 50 more$' out)" = 1 ] || fail "multipliers: 50 more"
! grep -q position/x51 out || fail "more than 100 positions"
expect 0 "$trammel" info chain.h5 --names
# 300 each of q, v and a, 150 multipliers, 2 outputs, 3 energies, 2 residuals, 10 of the solver
[ "$(grep -vc "^error/" out)" = 1067 ] || fail "$(grep -vc "^error/" out) names"
[ "$(grep -c "^error/" out)" -gt 1000 ] || fail "errors of many channels"

# y150 is a position and an acceleration
expect 0 "$trammel" plot chain.h5 y150 v150 acceleration/y150 -o tip.svg
says tip.svg y150 v150
expect 2 "$trammel" plot chain.h5 z150
says err "there is no channel 'z150'" "did you mean"
expect 0 "$trammel" plot chain.h5 -o all.svg
says all.svg x1 u1 tip_x "total energy"

# interrupted and resumed: the same numbers
expect 0 "$trammel" run chain.yaml -q --out half --set simulate.end=0.01 --set simulate.output_interval=0.0005
expect 0 "$trammel" run chain.yaml -q --out half --resume --set simulate.end=0.02 --set simulate.output_interval=0.0005
/usr/bin/python3 - <<'END' || bad=1
try:
    import h5py
except ImportError:
    raise SystemExit(0)
with h5py.File("half/chain.h5") as half:
    rows = len(half["time"])
    assert rows == 41, rows  # 0.02/0.0005 and the start
    for group in ("position", "velocity", "acceleration"):
        assert half[group + "/values"].shape == (rows, 300), group
    assert "link1" in half["multiplier"]  # 150: a dataset each
END
finish
