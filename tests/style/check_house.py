#!/usr/bin/env python3
"""The shape of the source tree (scripts/measure-house) stays within LIMITS, which may only fall: whoever gets below one
lowers it. usage: check_house.py [ROOT] | --self-test"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# row of the table -> largest value
LIMITS = {
    "largest cycle of files, whole tree": 6,
    "step loops": 1,
    "conditionals on control classic": 0,
    "conditionals on constant steps": 0,
    "conditionals on the method": 0,
    "files to touch for a joint": 2,
    "files to touch for a force": 2,
    "files to touch for an integrator": 4,
    "files to touch for a command": 3,
    "files to touch for a result format": 3,
    "names with two meanings": 0,
    "lines of the largest file": 420,
    "lines of the longest function": 60,
    "tuning constants per 1000 lines": 3.9,
}


def measure(root, verbose=False):
    command = [os.path.join(HERE, "..", "..", "scripts", "measure-house")] + (["-v"] if verbose else []) + [root]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exceeded(table, limits):
    rows = {line.rsplit(None, 1)[0]: float(line.rsplit(None, 1)[1]) for line in table.splitlines() if line.strip()}
    missing = [row for row in limits if row not in rows]
    assert not missing, f"measure-house does not print {missing}"
    return [(row, rows[row], limit) for row, limit in limits.items() if rows[row] > limit]


def self_test():
    table = "step loops   2\nnames with two meanings   0\n"
    limits = {"step loops": 1, "names with two meanings": 0}
    assert exceeded(table, limits) == [("step loops", 2, 1)], "a limit that is exceeded was not noticed"
    assert not exceeded(table, {"step loops": 2}), "a limit that is met was refused"
    return True


def check(root):
    bad = exceeded(measure(root), LIMITS)
    for row, value, limit in bad:
        print(f"{row}: {value:g}, at most {limit:g} are allowed")
    if bad:
        print("scripts/measure-house -v lists what was counted; a rule that needs no constant is better than a constant")
        print(measure(root, verbose=True).split("\n\n", 1)[1])
    return not bad


if __name__ == "__main__":
    arguments = sys.argv[1:]
    good = self_test() if arguments == ["--self-test"] else check(arguments[0] if arguments else os.path.join(HERE, "..", ".."))
    sys.exit(0 if good else 1)
