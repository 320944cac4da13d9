#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power failures of a real file system: ext4 in a file, mounted as a loop device and copied while a run is stopped in it.

    loop.py TRAMMEL DISK.SO [--cases N] [--seed N] [--format hdf5|csv]

The run stops by itself after a change of its files that is chosen at random, after its first checkpoint.
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

import finds
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
            file.write(power.MODEL % (400, 0.1))

    def command(self, folder, *words):
        return [os.path.abspath(self.a.trammel), "run", self.model, "--out", folder, "-q", "--verify", *self.kind.options, *words]

    def mount(self):
        with open(self.image, "wb") as file:
            file.truncate(MEGABYTES << 20)
        return quietly("mkfs.ext4", "-q", "-F", self.image) and quietly("mount", "-o", "loop", self.image, self.here)

    def layered(self, folder, **variables):
        """A run on the device below which the layer records, counts or stops."""
        return subprocess.Popen(self.command(folder), env={**os.environ, "LD_PRELOAD": os.path.realpath(self.a.layer), "DISK_FOLDER": folder,
                                                           "DISK_CLOCK": power.CLOCK, **variables})

    def count_changes(self):
        """Changes of a whole run up to its first checkpoint, and in all."""
        folder, record = os.path.join(self.here, "out"), os.path.join(self.top, "record")
        os.mkdir(folder)
        if self.layered(folder, DISK_RECORD=record).wait() != 0:
            raise SystemExit("the run on the device failed")
        changes = power.read_record(record)
        first = next(k for k, change in enumerate(changes) if change[0] == power.RENAME and change[1] == "ball.checkpoint")
        return first + 1, len(changes)

    def interrupt(self, count):
        """A run on the device that stops after so many changes; the copy of the device. How long it stands before, the system
        may write, so a case in two waits longer than the five seconds after which it does."""
        folder = os.path.join(self.here, "out")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        os.sync()
        run = self.layered(folder, DISK_KILL=str(count), DISK_SIGNAL=str(int(signal.SIGSTOP)))
        _, status = os.waitpid(run.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            raise SystemExit(f"the run has ended before its change {count}")
        time.sleep(6 * (count % 2))
        shutil.copy(self.image, self.copy)
        run.kill()
        run.wait()

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
        chance, bad = random.Random(self.a.seed), 0
        try:
            whole = os.path.join(self.top, "whole")
            subprocess.run(self.command(whole), check=True)
            reference, _ = self.kind.read(whole, True)
            first, total = self.count_changes()
            for case in range(self.a.cases):
                count = chance.randint(first, total - 1)
                self.interrupt(count)
                wrong = self.judge(reference)
                if wrong:
                    bad += 1
                    kept = finds.keep(self.copy, "loop")
                    print(f"FAILED: power failure {case}, after change {count} of {total}, device in {kept}: {wrong}")
        finally:
            quietly("umount", self.here)
            shutil.rmtree(self.top)
        print(f"loop device, {self.a.format}: power failures {self.a.cases}, faults {bad}")
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
