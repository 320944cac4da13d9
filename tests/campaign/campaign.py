"""The campaign: how often is a run wrong, and does it say so?

Every model (models.py) is run with every integrator, many formulations and tolerances from 1e-2 to 1e-10, and each
run is judged against a reference that two methods agree on. Printed is a table of

    right           off by less than 5 % of what moves, and trusted
    reported        off by more, and said so (exit code 6, or an error)
    silently wrong  off by more and trusted, or by more than 1000 times the error bar: what must not be
    false alarm     not trusted, but neither the motion nor an output is off by 1 %

with the companion and without (the judgement of the run itself), and of the ratio estimate / true error of all
channels. The runs are drawn once and for all: N of them are a fair sample of all, model by model. Runs that are in the
file of results already are not repeated: a campaign can be stopped and continued.

Usage: campaign.py PATH-OF-TRAMMEL [--runs N] [--seconds S] [--results FILE] [--variants K] [--generated]
                   [--check LIMITS] [--list] [--part K/N]
       campaign.py --report FILE...   (the tables of results that are there)
"""
import argparse
import hashlib
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

import models

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INTEGRATORS = ["auto", "bdf", "adams", "explicit", "radau", "radau-adaptive", "newmark", "hht", "generalized-alpha"]
FORMULATIONS = ["cs", "cm", "ggl", "ggl-star", "index1-projected", "index1", "index2", "index3"]
TOLERANCES = ["1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-10"]
WRONG, ALARM, CLAIM = 0.05, 0.01, 1000  # of what moves; of what moves; error bars
SECONDS = 10  # of processor time for one run: the same on a machine with other work
KINDS = ["position", "velocity", "state", "multiplier", "reaction", "output", "body"]


