#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power failures of a real file system: ext4 in a file, mounted as a loop device and copied while a run is stopped in it.

    loop.py TRAMMEL DISK.SO [--cases N] [--seed N] [--format hdf5|csv]

The copy is what a disk would have at that moment: what the system has not written yet is missing. It is mounted again, which
replays the journal; the result must be readable, its rows must be those of the whole run, and --resume must end with the same
values, bit for bit. Exit code 77: no loop device can be mounted here."""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import power

MEGABYTES = 256


def quietly(*words):
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


class Loop:
    def __init__(self, options):
        self.a, self.kind = options, power.FORMATS[options.format]
        self.top = tempfile.mkdtemp(prefix="trammel-loop-")
        self.image, self.copy = os.path.join(self.top, "image"), os.path.join(self.top, "copy")
        self.here, self.there = os.path.join(self.top, "here"), os.path.join(self.top, "there")
        self.model = os.path.join(self.top, "ball.yaml")
        for folder in (self.here, self.there):
            os.mkdir(folder)
        with open(self.model, "w") as file:
            file.write(power.MODEL % (4000, 0.1))

    def command(self, folder, *words):
        return [os.path.abspath(self.a.trammel), "run", self.model, "--out", folder, "-q", *self.kind.options, *words]

    def mount(self):
        with open(self.image, "wb") as file:
            file.truncate(MEGABYTES << 20)
        return quietly("mkfs.ext4", "-q", "-F", self.image) and quietly("mount", "-o", "loop", self.image, self.here)

    def interrupt(self, chance):
        """A run on the device, stopped some time after its first checkpoint; the copy of the device. False: it had ended."""
        shutil.rmtree(os.path.join(self.here, "out"), ignore_errors=True)
        os.sync()
        run = subprocess.Popen(self.command(os.path.join(self.here, "out")),
                               env={**os.environ, "LD_PRELOAD": os.path.abspath(self.a.layer), "DISK_CLOCK": "100"})
        while not os.path.exists(os.path.join(self.here, "out", "ball.checkpoint")) and run.poll() is None:
            time.sleep(0.01)
        time.sleep(2 * chance.random())
        run.send_signal(signal.SIGSTOP)
        running = run.poll() is None
        shutil.copy(self.image, self.copy)
        run.kill()
        run.wait()
        return running

    def judge(self, reference):
        """'' or what is wrong."""
        if not quietly("mount", "-o", "loop", self.copy, self.there):
            return "the copy cannot be mounted"
        try:
            folder = os.path.join(self.there, "out")
            wrong = power.in_child(lambda: power.compare(self.kind, folder, reference, {}, False))
            if wrong:
                return "reading: " + wrong
            for line in ([os.path.abspath(self.a.trammel), "info", os.path.join(folder, self.kind.file)], self.command(folder, "--resume")):
                got = subprocess.run(line, capture_output=True, text=True, check=False)
                if got.returncode != 0:
                    return " ".join(line[1:]) + ": " + got.stderr
            return power.in_child(lambda: power.compare(self.kind, folder, reference, {}, True))
        finally:
            quietly("umount", self.there)

    def main(self):
        if not self.mount():
            print("skipped: no loop device can be mounted")
            shutil.rmtree(self.top)
            return 77
        chance, bad, running = random.Random(self.a.seed), 0, 0
        try:
            whole = os.path.join(self.top, "whole")
            subprocess.run(self.command(whole), check=True)
            reference, _ = self.kind.read(whole, True)
            for case in range(self.a.cases):
                running += self.interrupt(chance)
                wrong = self.judge(reference)
                if wrong:
                    bad += 1
                    print(f"FAILED: power failure {case}: {wrong}"[:500])
        finally:
            quietly("umount", self.here)
            shutil.rmtree(self.top)
        print(f"loop device, {self.a.format}: power failures {self.a.cases}, during the run {running}, faults {bad}")
        return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trammel")
    parser.add_argument("layer")
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=list(power.FORMATS), default="hdf5")
    sys.exit(Loop(parser.parse_args()).main())


main()
