"""The tables of a campaign, and the limits of its short form."""
import json
import math

from judge import WRONG

TOLERANCES = ["1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-10"]
TIGHT = 1e-4  # and below


def percent(part, whole):
    return "%5.2f %%" % (100 * part / whole) if whole else "   -   "


def table(records, key, groups):
    """Lines of a table, one for each group (title, whether a record belongs to it)."""
    yield "%-20s %6s %8s %9s %16s %9s %18s" % ("", "runs", "right", "reported", "silently wrong", "> 5 %", "false alarm")
    for title, belongs in groups:
        some = [r for r in records if belongs(r)]
        count = lambda v: sum(r[key] == v for r in some)
        off = sum(r[key] == "silently wrong" and r["error"] > WRONG for r in some)
        silent, alarms = count("silently wrong"), count("false alarm")
        if some:
            yield "%-20s %6d %8d %9d %6d (%s) %9d %7d (%s)" % (title, len(some), count("right"), count("reported"), silent,
                                                             percent(silent, len(some)), off, alarms, percent(alarms, len(some)))


def by_tolerance():
    """The groups of the tolerances, and those that the limits are stated for."""
    for tolerance in TOLERANCES:
        yield tolerance, lambda r, tolerance=tolerance: r["tolerance"] == tolerance
    yield "looser than 1e-4", lambda r: float(r["tolerance"]) > TIGHT
    yield "1e-4 and tighter", lambda r: float(r["tolerance"]) <= TIGHT
    yield "all", lambda r: True


def by_value(records, key):
    """The groups of records at 1e-4 and tighter with one value each."""
    for value in sorted({r[key] for r in records}):
        yield value, lambda r, value=value: r[key] == value and float(r["tolerance"]) <= TIGHT


def print_ratios(verified):
    """The ratio of estimate and true error of all channels; and in how many runs every channel is within a factor."""
    ratios = sorted(x for r in verified for x in r["ratios"])
    if not ratios:
        return
    at = lambda p: 10 ** ratios[min(len(ratios) - 1, int(p * len(ratios)))]
    within = lambda f: percent(sum(abs(x) <= math.log10(f) for x in ratios), len(ratios))
    of_runs = [r["ratios"] for r in verified if r["ratios"]]
    whole = lambda f: percent(sum(all(abs(x) <= math.log10(f) for x in some) for some in of_runs), len(of_runs))
    print("\nestimate / true error of %d channels: 5 %% %.2f, median %.2f, 95 %% %.2f; within 3: %s, within 10: %s; "
          "below a tenth: %s" % (len(ratios), at(0.05), at(0.5), at(0.95), within(3), within(10),
                                 percent(sum(x < -1 for x in ratios), len(ratios))))
    print("of %d runs with every channel: within 3: %s, within 10: %s" % (len(of_runs), whole(3), whole(10)))


def print_named(title, some, key, word):
    named = [r for r in some if r[key] == word]
    if named:
        print("\n%s" % title)
    for r in named:
        print("  %s %s %s %s: error %.3g, %.3g tolerances, steps %.3g, estimate %s%s" % (
            r["model"], r["integrator"], r["formulation"], r["tolerance"], r["error"], r["tolerances"], r["stated"],
            "none" if r["estimate"] is None else "%.3g" % r["estimate"],
            "" if not r.get("growth") else ", " + r["growth"]))


def print_not_judged(records):
    for verdict in "no reference", "failed", "too long":
        reasons = {}
        for r in records:
            if r["verdict"] == verdict:
                text = r.get("why") or " ".join(r.get("message", "").split("error: ")[-1].split())[:90]
                case = "" if verdict == "no reference" else " ".join([r["integrator"], r["formulation"], r["tolerance"]]) + " "
                reasons.setdefault(r["model"], []).append(case + text)
        if reasons:
            print("\n%s: runs of each model, and the first" % verdict)
        for name, texts in sorted(reasons.items()):
            print("  %3d  %s: %s" % (len(texts), name, texts[0]))


def report(records):
    judged = [r for r in records if "verdict_alone" in r]
    verified = [r for r in judged if r["verified"]]
    other = {}
    for r in records:
        if "verdict_alone" not in r:
            other[r["verdict"]] = other.get(r["verdict"], 0) + 1
    print("%d runs of %d models, %d judged, %d of them with a companion to the end; %s" % (
        len(records), len({r["model"] for r in records}), len(judged), len(verified),
        ", ".join("%d %s" % (n, v) for v, n in sorted(other.items())) or "no others"))
    seconds = sum(r.get("seconds", 0) for r in records)
    if seconds:
        print("%.0f s of processor time of the runs: %.0f runs a minute" % (seconds, 60 * len(records) / seconds))
    print("\nwith the companion")
    print("\n".join(table(verified, "verdict", by_tolerance())))
    print("\nwithout it; silently wrong is off by more than 5 % of the motion, or by 1000 times what the steps add up to")
    print("\n".join(table(judged, "verdict_alone", by_tolerance())))
    for key in "integrator", "formulation":
        print("\nwithout it, 1e-4 and tighter, by %s" % key)
        print("\n".join(table(judged, "verdict_alone", by_value(judged, key))))
    print_ratios(verified)
    print_named("silently wrong with a companion", verified, "verdict", "silently wrong")
    print_named("false alarms with a companion", verified, "verdict", "false alarm")
    print_named("silently wrong without one", judged, "verdict_alone", "silently wrong")
    print_not_judged(records)


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
