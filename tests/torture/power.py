#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills and power failures, replayed from a record of disk.c.

    power.py TRAMMEL DISK.SO [--format hdf5|csv] [--kills N] [--failures N] [--checkpoints N] [--every N] [--seconds S]
             [--seed N]

A run is recorded, and from the record come the states of its folder that a kill or a power failure could have left.
  kill            all changes up to a moment, and of the next write any number of pages
  checkpoint      a real SIGKILL right after a checkpoint got its name
  power failure   of the writes since the last fsync of a file any subset, page by page; of the changes of names since
                  the last fsync of the folder the first few; the size of a file may be there before its bytes
In each state the result must be readable by `trammel info` and by h5py (tables: up to the first line with a byte that was not
written), its rows must be those of the whole run, none of those written before the last fsync may be missing, and --resume must
end with the same values, bit for bit. Runs wait for their companions (--verify): how far one that is not waited for comes depends on
the load of the machine."""

import argparse
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import h5py

import finds
import limited

PAGE = 4096
KEPT = 20  # states that failed are kept, so many of a run
CREATE, WRITE, CUT, SYNC, RENAME, UNLINK, LINK, SYNC_FOLDER = range(8)

# a file system in memory, where there is one: what is on the disk is simulated, and a real disk only costs time
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

MODEL = """trammel: 1
name: Swing
parameters: {k: 1, n: 0}
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: ["-0.1*k*vx + 2*sin(3*t)", "-9.81 - 0.1*k*vy + s"]
  constraints: {rod: "(x^2 + y^2 - 1)/2"}
  states: {s: "-s + 0.3*sin(t)"}
initial: {values: {x: 1}}
outputs: {angle: "atan2(x, -y)"}
events:
  pass: {when: "x", direction: rising, set: {k: "2 - k", s: "s + 0.1"}, log: "passes"}
  tick: {when: "sin(0.5*t)", set: {n: "n + 1"}}
