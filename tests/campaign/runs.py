"""Runs of the command as rows, and the converged references that they are judged against."""
import hashlib
import json
import math
import os
import re
import shutil
import subprocess

import h5py
import numpy

SECONDS = 2  # of processor time for one run, its companion included: the same on a machine with other work
REFERENCE_SECONDS = 5  # of a reference, which is kept
AGREE = 1e-5  # of what moves: two methods that differ by less are a reference
KINDS = ["position", "velocity", "state", "multiplier", "reaction", "output", "body"]
RECIPE = "3"  # a reference that is kept belongs to this way to compute it


class Run:
    """What a run of the command left: its exit code (None: it took too long), its summary, messages, processor time."""

    def __init__(self, trammel, path, settings, folder, more=(), seconds=SECONDS):
        shutil.rmtree(folder, ignore_errors=True)
        summary = folder + ".json"
        if os.path.exists(summary):
            os.remove(summary)
        command = [trammel, "run", path, "--out", folder, "-q", "--no-checkpoint", "--summary", summary, *more]
        for setting in settings:
            command += ["--set", setting]
        # a shell that limits itself is cheaper to start than a copy of this process that does
        limited = ["/bin/sh", "-c", 'ulimit -t %d; exec "$@"' % seconds, "run", *command]
        before = os.times()
        done = subprocess.run(limited, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, close_fds=False)
        after = os.times()
        self.seconds = after.children_user + after.children_system - before.children_user - before.children_system
        self.code = None if done.returncode < 0 else done.returncode
        self.messages = done.stderr
        self.summary = json.load(open(summary)) if self.code is not None and os.path.exists(summary) else {}
        self.folder = folder

    def rows(self):
        """Channels over the time of the rows, one of each time: those of events are left out by the grid of the reference.
        None: there are none."""
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        name = next((n for n in names if n.endswith(".h5")), None)
        if not name or self.code not in (0, 6):
            return None
        with h5py.File(os.path.join(self.folder, name), "r") as file:
            t = file["time"][()]
            first = numpy.concatenate([[True], t[1:] != t[:-1]]) if len(t) else numpy.array([], bool)
            out = {"t": t[first]}
            for kind in KINDS:
                for key in file.get(kind, {}):
                    if key not in ("values", "names", "units", "descriptions"):
                        out[kind + "/" + key] = file[kind][key][()][first]
            return out


def differences(rows, reference):
    """Largest |difference| of every channel on the times that both have."""
    _, mine, other = numpy.intersect1d(rows["t"], reference["t"], return_indices=True)
    out = {}
    for key in reference:
        if key == "t" or key not in rows:
            continue
        a, b = rows[key][mine], reference[key][other]
        if key.startswith("body/") and key[-3:-1] == "_e":  # e and -e are one rotation
            gap = numpy.minimum(abs(a - b), abs(a + b))
        else:
            gap = abs(a - b)
        gap = gap[numpy.isfinite(gap)]
        out[key] = float(gap.max()) if len(gap) else math.nan
    return out


def sizes_of_motion(keys, reference):
    """What positions and states move: their range, at least 1 % of the largest with the same unit."""
    moving = [k for k in keys if k.split("/")[0] in ("position", "state", "body")]
    unit = {k: k.split("/")[0] + ("e" if k[-3:-1] == "_e" else "a" if k.endswith("angle") else "") for k in moving}
    ranges = {k: float(numpy.ptp(reference[k])) for k in moving}
    largest = {}
    for k in moving:  # metres and radians are not compared
        largest[unit[k]] = max(largest.get(unit[k], 0), ranges[k])
    return {k: max(ranges[k], 0.01 * largest[unit[k]], 1e-10 * max(1, float(abs(reference[k]).max()))) for k in moving}


def motion_error(error, reference, compared):
    """The largest error of a position or state as a share of what it moves."""
    keys = [k for k in error if k in compared and not math.isnan(error[k])]
    return max((error[k] / size for k, size in sizes_of_motion(keys, reference).items()), default=0)


class References:
    """Of every model the rows that two methods agree on, kept in a folder under the fingerprint of model and settings."""

    def __init__(self, trammel, work, folder):
        self.trammel, self.work, self.folder, self.last = trammel, work, folder, (None, None)
        if folder:
            os.makedirs(folder, exist_ok=True)

    def of(self, model):
        """(rows, what each channel is uncertain by, ""), or (None, None, why no right answer is known)."""
        name = self.fingerprint(model)
        if self.last[0] != name:
            self.last = (name, self.kept(name) or self.keep(name, self.compute(model)))
        return self.last[1]

    @staticmethod
    def fingerprint(model):
        _, path, settings = model
        text = open(path).read()
        parts = [RECIPE, text, *settings]
        for word in sorted(set(re.findall(r"[\w./-]+\.\w+", text))):  # tables, profiles, tyres
            beside = os.path.join(os.path.dirname(path), word)
            if os.path.isfile(beside):
                parts.append(hashlib.sha1(open(beside, "rb").read()).hexdigest())
        return hashlib.sha1("\0".join(parts).encode()).hexdigest()

    def kept(self, name):
        path = os.path.join(self.folder or "", name + ".npz")
        if not self.folder or not os.path.exists(path):
            return None
        with numpy.load(path) as file:
            why, names, values, gaps = str(file["why"]), file["names"], file["values"], file["gaps"]
        if why:
            return None, None, why
        gap = {str(n): g for n, g in zip(names, gaps) if n != "t"}
        return {str(n): v for n, v in zip(names, values)}, gap, ""

    def keep(self, name, found):
        rows, gap, why = found
        if self.folder:
            names = list(rows or {})
            path = os.path.join(self.folder, name)
            numpy.savez(path + ".part.npz", why=why, names=numpy.array(names), values=numpy.array([rows[n] for n in names]),
                        gaps=numpy.array([gap.get(n, 0) for n in names] if gap else []))
            os.replace(path + ".part.npz", path + ".npz")
        return found

    def compute(self, model):
        _, path, settings = model
        folder, first, why = os.path.join(self.work, "reference"), None, []
        # for the distance of rows, and for the channels that can be compared: parameters of rotations depend on the steps
        plain = Run(self.trammel, path, settings, folder)
        times = (plain.rows() or {"t": []})["t"]
        step = float(numpy.median(numpy.diff(times))) if len(times) > 2 else 0
        compared = plain.summary.get("accuracy", {}).get("errors", {})
        for method, tolerance in (("radau-adaptive", "1e-11"), ("explicit", "1e-11"), ("bdf", "1e-10")):
            own = settings + ["simulate.tolerance=" + tolerance, "simulate.formulation=cs", "simulate.integrator=" + method]
            if step:  # nothing that a row would show is stepped over
                own.append("simulate.step={max: %.9g}" % step)
            done = Run(self.trammel, path, own, folder, ["--no-verify"], REFERENCE_SECONDS)
            rows = done.rows()
            if rows is None:
                reason = done.messages.split("error: ")[-1][:80].split("\n")[0]
                why.append(method + (" takes too long" if done.code is None else " fails: " + reason))
                continue
            if first is None:
                first = rows
                continue
            gap = differences(rows, first)
            error = motion_error(gap, first, set(compared) or set(gap))
            if error < AGREE:
                return first, gap, ""
            why.append("%s differs by %.1g" % (method, error))
        return None, None, "; ".join(why)
