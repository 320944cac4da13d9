#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user of h5py finds in a result file with many channels. The numbers are those of results_wide.h.

Usage: check_wide.py finished.h5 killed.h5 ROWS; exit code 77: h5py is missing
"""
import math
import sys

try:
    import h5py
except ImportError:
    sys.exit(77)

POSITIONS, STATES, OUTPUTS = 2000, 201, 200


def check_layout(file):
    assert set(file["position"]) == {"values", "names", "units", "descriptions"}
    assert set(file["state"]) == {"values", "names"}
    assert len(file["output"]) == OUTPUTS and file["output/values7"].ndim == 1
    for group, columns in (("position", POSITIONS), ("state", STATES)):
        data = file[group]["values"]
        assert data.dtype == "<f8" and data.shape[1] == columns
        assert data.maxshape == (None, columns) and data.chunks == (32768 // columns, columns)
        assert data.shuffle and data.compression == "gzip" and data.compression_opts == 4
        assert file[group]["names"].shape == (columns,)
    names, units = file["position/names"].asstr()[:], file["position/units"].asstr()[:]
    assert list(names) == ["q%d" % k for k in range(POSITIONS)]
    assert list(units) == ["rad" if k % 3 else "m" for k in range(POSITIONS)]
    assert file["position/descriptions"].asstr()[7] == "the seventh, from 0"
    assert list(file["state/names"].asstr()[:]) == ["a/b %%%d" % k for k in range(STATES)]


def expected(row, channel):
    return math.nan if (row + channel) % 97 == 0 else math.sin(0.01 * row + 0.1 * channel)


def check_values(file, least):
    """At least so many rows, as many as times."""
    rows = len(file["time"])
    assert rows >= least
    position, state = file["position/values"][:rows], file["state/values"][:rows]
    assert len(position) == len(state) == rows
    for row in range(rows):
        # channels 0 to 7, 10 to 17, ... are the first positions, 9, 19, ... the states
        for channel, value in ((0, position[row, 0]), (7, position[row, 7]), (10, position[row, 8]),
                               (9, state[row, 0]), (2009, state[row, 200])):
            x = expected(row, channel)
            # the same formula in another library: up to roundoff of numbers below 1
            assert abs(value - x) <= 1e-15 or (math.isnan(x) and math.isnan(value)), (row, channel)


def main():
    finished, killed, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with h5py.File(finished, "r") as file:
        check_layout(file)
        check_values(file, rows)
        assert file["position/values"].shape[0] == file["state/values"].shape[0] == rows
        assert file.attrs["finished"] == 1
    with h5py.File(killed, "r", swmr=True) as file:
        check_layout(file)
        check_values(file, rows)
        assert file.attrs["finished"] == 0


main()
