"""Damaged result files, as the command meets them.
usage: damage.py TRAMMEL FILES; m.yaml is in the folder. FILES has result files, compressed, on which HDF5 1.10 crashes or never ends.
Prints what is wrong."""
import lzma
import os
import shutil
import subprocess
import sys

import h5py

TRAMMEL, FILES = sys.argv[1:3]
STRIDE = 4999  # a prime number: places of all kinds are met
bad = []


def call(*line):
    got = subprocess.run([TRAMMEL, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    return got.returncode, got.stdout, got.stderr.decode("utf8", "replace")


# ---- files that crash the library or keep it busy ----
for name, line, says in (("crash-info.h5", ["info"], "is damaged: reading it fails (Segmentation fault)"),
                         ("hang-plot.h5", ["plot", "-o", "x.svg"], "is damaged: reading it does not come to an end")):
    with lzma.open(os.path.join(FILES, name + ".xz")) as source, open(name, "wb") as target:
        shutil.copyfileobj(source, target)
    code, _, text = call(line[0], name, *line[1:])
    # another version of the library may find the damage, or read around it
    if code not in (0, 5) or (code == 5 and says not in text and f"cannot read {name}" not in text):
        bad.append(f"{' '.join(line)} {name}: exit code {code}: {text}")


# ---- flipped bits ----
def values(path):
    """All numbers of a result; its texts hold the time that the run took."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.update({name: item[...].tobytes()})
                        if isinstance(item, h5py.Dataset) and name not in ("model", "scene") else None)
    return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def everything(data):
    """What each command gives for a result with these bytes: its exit code, and what it printed or wrote."""
    os.makedirs("again", exist_ok=True)
    with open("again/m.h5", "wb") as file:
        file.write(data)
    result = {"info": call("info", "again/m.h5")}
    for command, file in (("plot", "p.svg"), ("view", "v.html")):
        code, _, text = call(command, "again/m.h5", "-q", "-o", file)
        result[command] = code, read(file) if code == 0 else None, text
    shutil.copy("m.checkpoint", "again/m.checkpoint")
    code, _, text = call("run", "m.yaml", "-q", "--out", "again", "--resume", "--set", "simulate.end=11")
    result["run --resume"] = code, values("again/m.h5") if code == 0 else None, text
    return result


if call("run", "m.yaml", "-q")[0] != 0:
    bad.append("the run fails")
whole = read("m.h5")
expected = everything(whole)
has_view = expected["view"][0] == 0  # the program may be built without it
tried, reported = 0, 0
for place in range(STRIDE // 2, len(whole), STRIDE):
    data = bytearray(whole)
    data[place] ^= 1 << place % 8
    for command, (code, what, text) in everything(data).items():
        tried += 1
        reported += code != 0
        if command == "view" and not has_view:
            continue
        if code not in (0, 3, 5) or (code != 0 and not text.strip()):
            bad.append(f"byte {place}: {command}: exit code {code}: {text}")
        elif code == 0 and what != expected[command][1] and b"damaged" not in what:
            bad.append(f"byte {place}: {command}: exit code 0 and another result")
if not 0 < reported < tried:
    bad.append(f"{reported} of {tried} commands report damage")
print("\n".join(bad) if bad else f"{tried} commands, {reported} report damage")
sys.exit(1 if bad else 0)
