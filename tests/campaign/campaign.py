"""The campaign: how often is a run wrong, and does it say so?

Every model (models.py) is run with every integrator, many formulations and tolerances from 1e-2 to 1e-10, and each
run is judged (judge.py) against a reference that two methods agree on (runs.py). Printed is a table (tables.py) of

    right           off by less than 5 % of what moves, and trusted
    reported        off by more, and said so (exit code 6, or an error)
    silently wrong  off by more and trusted, or by more than 1000 times what the run says of itself: what must not be
    false alarm     not trusted, but neither the motion nor an output is off by 1 %

with the companion, where a run states its error bar, and without, where it states what its steps add up to; and of the
ratio estimate / true error of all channels. The runs are drawn once and for all: N of them are a fair sample of all,
model by model. Runs that are in the file of results already are not repeated, references are kept beside it: a
campaign can be stopped and continued.

Usage: campaign.py PATH-OF-TRAMMEL [--runs N] [--seconds S] [--results FILE] [--variants K]
                   [--tree-variants K] [--check LIMITS] [--list] [--part K/N]
       campaign.py --report FILE...   (the tables of results that are there)
"""
import argparse
import hashlib
import json
import os
import sys
import tempfile
import time

import judge
import models
import tables

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FORMULATIONS = ["cs", "cm", "ggl", "ggl-star", "index1-projected", "index1", "index2", "index3"]
EXPLICIT, RADAU = ["cs", "index1-projected", "index1"], ["cs", "ggl", "index1-projected"]
INTEGRATORS = {"auto": FORMULATIONS, "bdf": FORMULATIONS, "adams": EXPLICIT, "explicit": EXPLICIT, "radau": RADAU,
               "radau-adaptive": RADAU, "newmark": FORMULATIONS, "hht": FORMULATIONS, "generalized-alpha": FORMULATIONS}


def drawn(text):
    """A number between 0 and 1 that belongs to a text."""
    return int(hashlib.sha1(text.encode()).hexdigest(), 16) / 16 ** 40


def cases(folder, variants, tree_variants):
    """All cases in an order that is drawn once. cs, the default, comes four times as often as each other formulation, a machine
    that is generated four times as often as one of the tree, which takes as long as ten of them."""
    out = []
    tree = models.of_tree(ROOT, tree_variants) if tree_variants >= 0 else []
    for seldom, some in ((1, models.generated(folder, variants)), (4, tree)):
        for model in some:
            for integrator, formulations in INTEGRATORS.items():
                for formulation in formulations:
                    for tolerance in tables.TOLERANCES:
                        rank = drawn(" ".join([model[0], integrator, formulation, tolerance]))
                        seldom_both = seldom * (1 if formulation == "cs" else 4)
                        out.append((rank * seldom_both, model, integrator, formulation, tolerance))
    return sorted(out, key=lambda case: case[0])


def run_all(a, work, chosen, records):
    """The cases that have no record yet, until the time is up."""
    begin, (part, parts) = time.monotonic(), map(int, a.part.split("/"))
    known = {(r["model"], r["integrator"], r["formulation"], r["tolerance"]) for r in records}
    judgement = judge.Judge(os.path.abspath(a.trammel), work, a.results + ".references" if a.results else None)
    out = open(a.results, "a") if a.results else None
    # the models in an order that is drawn, too, and those of one together: its reference is computed once
    chosen.sort(key=lambda case: drawn(case[1][0]))
    for _, model, *settings in chosen:
        if int(drawn(model[0]) * parts) != part or (model[0], *settings) in known:
            continue
        if time.monotonic() - begin > a.seconds:
            print("stopped after %g s; the same command goes on" % a.seconds)
            break
        records.append(judgement.judge(model, *settings))
        if out:
            out.write(json.dumps(records[-1]) + "\n")
            out.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trammel", nargs="?")
    parser.add_argument("--report", nargs="+", help="files of results: their tables, without running anything")
    parser.add_argument("--part", default="0/1", help="K/N: part K of N of the models, to share the work among N processes")
    parser.add_argument("--runs", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--results", help="JSON lines, continued when it is there")
    parser.add_argument("--variants", type=int, default=12, help="of each template: machines that are generated, which are small")
    parser.add_argument("--tree-variants", type=int, default=0, help="of each model of the tree, beside itself; -1: no models of the tree")
    parser.add_argument("--check", help="limits of a short campaign")
    parser.add_argument("--list", action="store_true", help="the cases, without running them")
    a = parser.parse_args()
    if a.report:
        tables.report([json.loads(line) for path in a.report for line in open(path)])
        return 0
    records = []
    with tempfile.TemporaryDirectory() as work:
        chosen = cases(os.path.join(work, "models"), a.variants, a.tree_variants)[: a.runs]
        if a.list:
            print("\n".join(" ".join([c[1][0], c[2], c[3], c[4]]) for c in chosen))
            return 0
        if a.results and os.path.exists(a.results):
            records = [json.loads(line) for line in open(a.results)]
        run_all(a, work, chosen, records)
    tables.report(records)
    return 0 if not a.check or tables.check(records, a.check) else 1


if __name__ == "__main__":
    sys.exit(main())
