#!/usr/bin/env bash
# Maxima, minima and integrals that studies record, against closed forms: outputs that change much within a step, and
# what a row says where one cannot be resolved or has no value.
. "$(dirname "$0")/lib.sh"

# A crank that turns evenly: nothing limits the steps, of which there are five for sixteen turns. All but the outputs is
# exact.
cat >crank.yaml <<'END'
trammel: 1
parameters: {r: 0.15}
equations: {coordinates: {phi: om}, mass: [1], force: [0]}
initial: {values: {phi: 0, om: 10}}
simulate: {end: 10, tolerance: 1e-9}
outputs: {travel: "r*cos(phi) + sqrt(0.16 - r^2*sin(phi)^2)", torque: "sin(phi)^2"}
END
printf 'trammel-study: 1\nmodel: crank.yaml\nparameters: {r: [0.1, 0.15]}\n' >turned.yaml
printf 'record: {integral: [torque, travel], maximum: [travel, torque], minimum: [travel]}\n' >>turned.yaml
expect 0 "$trammel" sweep turned.yaml -j 1
expect 0 "$trammel" sweep turned.yaml -j 3 -o turned3.csv
cmp -s turned.csv turned3.csv || fail "crank: -j 3 gives other rows than -j 1"
python3 - 2>err <<'END' || fail "turned.csv: $(tail -1 err)"
import csv, math
for row in csv.DictReader(open("turned.csv")):
    r = float(row["r"])
    assert int(row["steps"]) < 20 and row["message"] == "", row
    # travel: r sin(100)/10, and Simpson's rule with 2e4 intervals, right to 1e-12, for the root; sin^2 in closed form
    n = 20000
    root = [math.sqrt(0.16 - r*r*math.sin(100*i/n)**2) for i in range(n + 1)]
    travel = r*math.sin(100)/10 + 10/n/3*(root[0] + root[n] + 4*sum(root[1:n:2]) + 2*sum(root[2:n:2]))
    exact = {"integral(travel) [s]": travel, "integral(torque) [s]": 5 - math.sin(200)/40, "maximum(travel)": r + 0.4,
             "minimum(travel)": 0.4 - r, "maximum(torque)": 1}
    for name, value in exact.items():
        # the relative tolerance, of the size 1 over 10 s for integrals
        assert abs(float(row[name]) - value) < (1e-8 if "integral" in name else 1e-9), (r, name, row[name], value)
END

# A slow oscillator with steps of a quarter of a second to two: a fast sine, its square, a spike that is shorter than the
# distance of points in a step, a small output, a kink at the minimum, a ripple on a steep line; tolerances from loose to
# tight.
cat >slow.yaml <<'END'
trammel: 1
parameters: {tol: 1e-8}
equations: {coordinates: {x: v}, mass: [1], force: ["-x"]}
initial: {values: {x: 1}}
simulate: {end: 50, tolerance: "tol"}
outputs:
  fast: "sin(20*t)"
  square: "sin(20*t)^2"
  spike: "exp(-((t - 10.3)/0.02)^2)"
  small: "1e-9*sin(20*t)^2"
  kink: "abs(sin(3*t))"
  ripple: "1000*t + sin(20*t)"
  jump: "if(sin(t) > 0.3, 1, -1)"
  wild: "sin(1e6*t)"
  log: "log(0.5 - x)"
  pole: "log(t)"
