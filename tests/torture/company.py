#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many runs at once in one folder.

    company.py TRAMMEL [--runs N] [--models N]

Runs of a few models with different parameters and formats, started together. Each must end with exit code 0, or with 5
because another run is writing the same file; every file must be, bit for bit, that of one run alone."""

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

import h5py

import limited

# a file system in memory, where there is one: what is on the disk is simulated, and a real disk only costs time
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

MODEL = """trammel: 1
name: Swing
parameters: {k: 1}
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: ["-0.1*k*vx", "-9.81 - 0.1*k*vy"]
  constraints: {rod: "(x^2 + y^2 - 1)/2"}
initial: {values: {x: 1}}
simulate: {end: 20, output_interval: 0.05, tolerance: 1e-6}
"""
FORMATS = (["--csv"], [], ["--csv", "--no-hdf5"], ["--no-hdf5"], ["--csv", "--no-checkpoint"], ["--no-checkpoint"])


def content(path):
    if path.endswith(".csv"):
        with open(path, "rb") as file:
            return file.read()
    values = []
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: values.append((name, item[()].tobytes()))
                        if isinstance(item, h5py.Dataset) and item.shape != () else None)
    return values


def command(trammel, model, folder, k, words):
    return [trammel, "run", model, "--out", folder, "-q", "--set", "parameters.k=%d" % k, *words]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trammel")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--models", type=int, default=6)
    options = parser.parse_args()
    top = tempfile.mkdtemp(prefix="trammel-company-", dir=MEMORY)
    folder, wrong = os.path.join(top, "all"), []
    models = [os.path.join(top, "m%d.yaml" % i) for i in range(options.models)]
    for model in models:
        with open(model, "w") as file:
            file.write(MODEL)
    # alone: what a file of each parameter holds
    alone = {}
    for k in (1, 2, 3):
        subprocess.run(command(options.trammel, models[0], os.path.join(top, str(k)), k, ["--csv"]), check=True)
        for name in os.listdir(os.path.join(top, str(k))):
            if name.endswith((".h5", ".csv")):
                alone.setdefault(name[2:], []).append(content(os.path.join(top, str(k), name)))
    # together
    kinds = itertools.cycle(itertools.product(FORMATS, models, (1, 2, 3)))
    running = []
    for i, (words, model, k) in zip(range(options.runs), kinds):
        summary = os.path.join(top, "s%d.json" % i)
        running.append((subprocess.Popen(command(options.trammel, model, folder, k, [*words, "--summary", summary]),
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                         preexec_fn=limited.limit_processor),
                        " ".join(words)))
    done = refused = 0
    for process, words in running:
        text = process.communicate(timeout=limited.WAIT)[0]
        if process.returncode == 0:
            done += 1
        elif process.returncode == 5 and "another run is writing it" in text:
            refused += 1
        else:
            wrong.append("exit code %d (%s): %s" % (process.returncode, words, text.strip()))
        if words == "--no-hdf5" and process.returncode != 0:
            wrong.append("a run without results was refused: " + text.strip())
    files = sorted(os.listdir(folder))
    for name in files:
        if name.endswith((".lock", ".new")):
            wrong.append(name + " was left behind")
        elif name.endswith((".h5", ".csv")) and content(os.path.join(folder, name)) not in alone[name[2:]]:
            wrong.append(name + " is not the result of one run")
    for line in wrong:
        print("FAILED", line)
    if wrong and os.path.exists("/proc/meminfo"):  # what the machine had to give
        space = os.statvfs(top)
        with open("/proc/meminfo") as file:
            print("FAILED with", " ".join(next(file).split()[1] for _ in range(3)), "kB of memory in all, free and available,",
                  space.f_bavail * space.f_frsize >> 20, "MB and", space.f_favail, "files free in the folder")
    print("runs in one folder: runs %d, done %d, refused %d, files %d, faults %d" % (len(running), done, refused, len(files), len(wrong)))
    shutil.rmtree(top)
    return 1 if wrong or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
