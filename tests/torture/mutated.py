#!/usr/bin/env python3
"""Damaged and changed files: models, result files, checkpoints. Every command ends with an exit code of its contract and,
after a failure, a message, that of a model with line and column; never by a signal, never without end. The files of faults
are kept (finds.py).
usage: mutated.py TRAMMEL [--cases N] [--seconds S] [--seed K] [--only model|csv|h5|checkpoint]"""
import argparse
import glob
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import finds
import limited

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

MODEL = """trammel: 1
name: victim
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: [0, -9.81]
  constraints: {rod: "(x^2 + y^2 - 1)/2"}
initial: {values: {x: 1}}
outputs: {o: "x*2"}
events: {e: {when: "x - 0.5", log: "half"}}
simulate: {end: 1, output_interval: 0.05}
"""
WORDS = ["{", "}", "[", "]", ":", ",", '"', "-", "1e308", "-1", "0", "nan", "t", "&a", "*a", "!!x", "\n", "  ", "~", "null", "true",
         "x", "\t", "\x00", "\xff", "%", "|", ">", "1e-320", "x^x", "sin(", "if(", "a(x)", "library: ./x.so"]


def change_text(data):
    """Some tokens are removed, doubled, exchanged or replaced."""
    part = re.findall(rb"\w+|\s+|[^\w\s]", data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        k, how = random.randrange(len(part)), random.randrange(5)
        if how == 0:
            del part[k]
        elif how == 1:
            part.insert(k, part[random.randrange(len(part))])
        elif how == 2:
            part[k] = random.choice(WORDS).encode("latin1")
        elif how == 3:
            j = random.randrange(len(part))
            part[k], part[j] = part[j], part[k]
        else:
            part[k] = str(random.choice((0, -1, 1e9, 1e-9, 1e308, 2, 0.5))).encode()
        if not part:
            return b""
    return b"".join(part)


def change_bytes(data):
    """Flipped, replaced, removed, added bytes; numbers in eight bytes."""
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        if not data:
            break
        k, how = random.randrange(len(data)), random.randrange(6)
        if how == 0:
            data[k] ^= 1 << random.randrange(8)
        elif how == 1:
            data[k] = random.randrange(256)
        elif how == 2:
            del data[k:k + random.choice((1, 8, 100))]
        elif how == 3:
            data[k:k] = bytes(random.randrange(256) for _ in range(random.choice((1, 8))))
        elif how == 4:
            data[k:k + 8] = struct.pack("<d", random.choice((float("nan"), float("inf"), -1e308, 0.0, 1e300)))
        else:
            data[k:k + 8] = struct.pack("<q", random.choice((-1, 1 << 40, 1 << 62, 0, 255)))
    return bytes(data)


def fnv(data):
    sum_ = 0xcbf29ce484222325
    for byte in data:
        sum_ = ((sum_ ^ byte) * 0x100000001b3) & 0xffffffffffffffff
    return struct.pack("<Q", sum_)


def seal(data):
    """A checkpoint whose checksums fit: FNV-1a of the state of the simulation in it behind its header of 48 bytes
    (base/archive.c), and of the whole file at its end (run/checkpoint.c)."""
    data = bytearray(data)
    at = data.find(b"trammel")
    if at >= 0 and len(data) >= at + 48:
        size = struct.unpack_from("<Q", data, at + 24)[0]
        data[at + 40:at + 48] = fnv(data[at + 48:at + size])
    if len(data) >= 8:
        data[-8:] = fnv(data[:-8])
    return bytes(data)


class Tester:
    def __init__(self, arguments):
        self.a = arguments
        self.cases, self.runs, self.faults = {}, 0, []

    def run(self, line, path):
        self.runs += 1
        got = subprocess.run([self.a.trammel] + line, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False,
                             preexec_fn=limited.limit_processor)
        if got.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            self.keep(line, path, f"no end after {limited.HANG} s")
            return
        text = got.stderr.decode("utf8", "replace")
        if got.returncode < 0 or got.returncode > 5 or "Sanitizer" in text or "runtime error" in text:
            self.keep(line, path, f"ended with {got.returncode}\n{text[-500:]}")
        elif got.returncode != 0 and not text.strip():
            self.keep(line, path, f"exit code {got.returncode} without a word")
        elif got.returncode == 3 and line[0] == "check" and not re.search(r":\d+:\d+: error", text):
            self.keep(line, path, f"an error without line and column\n{text[-500:]}")

    def keep(self, line, path, what):
        self.faults.append(f"trammel {' '.join(line)} ({finds.keep(path, 'changed')}): {what}")

    def model(self):
        source = random.choice(self.models)
        path = os.path.join(self.work, "m.yaml")
        with open(source, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(change_text(data) if random.random() < 0.8 else change_bytes(data))
        self.run(["check", "m.yaml"], path)
        limit = ["--set", "simulate.max_steps=200", "--set", "simulate.output_interval=0"]
        self.run(random.choice((["run", "m.yaml", "-q", "--no-hdf5", "--out", "o"] + limit, ["modes", "m.yaml"],
                                ["equilibrium", "m.yaml"])), path)

    def result(self, suffix):
        path = os.path.join(self.work, "r" + suffix)
        with open(os.path.join(self.work, "ready", "victim" + suffix), "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(change_text(data) if suffix == ".csv" and random.random() < 0.5 else change_bytes(data))
        self.run(["info", "r" + suffix], path)
        self.run(["plot", "r" + suffix, "-o", "p.svg"], path)

    def checkpoint(self):
        folder = os.path.join(self.work, "again")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(self.work, "ready"), folder)
        for path in glob.glob(os.path.join(folder, "victim.checkpoint*")):
            with open(path, "rb") as file:
                data = file.read()
            with open(path, "wb") as file:
                file.write(seal(change_bytes(data)) if random.random() < 0.7 else change_bytes(data))
        self.run(["run", "victim.yaml", "-q", "--out", "again", "--resume", "--set", "simulate.end=2"],
                 os.path.join(folder, "victim.checkpoint"))

    def main(self):
        kinds = {"model": self.model, "csv": lambda: self.result(".csv"), "h5": lambda: self.result(".h5"),
                 "checkpoint": self.checkpoint}
        kinds = {self.a.only: kinds[self.a.only]} if self.a.only else kinds
        self.models = sorted(glob.glob(f"{ROOT}/examples/*.yaml") + glob.glob(f"{ROOT}/tests/fuzz/corpus/model/*.yaml"))
        deadline = time.monotonic() + self.a.seconds
        with tempfile.TemporaryDirectory() as self.work:
            with open(os.path.join(self.work, "victim.yaml"), "w") as file:
                file.write(MODEL)
            subprocess.run([self.a.trammel, "run", "victim.yaml", "-q", "--csv", "--out", "ready"], cwd=self.work, check=True)
            for _ in range(self.a.cases):
                for name, case in kinds.items():
                    if time.monotonic() < deadline:
                        case()
                        self.cases[name] = self.cases.get(name, 0) + 1
        for fault in self.faults[:10]:
            print("FAILED:", fault)
        counts = ", ".join(f"{name} {n}" for name, n in self.cases.items())
        print(f"changed files: {counts}, commands {self.runs}, faults {len(self.faults)}")
        return 1 if self.faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trammel", type=os.path.abspath)
    parser.add_argument("--cases", type=int, default=1000000)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    sys.exit(Tester(arguments).main())


main()