END
study() { # RECORD [TOLERANCES]
    printf 'trammel-study: 1\nmodel: slow.yaml\nparameters: {tol: [%s]}\nrecord: {%s}\n' "${2:-1e-4, 1e-6, 1e-8, 1e-10}" "$1"
}
study 'minimum: [x, kink], maximum: [x, fast, spike], integral: [square, spike, small, kink, ripple]' >all.yaml
expect 0 "$trammel" sweep all.yaml
python3 - 2>err <<'END' || fail "all.csv: $(tail -1 err)"
import csv, math
half = math.floor(150/math.pi)
exact = {  # value, and size times the time
    "maximum(fast)": (1, 1), "maximum(spike)": (1, 1), "minimum(kink)": (0, 1),
    "integral(square) [s]": (25 - math.sin(2000)/80, 50), "integral(small) [s]": (1e-9*(25 - math.sin(2000)/80), 50e-9),
    "integral(spike) [s]": (0.02*math.sqrt(math.pi), 50), "integral(ripple) [s]": (1.25e6 + (1 - math.cos(1000))/20, 2.5e6),
    "integral(kink) [s]": ((2*half + 1 - math.cos(150 - half*math.pi))/3, 50)}
for row in csv.DictReader(open("all.csv")):
    tol = float(row["tol"])
    assert row["message"] == "", row
    for name, (value, size) in exact.items():  # the tolerance, and roundoff of 1e4 values
        assert abs(float(row[name]) - value) < (tol + 1e-12)*size, (tol, name, row[name], value)
    for name, value in [("maximum(x)", 1), ("minimum(x)", -1)]:  # the run itself is right to a few tolerances
        assert abs(float(row[name]) - value) < 5*tol, (tol, name, row[name])
END
# alone: nothing else halves the steps for it
study 'maximum: [spike]' >alone.yaml
expect 0 "$trammel" sweep alone.yaml
python3 - 2>err <<'END' || fail "alone.csv: $(tail -1 err)"
import csv
for row in csv.DictReader(open("alone.csv")):
    assert abs(float(row["maximum(spike)"]) - 1) < float(row["tol"]), row
END

# what no bound of halvings resolves is said: beside a jump, whose values and integral are right, and of 1e6 rad/s
study 'maximum: [jump], integral: [jump]' >jumps.yaml
expect 0 "$trammel" sweep jumps.yaml
[ "$(grep -c 'maximum(jump) is not resolved: near t = 0.304692654 it changes by ' jumps.csv)" = 4 ] || fail "a jump: $(cat jumps.csv)"
grep -q 'integral(jump) is' jumps.csv && fail "the integral over jumps: $(cat jumps.csv)"
python3 - 2>err <<'END' || fail "jumps.csv: $(tail -1 err)"
import csv, math
# 1 for pi - 2 asin(0.3) of each turn, of which eight have begun and are beyond that, -1 otherwise
exact = -50 + 2*8*(math.pi - 2*math.asin(0.3))
for row in csv.DictReader(open("jumps.csv")):
    error = float(row["integral(jump) [s]"]) - exact
    assert row["maximum(jump)"] == "1" and abs(error) < 50*float(row["tol"]), (row, error)
END
study 'maximum: [wild], integral: [wild]' 1e-8 >wildly.yaml
expect 0 "$trammel" sweep wildly.yaml
says wildly.csv "maximum(wild) is not resolved" "integral(wild) is not resolved"

# what is recorded beside a channel does not change it, not by a bit: 'wild' uses up its own parts only
cat >beside.yaml <<'END'
trammel: 1
parameters: {a: 0.5}
equations: {coordinates: {x: v}, mass: [1], force: [0]}
initial: {values: {v: 1}}
simulate: {end: 2, tolerance: 1e-8}
outputs:
  wild: "sin(1e6*x*a)^2"
  stairs: "floor(5*x*a)*(a - 1)"
  kinks: "abs(sin(37*x*a))"
  jump: "if(x > a, 3, 1)"
  square: "sin(100*x*a)^2"
  spike: "exp(-((x - a)/0.02)^2)"
  pulse: "if(t > 0.5 and t < 0.501, 1000, 0)" # between the points of a step: its breaks are known
END
beside() { # NAME RECORD
    printf 'trammel-study: 1\nmodel: beside.yaml\nparameters: {a: [0.5, 0.7001]}\nrecord: {%s}\n' "$2" >"$1.yaml"
    expect 0 "$trammel" sweep "$1.yaml" -q --no-hdf5
}
beside together 'integral: [wild, stairs, kinks, jump, square, spike, pulse], maximum: [wild, spike, pulse], minimum: [stairs, wild]'
for name in stairs kinks jump square spike pulse wild; do
    beside "only-$name" "integral: [$name]"