simulate: {end: %g, output_interval: %g, tolerance: 1e-6, output_times: [1, 10]}
"""


CLOCK = "100"  # milliseconds for each reading of the clock: a checkpoint for every few hundred rows


# ---- the record ----

def read_record(path):
    changes = []
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, name, obj, offset, size = struct.unpack_from("<IIQqQ", data, at)
        at += 32
        text = data[at:at + name].decode()
        at += name
        body = b""
        if kind in (WRITE, RENAME, LINK):
            body = data[at:at + size]
            at += size
        changes.append((kind, text, obj, offset, body))
    return changes


class Disk:
    """A folder: names lead to files, files are bytes."""

    def __init__(self):
        self.names, self.files, self.inode, self.next = {}, {}, {}, 0

    def create(self, name, obj):
        self.next += 1
        self.inode[obj] = self.next
        self.files[self.next] = bytearray()
        self.names[name] = self.next

    def write(self, number, offset, body):
        data = self.files[number]
        if len(data) < offset + len(body):
            data.extend(bytes(offset + len(body) - len(data)))
        data[offset:offset + len(body)] = body

    def cut(self, number, size):
        data = self.files[number]
        if size < len(data):
            del data[size:]
        else:
            data.extend(bytes(size - len(data)))

    def change_names(self, kind, name, body):
        if kind == RENAME and body.decode() in self.names:
            self.names[name] = self.names.pop(body.decode())
        elif kind == LINK and body.decode() in self.names:
            self.names[name] = self.names[body.decode()]
        elif kind == UNLINK:
            self.names.pop(name, None)

    def save(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name, number in self.names.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(self.files[number])


def pieces(offset, body):
    """A write, page by page."""
    at = 0
    while at < len(body):
        end = min(len(body), at + PAGE - (offset + at) % PAGE)
        yield offset + at, body[at:end]
        at = end


def after_kill(changes, count, pages):
    """The first changes, and of the next one, a write, some pages."""
    disk = Disk()
    for kind, name, obj, offset, body in changes[:count]:
        if kind == CREATE:
            disk.create(name, obj)
        elif kind == WRITE:
            disk.write(disk.inode[obj], offset, body)
        elif kind == CUT:
            disk.cut(disk.inode[obj], offset)
        else:
            disk.change_names(kind, name, body)
    if count < len(changes) and changes[count][0] == WRITE:
        _, _, obj, offset, body = changes[count]
        for start, part in list(pieces(offset, body))[:pages]:
            disk.write(disk.inode[obj], start, part)
    return disk


def after_failure(changes, count, chance):
    """What the disk has kept. chance: None: only what was synchronised."""
    disk, waiting, names = Disk(), {}, []

    def settle(number, some):
        for start, part in waiting.pop(number, []):
            if some and (chance is None or chance.random() < 0.5):
                continue
            if part is None:
                disk.cut(number, start)
            else:
                disk.write(number, start, part)

    def settle_names(some):
        keep = len(names) if not some else 0 if chance is None else chance.randint(0, len(names))
        for kind, name, body, number in names[:keep]:
            if kind == CREATE:
                disk.names[name] = number
            else:
                disk.change_names(kind, name, body)
        names.clear()

    for kind, name, obj, offset, body in changes[:count]:
        if kind == CREATE:
            before = dict(disk.names)
            disk.create(name, obj)
            number = disk.inode[obj]
            disk.names = before
            names.append((CREATE, name, b"", number))
        elif kind == WRITE:
            waiting.setdefault(disk.inode[obj], []).extend(pieces(offset, body))
        elif kind == CUT:
            waiting.setdefault(disk.inode[obj], []).append((offset, None))
        elif kind == SYNC:
            settle(disk.inode[obj], False)
        elif kind == SYNC_FOLDER:
            settle_names(False)
        else:
            names.append((kind, name, body, 0))
    for number in list(waiting):
        settle(number, True)
    settle_names(True)
    return disk


# ---- what must hold ----

def read_values(path, swmr):
    """All datasets of a result as bytes."""
    values = {}
    with h5py.File(path, "r", swmr=swmr) as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                values[name] = item[()].tobytes() if item.shape != () else bytes(item[()])
        file.visititems(visit)
        attributes = {name: file.attrs[name] for name in file.attrs}
    return values, attributes


def read_table(path):
    """The complete lines of a table before the first byte that was not written."""
    with open(path, "rb") as file:
        text = file.read().split(b"\0")[0]
    return text[:text.rfind(b"\n") + 1]


def in_child(act):
    """The text of act(), or the reason why there is none: what it reads may be damaged, and reading it have no end."""
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        limited.limit_processor()
        signal.alarm(limited.WAIT)
        try:
            text = act()
        except BaseException as error:
            text = "%s: %s" % (type(error).__name__, error)
        os.write(write_end, text.encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return "ended by signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else text


class Hdf5:
    """One file with all values; it gets its name when it is a result."""
    options = []
    file = "ball.h5"

    @staticmethod
    def begins(change):
        return change[0] == RENAME and change[1] == Hdf5.file

    @staticmethod
    def read(folder, whole):
        return read_values(os.path.join(folder, Hdf5.file), swmr=not whole)

    @staticmethod
    def check_attributes(attributes):
        for name in ("format", "title", "status", "text", "summary", "options"):
            if not isinstance(attributes.get(name), str):
                return "attribute %s is %r" % (name, attributes.get(name))
        if attributes["status"] != ("done" if attributes["finished"] else attributes["status"]):
            return "status %s although finished" % attributes["status"]
        return ""


class Csv:
    """Three tables; they are results as soon as their headers are there."""
    options = ["--csv", "--no-hdf5"]
    file = "ball.csv"
    tables = ("ball.csv", "ball-steps.csv", "ball-events.csv")

    @staticmethod
    def begins(change):
        return change[0] == SYNC_FOLDER

    @staticmethod
    def read(folder, _whole):
        paths = [os.path.join(folder, name) for name in Csv.tables]
        return {name: read_table(path) if os.path.exists(path) else b"" for name, path in zip(Csv.tables, paths)}, {}

    @staticmethod
    def check_attributes(_attributes):
        return ""


FORMATS = {"hdf5": Hdf5, "csv": Csv}


def compare(kind, folder, reference, least, whole):
    """'' or what is wrong: every dataset is a beginning of the one of the whole run."""
    values, attributes = kind.read(folder, whole)
    wrong = kind.check_attributes(attributes)
    if wrong:
        return wrong
    for name, value in reference.items():
        if name not in values:
            return "%s is missing" % name
        if not value.startswith(values[name]) or (whole and values[name] != value):
            return "%s differs" % name
        if len(values[name]) < least.get(name, 0):
            return "%s has %d bytes, %d were safe" % (name, len(values[name]), least[name])
    return ""


class Torture:
    def __init__(self, options):
        self.trammel, self.library = options.trammel, os.path.realpath(options.library)
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="trammel-power-", dir=MEMORY))
        self.failed, self.cases = [], {}
        self.kind, self.name = FORMATS[options.format], options.format
        self.deadline = time.monotonic() + options.seconds
        self.model = os.path.join(self.top, "ball.yaml")
        with open(self.model, "w") as file:
            file.write(MODEL % (options.end, options.end / options.rows))

    def command(self, *words, environment=None):
        done = subprocess.run([self.trammel, *words], capture_output=True, text=True, timeout=limited.WAIT,
                              preexec_fn=limited.limit_processor, env={**os.environ, **(environment or {})})
        return done.returncode, done.stdout + done.stderr

    def record(self):
        folder, record = os.path.join(self.top, "recorded"), os.path.join(self.top, "record")
        os.mkdir(folder)
        code, text = self.command("run", self.model, "--out", folder, "-q", "--verify", *self.kind.options,
                                  environment={"LD_PRELOAD": self.library, "DISK_FOLDER": folder,
                                               "DISK_RECORD": record, "DISK_CLOCK": CLOCK})
        if code != 0:
            raise SystemExit("the recorded run failed: " + text)
        self.reference, _ = self.kind.read(folder, True)
        self.changes = read_record(record)
        kinds = [change[0] for change in self.changes]
        saves = sum(1 for change in self.changes if change[0] == RENAME and change[1] == "ball.checkpoint")
        print("recorded: %d writes, %d fsyncs, %d checkpoints" % (kinds.count(WRITE), kinds.count(SYNC), saves))
        self.saves = saves
        if saves < 2:
            raise SystemExit("too few checkpoints to test anything")

    def fail(self, what, kind):
        self.failed.append("%s: %s" % (kind, what))
        print("FAILED", self.failed[-1], finds.keep_folder(self.state, "power") if len(self.failed) <= KEPT else "")

    def check(self, disk, kind, least=None, resume=True):
        self.state = os.path.join(self.top, "state")
        disk.save(self.state)
        result = os.path.join(self.state, self.kind.file)
        group = kind.split(" at ")[0]
        self.cases[group] = self.cases.get(group, 0) + 1
        if os.path.exists(result) and (least or self.kind is Hdf5 or read_table(result)):
            wrong = in_child(lambda: compare(self.kind, self.state, self.reference, least or {}, False))
            if wrong:
                return self.fail("reading: " + wrong, kind)
            code, text = self.command("info", result)
            if code != 0:
                return self.fail("info: " + text, kind)
        elif least:
            return self.fail("the result is missing", kind)
        saved = os.path.exists(os.path.join(self.state, "ball.checkpoint"))
        if resume and saved:
            self.cases["resumed"] = self.cases.get("resumed", 0) + 1
            code, text = self.command("run", self.model, "--out", self.state, "-q", "--verify", "--resume", *self.kind.options)
            wrong = text if code else in_child(lambda: compare(self.kind, self.state, self.reference, {}, True))
            if wrong:
                return self.fail("resume: " + wrong, kind)
        return None

    def kill_at_checkpoint(self, count):
        """A run that is killed when its n-th checkpoint got its name, and resumed."""
        self.state, kind = os.path.join(self.top, "state"), "checkpoint at %d" % count
        shutil.rmtree(self.state, ignore_errors=True)
        os.mkdir(self.state)
        code, text = self.command("run", self.model, "--out", self.state, "-q", "--verify", *self.kind.options,
                                  environment={"LD_PRELOAD": self.library, "DISK_FOLDER": self.state,
                                               "DISK_CLOCK": CLOCK, "DISK_KILL": str(count),
                                               "DISK_KILL_AT": ".checkpoint"})
        if code != -signal.SIGKILL:
            return  # it had fewer checkpoints
        self.cases["checkpoint"] = self.cases.get("checkpoint", 0) + 1
        code, text = self.command("run", self.model, "--out", self.state, "-q", "--verify", "--resume", *self.kind.options)
        wrong = text if code else in_child(lambda: compare(self.kind, self.state, self.reference, {}, True))
        if wrong:
            self.fail("resume: " + wrong, kind)

    def safe_at(self, count):
        """Bytes of each dataset that were synchronised."""
        disk, folder = after_failure(self.changes, count, None), os.path.join(self.top, "safe")
        if self.kind.file not in disk.names:
            return {}
        disk.save(folder)
        try:
            values, _ = self.kind.read(folder, False)
        except OSError:
            return {}
        return {name: len(value) for name, value in values.items()}

    def try_all(self, options, chance):
        """All prefixes, then one of each kind in turn, until the counts or the time are reached."""
        total = len(self.changes)
        first = next(k for k, c in enumerate(self.changes) if self.kind.begins(c)) + (self.kind is Csv)
        for count in range(first, total + 1):
            if min(count - first, total - count) < options.every and time.monotonic() < self.deadline:
                self.check(after_kill(self.changes, count, 0), "every prefix at %d" % count, resume=False)
        for case in range(max(options.kills, options.failures, options.checkpoints)):
            if time.monotonic() > self.deadline:
                break
            if case < options.kills:
                count = chance.randint(0, total)
                self.check(after_kill(self.changes, count, chance.randint(0, 4)), "kill at %d" % count)
            if case < options.failures:
                count = chance.randint(0, total)
                self.check(after_failure(self.changes, count, chance), "power failure at %d" % count, self.safe_at(count))
            if case < options.checkpoints:
                self.kill_at_checkpoint(chance.randint(1, max(2, self.saves // 2)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trammel")
    parser.add_argument("library")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--failures", type=int, default=40)
    parser.add_argument("--checkpoints", type=int, default=5)
    parser.add_argument("--every", type=int, default=60, metavar="N",
                        help="a kill after each of the first and the last N changes, read only")
    parser.add_argument("--format", choices=list(FORMATS), default="hdf5")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--end", type=float, default=400)
    options = parser.parse_args()
    torture, chance = Torture(options), random.Random(options.seed)
    torture.record()
    torture.try_all(options, chance)
    print("power %s: " % torture.name + "".join("%s %d, " % item for item in torture.cases.items()) +
          "faults %d" % len(torture.failed))
    shutil.rmtree(torture.top)
    return 1 if torture.failed else 0


if __name__ == "__main__":
    sys.exit(main())