def run(trammel, path, settings, folder, more=()):
    """Exit code, summary, messages; None when it takes too long."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [trammel, "run", path, "--out", folder, "-q", "--summary", folder + ".json", *more]
    for setting in settings:
        command += ["--set", setting]
    if os.path.exists(folder + ".json"):
        os.remove(folder + ".json")
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    if done.returncode < 0:
        return None
    summary = json.load(open(folder + ".json")) if os.path.exists(folder + ".json") else {}
    return done.returncode, summary, done.stderr


def rows(folder):
    """Channels over the time of the rows, one of each time: those of events are left out by the grid of the reference."""
    name = next((n for n in os.listdir(folder) if n.endswith(".h5")), None) if os.path.isdir(folder) else None
    if not name:
        return None
    try:
        opened = h5py.File(os.path.join(folder, name), "r")
    except OSError:  # of a run that was killed: it took too long
        return None
    with opened as file:
        t = file["time"][()]
        first = numpy.concatenate([[True], t[1:] != t[:-1]]) if len(t) else numpy.array([], bool)
        out = {"t": t[first]}
        for kind in KINDS:
            for key in file.get(kind, {}):
                if key != "values" and key != "names" and key != "units" and key != "descriptions":
                    out[kind + "/" + key] = file[kind][key][()][first]
        return out


def differences(run_rows, reference):
    """Largest |difference| of every channel on the times that both have."""
    _, mine, other = numpy.intersect1d(run_rows["t"], reference["t"], return_indices=True)
    out = {}
    for key in reference:
        if key == "t" or key not in run_rows:
            continue
        a, b = run_rows[key][mine], reference[key][other]
        if key.startswith("body/") and key[-3:-1] == "_e":  # e and -e are one rotation
            gap = numpy.minimum(abs(a - b), abs(a + b))
        else:
            gap = abs(a - b)
        gap = gap[numpy.isfinite(gap)]
        out[key] = float(gap.max()) if len(gap) else math.nan
    return out


def motion_error(error, reference, compared):
    """The largest error of a position or state over its range, at least 1 % of the largest range."""
    keys = [k for k in error if k.split("/")[0] in ("position", "state", "body") and k in compared and not math.isnan(error[k])]
    ranges = {k: float(numpy.ptp(reference[k])) for k in keys}
    largest = {}
    for k in keys:  # metres and radians are not compared
        unit = k.split("/")[0] + ("e" if k[-3:-1] == "_e" else "a" if k.endswith("angle") else "")
        largest[unit] = max(largest.get(unit, 0), ranges[k])
    worst = 0
    for k in keys:
        unit = k.split("/")[0] + ("e" if k[-3:-1] == "_e" else "a" if k.endswith("angle") else "")
        size = max(ranges[k], 0.01 * largest[unit], 1e-12 * max(1, float(abs(reference[k]).max())) / ALARM)
        worst = max(worst, error[k] / size)
    return worst


def output_error(error, reference, compared):
    """The largest error of an output over its range, at least 1 % of the largest range of a position, as the program measures
    it: outputs decide on trust too, but are no motion. Some are 0 in the reference (violations, distances from a closed form)."""
    finite = lambda kind: [k for k in error if k.startswith(kind + "/") and not math.isnan(error[k])]
    moves = max((float(numpy.ptp(reference[k])) for k in finite("position")), default=0)
    sizes = {k: max(float(numpy.ptp(reference[k])), 0.01 * moves, 1e-12) for k in finite("output") if k in compared}
    return max((error[k] / sizes[k] for k in sizes), default=0)


class Campaign:
    def __init__(self, trammel, work):
        self.trammel, self.work, self.references = trammel, work, {}

    def reference(self, model):
        """Rows of a converged run, which channels converged, ""; or None, None, and why no right answer is known."""
        name, path, settings = model
        if name in self.references:
            return self.references[name]
        found, why = None, []
        tight = settings + ["simulate.tolerance=1e-11", "simulate.formulation=cs"]
        folder, first = os.path.join(self.work, "reference"), None
        run(self.trammel, path, settings, folder, ["--no-verify"])  # for the distance of rows
        data = rows(folder)
        step = float(numpy.median(numpy.diff(data["t"]))) if data and len(data["t"]) > 2 else 0
        for method in ("radau-adaptive", "explicit", "bdf"):
            own = tight + ["simulate.integrator=" + method]
            if method == "bdf":
                own[len(settings)] = "simulate.tolerance=1e-10"
            if step:  # nothing that a row would show is stepped over
                own.append("simulate.step={max: %.9g}" % step)
            done = run(self.trammel, path, own, folder, ["--no-verify"])
            data = rows(folder) if done and done[0] in (0, 6) else None
            if data is None:
                why.append("%s %s" % (method, "takes too long" if done is None else "fails: " + done[2].split("error: ")[-1][:80].split("\n")[0]))
                continue
            if first is None:
                first = data
                continue
            gap = differences(data, first)
            error = motion_error(gap, first, set(gap))
            if error < 1e-5:
                found = (first, gap, "")
                break
            why.append("%s differs by %.1g" % (method, error))
        self.references = {name: found or (None, None, "; ".join(why))}
        return self.references[name]

    def judge(self, model, integrator, formulation, tolerance):
        """One run as a record."""
        name, path, settings = model
        record = {"model": name, "integrator": integrator, "formulation": formulation, "tolerance": tolerance}
        reference = self.reference(model)
        if reference[0] is None:
            return dict(record, verdict="no reference", why=reference[2])
        folder = os.path.join(self.work, "run")
        done = run(self.trammel, path, settings + ["simulate.integrator=" + integrator, "simulate.tolerance=" + tolerance,
                                                   "simulate.formulation=" + formulation, "simulate.verify=true"], folder)
        if done is None:
            return dict(record, verdict="too long")
        code, summary, messages = done
        if code in (2, 3, 4):
            return dict(record, verdict="refused")
        if code not in (0, 6):
            return dict(record, verdict="failed", code=code, message=messages[-300:])
        data, (right, doubt, _) = rows(folder), reference
        error = differences(data, right)
        accuracy = summary["accuracy"]
        estimates = accuracy.get("errors", {})
        compared = set(estimates) if estimates else set(error)
        share = motion_error(error, right, compared)
        claim = accuracy.get("error")
        record.update(code=code, verified=accuracy["verified"], alone=accuracy["trusted_alone"], error=share, estimate=claim,
                      seconds=summary["wall_seconds"], companion=accuracy.get("companion_seconds"))
        outputs = output_error(error, right, compared)
        record["outputs"] = outputs
        record["verdict"] = self.verdict(share, code == 0, claim if accuracy["verified"] else None)
        if record["verdict"] == "false alarm" and outputs > ALARM:
            record["verdict"] = "reported"
        record["verdict_alone"] = self.verdict(share, accuracy["trusted_alone"], float(tolerance))
        record["ratios"] = self.ratios(error, estimates, doubt, right)
        return record

    @staticmethod
    def verdict(share, trusted, claim):
        beyond = claim is not None and share > CLAIM * max(claim, 1e-12)
        if trusted:
            return "silently wrong" if share > WRONG or beyond else "right"
        return "reported" if share > ALARM else "false alarm"

    @staticmethod
    def ratios(error, estimates, doubt, right):
        """log10 of estimate over error, of channels whose error the reference knows."""
        out = []
        for key, true in error.items():
            size = float(abs(right[key]).max())
            if key in estimates and true > 30 * doubt.get(key, 0) and true > 1e-10 * max(size, 1) and estimates[key] > 0:
                out.append(round(math.log10(estimates[key] / true), 3))
        return out


def cases(folder, variants, generated):
    """All cases in an order that is drawn once; cs, the default, comes four times as often as each other formulation."""
    out = []
    every = list(models.generated(folder, variants))
    for model in every if generated else every + list(models.of_tree(ROOT, variants)):
        for integrator in INTEGRATORS:
            for formulation in FORMULATIONS:
                for tolerance in TOLERANCES:
                    key = " ".join([model[0], integrator, formulation, tolerance])
                    rank = int(hashlib.sha1(key.encode()).hexdigest(), 16) / 16 ** 40
                    out.append((rank * (1 if formulation == "cs" else 4), model, integrator, formulation, tolerance))
    return sorted(out, key=lambda case: case[0])


def percent(part, whole):
    return "%5.2f %%" % (100 * part / whole) if whole else "   -   "


def table(records, key):
    """Lines of the table by tolerance."""
    done = [r for r in records if key in r and r[key] in ("right", "reported", "silently wrong", "false alarm")]
    yield "%-10s %6s %8s %9s %15s %18s" % ("tolerance", "runs", "right", "reported", "silently wrong", "false alarm")
    for tolerance in TOLERANCES + ["all"]:
        some = [r for r in done if tolerance in ("all", r["tolerance"])]
        count = lambda v: sum(r[key] == v for r in some)
        yield "%-10s %6d %8d %9d %5d (%s) %6d (%s)" % (
            tolerance, len(some), count("right"), count("reported"), count("silently wrong"),
            percent(count("silently wrong"), len(some)), count("false alarm"), percent(count("false alarm"), len(some)))


def report(records):
    judged = [r for r in records if "verdict_alone" in r]
    verified = [r for r in judged if r["verified"]]
    other = {}
    for r in records:
        if r not in judged:
            other[r["verdict"]] = other.get(r["verdict"], 0) + 1
    print("%d runs, %d judged, %d of them with a companion to the end; %s" % (
        len(records), len(judged), len(verified), ", ".join("%d %s" % (n, v) for v, n in sorted(other.items())) or "no others"))
    print("\nwith the companion")
    print("\n".join(table(verified, "verdict")))
    print("\nwithout it")
    print("\n".join(table(judged, "verdict_alone")))
    ratios = sorted(x for r in verified for x in r["ratios"])
    if ratios:
        at = lambda p: 10 ** ratios[min(len(ratios) - 1, int(p * len(ratios)))]
        within = lambda f: 100 * sum(abs(x) <= math.log10(f) for x in ratios) / len(ratios)
        print("\nestimate / true error of %d channels: 5 %% %.2f, median %.2f, 95 %% %.2f; within 3: %.1f %%, within 10: %.1f %%" % (
            len(ratios), at(0.05), at(0.5), at(0.95), within(3), within(10)))
    for title, some, key, word in (("silently wrong with a companion", verified, "verdict", "silently wrong"),
                                   ("false alarms with a companion", verified, "verdict", "false alarm"),
                                   ("silently wrong without one", judged, "verdict_alone", "silently wrong")):
        named = [r for r in some if r[key] == word]
        if named:
            print("\n%s" % title)
        for r in named:
            print("  %s %s %s %s: error %.3g, estimate %s" % (
                r["model"], r["integrator"], r["formulation"], r["tolerance"], r["error"],
                "none" if r["estimate"] is None else "%.3g" % r["estimate"]))
    for verdict in "no reference", "failed", "too long":
        reasons = {}
        for r in records:
            if r["verdict"] == verdict:
                text = r.get("why") or " ".join(r.get("message", "").split("error: ")[-1].split())[:90]
                reasons.setdefault(r["model"], []).append(" ".join([r["integrator"], r["formulation"], r["tolerance"]]) + " " + text
                                                          if verdict != "no reference" else text)
        if reasons:
            print("\n%s: runs of each model, and the first" % verdict)
        for name, texts in sorted(reasons.items()):
            print("  %3d  %s: %s" % (len(texts), name, texts[0]))


def check(records, path):
    """What the short form must not exceed; a limit that is not needed any more is to be lowered."""
    limits = json.load(open(path))
    verified = [r for r in records if r.get("verified")]
    judged = [r for r in records if "verdict_alone" in r]
    counts = {"judged at least": len(judged),
              "silently wrong with a companion": sum(r["verdict"] == "silently wrong" for r in verified),
              "silently wrong without": sum(r["verdict_alone"] == "silently wrong" for r in judged),
              "false alarms": sum(r["verdict"] == "false alarm" for r in verified)}
    good = True
    for name, limit in limits.items():
        print("%-32s %4d, limit %d" % (name, counts[name], limit))
        good = good and (counts[name] >= limit if name.endswith("least") else counts[name] <= limit)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trammel", nargs="?")
    parser.add_argument("--report", nargs="+", help="files of results: their tables, without running anything")
    parser.add_argument("--part", default="0/1", help="K/N: the models with number K of N, to share the work among N processes")
    parser.add_argument("--runs", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--results", help="JSON lines, continued when it is there")
    parser.add_argument("--variants", type=int, default=6)
    parser.add_argument("--generated", action="store_true", help="only machines that are generated, which are small")
    parser.add_argument("--check", help="limits of a short campaign")
    parser.add_argument("--list", action="store_true", help="the cases, without running them")
    a = parser.parse_args()
    begin, records = time.monotonic(), []
    if a.report:
        report([json.loads(line) for path in a.report for line in open(path)])
        return 0
    part, parts = map(int, a.part.split("/"))
    with tempfile.TemporaryDirectory() as work:
        chosen = cases(os.path.join(work, "models"), a.variants, a.generated)[: a.runs]
        if a.list:
            print("\n".join(" ".join([c[1][0], c[2], c[3], c[4]]) for c in chosen))
            return 0
        if a.results and os.path.exists(a.results):
            records = [json.loads(line) for line in open(a.results)]
        known = {(r["model"], r["integrator"], r["formulation"], r["tolerance"]) for r in records}
        campaign = Campaign(os.path.abspath(a.trammel), work)
        out = open(a.results, "a") if a.results else None
        # the models in an order that is drawn, too, and those of one together: its reference is computed once
        chosen.sort(key=lambda case: hashlib.sha1(case[1][0].encode()).hexdigest())
        for _, model, integrator, formulation, tolerance in chosen:
            if int(hashlib.sha1(model[0].encode()).hexdigest(), 16) % parts != part:
                continue
            if (model[0], integrator, formulation, tolerance) in known:
                continue
            if time.monotonic() - begin > a.seconds:
                print("stopped after %g s; the same command goes on" % a.seconds)
                break
            records.append(campaign.judge(model, integrator, formulation, tolerance))
            if out:
                out.write(json.dumps(records[-1]) + "\n")
                out.flush()
    report(records)
    return 0 if not a.check or check(records, a.check) else 1


if __name__ == "__main__":
    sys.exit(main())