done
beside only-maximum 'maximum: [spike]'
beside only-pulses 'maximum: [pulse]'
says together.csv "maximum(wild) is not resolved: near t = " "minimum(wild) is not resolved: near t = " "integral(wild) is not resolved: near t = "
python3 - 2>err <<'END' || fail "together.csv: $(tail -1 err)"
import csv, glob, math
together = list(csv.DictReader(open("together.csv")))
assert len(glob.glob("only-*.csv")) == 9
for name in glob.glob("only-*.csv"):
    for row, only in zip(together, csv.DictReader(open(name))):
        for key in row:
            if "(" in key and key in only:
                assert row[key] == only[key], (key, row[key], only[key])
for row in together:
    a = float(row["a"])
    turns = math.floor(74*a/math.pi)
    exact = {
        "integral(stairs) [s]": (a - 1)*sum(max(0, 2 - k/(5*a)) for k in range(1, 10)),
        "integral(kinks) [s]": (2*turns + 1 - math.cos(74*a - turns*math.pi))/(37*a),
        "integral(jump) [s]": 6 - 2*a, "integral(square) [s]": 1 - math.sin(400*a)/(400*a),
        "integral(spike) [s]": 0.02*math.sqrt(math.pi), "maximum(spike)": 1, "maximum(pulse)": 1000}
    assert abs(float(row["integral(pulse) [s]"]) - 1) < 2e-5, row  # the tolerance of the size 1000 over 2 s
    for key, value in exact.items():  # of 3
        assert abs(float(row[key]) - value) < 6e-8, (a, key, row[key], value)
END

# an integral that diverges is noted; one that does not beside an infinite value, and a short pulse are not
cat >poles.yaml <<'END'
trammel: 1
parameters: {a: 0.5}
equations: {coordinates: {x: v}, mass: [1], force: [0]}
initial: {values: {v: 1}}
simulate: {end: 2, tolerance: 1e-8}
outputs: {pole: "1/(x - a)", root: "1/sqrt(abs(x - a))", odd: "x - 1", pulse: "if(t > 0.5 and t < 0.501, 1000, 0)", none: "0*x"}
END
for tolerance in 1e-4 1e-6 1e-8 1e-11; do
    printf 'trammel-study: 1\nmodel: poles.yaml\nsettings: {simulate.tolerance: %s}\nparameters: {a: [0.70011, 0.9]}\n' $tolerance >p.yaml
    printf 'record: {integral: [pole, root, odd, pulse, none]}\n' >>p.yaml
    expect 0 "$trammel" sweep p.yaml -q --no-hdf5 --replace
    [ "$(grep -c 'integral(pole) is not resolved: beside values of ' p.csv)" = 2 ] || fail "a pole at $tolerance: $(cat p.csv)"
    grep -qE 'integral\((root|odd|pulse|none)\) is' p.csv && fail "integrals beside a pole at $tolerance: $(cat p.csv)"
done

# an output without a value for a part of the run has no maximum, minimum and integral; others are not touched
study 'maximum: [log, x], minimum: [log], integral: [log, pole]' 1e-6 >parts.yaml
expect 0 "$trammel" sweep parts.yaml
says parts.csv "output 'log' is nan at t = 0; output 'pole' is -inf at t = 0"
python3 - 2>err <<'END' || fail "parts.csv: $(tail -1 err)"
import csv
row = list(csv.DictReader(open("parts.csv")))[0]
for name in ["maximum(log)", "minimum(log)", "integral(log) [s]"]:
    assert row[name] == "nan", (name, row[name])
assert row["integral(pole) [s]"] == "-inf" and abs(float(row["maximum(x)"]) - 1) < 1e-5, row
END

finish
