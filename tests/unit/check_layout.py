#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user of h5py finds in a result file. The numbers are those of results.h.

Usage: check_layout.py finished.h5 killed.h5 ROWS; exit code 77: h5py is missing
"""
import json
import math
import sys

try:
    import h5py
except ImportError:
    sys.exit(77)

GROUPS = {"position": ["x"], "velocity": ["x"], "output": ["a%2Fb, 100%25"], "energy": ["total"]}
UNITS = {"position/x": "m", "velocity/x": "m/s", "output/a%2Fb, 100%25": "", "energy/total": "J"}
STEP = ["t", "h", "order", "iterations", "rejected_error", "rejected_newton", "reason",
        "residuals", "factorizations", "jacobians", "updates"]


def check_rows(file, least):
    """At least so many rows, in every channel as many as times, all with the right numbers."""
    time = file["time"][:]
    assert len(time) >= least
    for row, t in enumerate(time):
        assert t == 0.1 * row
    for number, name in enumerate(UNITS):
        value = file[name][: len(time)]
        assert len(value) == len(time), name
        for row, x in enumerate(value):
            # the same formula in another library: up to roundoff
            expected = math.sin(0.37 * row + number) * 10.0 ** (number - 1)
            assert abs(x - expected) <= 1e-14 * 10.0 ** (number - 1), (name, row)


def check_layout(file):
    assert set(file) == {"time", "model", "solver", "events", *GROUPS}
    for group, names in GROUPS.items():
        assert list(file[group]) == names
    for name, unit in UNITS.items():
        data = file[name]
        assert data.dtype == "<f8" and data.ndim == 1 and data.maxshape == (None,)
        assert data.chunks == (256,) and data.shuffle
        assert data.compression == "gzip" and data.compression_opts == 4
        assert data.attrs["units"] == unit
    assert file["position/x"].attrs["description"] == 'height of the "ball"'
    assert file["time"].attrs["units"] == "s"
    assert list(file["solver"]) == STEP
    assert file["solver/h"].attrs["units"] == "s"
    assert file["solver/reason"].dtype.kind == "i"
    assert "1 error test, 2 Newton, 3 both" in file["solver/reason"].attrs["description"]
    assert file["model"][()] == b"trammel: 1\nname: ball\n"


def check_solver_and_events(file, rows):
    solver, events = file["solver"], file["events"]
    for name in STEP:
        assert len(solver[name]) == 2 * rows
    for k in range(0, 2 * rows, 13):
        wrong = (1 if k % 7 == 0 else 0) + (2 if k % 11 == 0 else 0)
        assert solver["reason"][k] == wrong
        assert solver["residuals"][k] == 3 * k and solver["order"][k] == 1 + k % 5
    assert len(events["t"]) == (rows + 49) // 50
    assert events["name"][0] == b"bounce" and events["text"][0] == b'"up", then\ndown'


def check_attributes(file):
    a = file.attrs
    assert a["format"] == "trammel result" and a["format_version"] == 1
    assert a["title"] == "ball" and json.loads(a["options"]) == {"rtol": 1e-6}
    assert a["command_line"] == "trammel run ball.yaml"
    assert a["version"] == "0.1" and a["features"] == "klu hdf5"


def main():
    finished, killed, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with h5py.File(finished, "r") as file:
        check_layout(file)
        check_rows(file, rows)
        assert len(file["time"]) == rows
        check_solver_and_events(file, rows)
        check_attributes(file)
        assert file.attrs["finished"] == 1 and file.attrs["status"] == "done"
        assert file.attrs["text"] == "reached t_end"
        assert json.loads(file.attrs["summary"]) == {"steps": 3}
    with h5py.File(killed, "r", swmr=True) as file:
        check_layout(file)
        check_rows(file, rows)
        check_attributes(file)
        assert file.attrs["finished"] == 0 and file.attrs["status"] == "running"


main()
