"""The judgement of one run: how wrong it is, and whether it said so."""
import math
import os

import numpy

import runs

WRONG, ALARM, CLAIM = 0.05, 0.01, 1000  # of what moves; of what moves; error bars


def output_error(error, reference, compared):
    """The largest error of an output over its largest size, at least 1 % of the largest range of a position, as the program
    measures it: outputs decide on trust too, but are no motion. Some are 0 in the reference (violations, distances from a closed
    form)."""
    finite = lambda kind: [k for k in error if k.startswith(kind + "/") and not math.isnan(error[k])]
    moves = max((float(numpy.ptp(reference[k])) for k in finite("position")), default=0)
    sizes = {k: max(float(abs(reference[k]).max()), 0.01 * moves, 1e-12) for k in finite("output") if k in compared}
    return max((error[k] / sizes[k] for k in sizes), default=0)


def error_in_tolerances(error, reference, compared, tolerance):
    """The largest error of a position or state in units of rtol |y| + atol, which are one number in the campaign: the unit of what
    a run without a companion says of itself."""
    keys = [k for k in error if k.split("/")[0] in ("position", "state", "body") and k in compared and not math.isnan(error[k])]
    return max((error[k] / (tolerance * (1 + float(abs(reference[k]).max()))) for k in keys), default=0)


def verdict(share, trusted, beyond):
    """Of an error as a share of the motion; beyond: it exceeds CLAIM times what the run says of itself."""
    if trusted:
        return "silently wrong" if share > WRONG or beyond else "right"
    return "reported" if share > ALARM else "false alarm"


def ratios(error, estimates, doubt, right):
    """log10 of estimate over error, of channels whose error the reference knows."""
    out = []
    for key, true in error.items():
        size = float(abs(right[key]).max())
        if key in estimates and true > 30 * doubt.get(key, 0) and true > 1e-10 * max(size, 1) and estimates[key] > 0:
            out.append(round(math.log10(estimates[key] / true), 3))
    return out


class Judge:
    def __init__(self, trammel, work, references):
        self.trammel, self.folder = trammel, os.path.join(work, "run")
        self.references = runs.References(trammel, work, references)

    def judge(self, model, integrator, formulation, tolerance):
        """One run as a record."""
        name, path, settings = model
        record = {"model": name, "integrator": integrator, "formulation": formulation, "tolerance": tolerance}
        right, doubt, why = self.references.of(model)
        if right is None:
            return dict(record, verdict="no reference", why=why)
        done = runs.Run(self.trammel, path, settings + ["simulate.integrator=" + integrator, "simulate.tolerance=" + tolerance,
                                                        "simulate.formulation=" + formulation, "simulate.verify=true"], self.folder)
        record["seconds"] = round(done.seconds, 4)
        if done.code is None:
            return dict(record, verdict="too long")
        if done.code in (2, 3, 4):
            return dict(record, verdict="refused")
        if done.code not in (0, 6):
            return dict(record, verdict="failed", code=done.code, message=done.messages[-300:])
        return self.compare(record, done, right, doubt)

    @staticmethod
    def compare(record, done, right, doubt):
        error, accuracy = runs.differences(done.rows(), right), done.summary["accuracy"]
        estimates = accuracy.get("errors", {})
        compared = set(estimates) if estimates else set(error)
        share, claim = runs.motion_error(error, right, compared), accuracy.get("error")
        outputs = output_error(error, right, compared)
        # what the two methods of the reference differ by may be an error of the reference: no claim is judged by it
        certain = {key: max(value - doubt.get(key, 0), 0) for key, value in error.items()}
        tolerances = error_in_tolerances(certain, right, compared, float(record["tolerance"]))
        beyond = accuracy["verified"] and runs.motion_error(certain, right, compared) > CLAIM * max(claim, 1e-12)
        record.update(code=done.code, verified=accuracy["verified"], alone=accuracy["trusted_alone"], error=share,
                      tolerances=tolerances, estimate=claim, outputs=outputs, growth=accuracy.get("growth"))
        record["verdict"] = verdict(share, done.code == 0, beyond)
        if record["verdict"] == "false alarm" and outputs > ALARM:
            record["verdict"] = "reported"
        record["stated"] = accuracy.get("tolerances") or 0  # by all steps; one tolerance is stated always
        record["verdict_alone"] = verdict(share, accuracy["trusted_alone"], tolerances > CLAIM * max(record["stated"], 1))
        record["ratios"] = ratios(error, estimates, doubt, right)
        return record
