#!/usr/bin/env bash
# Small machines of tests/cli/physics whose numbers are known: starts, beams under axial force, laws
# of forces, friction. The formulas stand beside the numbers.
. "$(dirname "$0")/lib.sh"
models=$root/tests/cli/physics
cat >physics.py <<'END'
import csv, glob, json, math, os, shutil, subprocess, sys
from decimal import Decimal, getcontext

getcontext().prec = 60  # soft beams: terms of the series are 1e25 times their sum

trammel, models = os.environ["TRAMMEL"], os.environ["MODELS"]


def call(*arguments, code=0):
    r = subprocess.run([trammel, *arguments], capture_output=True, text=True)
    assert r.returncode == code, (arguments, r.returncode, r.stderr)
    return r


def sets(settings):
    return [x for s in settings for x in ("--set", s)]


def run(model, *settings):
    """summary and rows (lists by channel) of a run"""
    for f in glob.glob("*.csv"):
        os.remove(f)
    r = call("run", f"{models}/{model}.yaml", *sets(settings), "-q", "--csv", "--no-hdf5", "--summary", "s.json")
    rows = list(csv.reader(open(f"{model}.csv")))
    names = [n.split(" [")[0] for n in rows[0]]
    return json.load(open("s.json")), {n: [float(x[i]) if x[i] else None for x in rows[1:]] for i, n in enumerate(names)}, r.stderr


def events(model):
    """times of the events of the last run"""
    return [float(row[0]) for row in list(csv.reader(open(f"{model}-events.csv")))[1:]]


def modes(model, *settings):
    return json.loads(call("modes", f"{models}/{model}.yaml", *sets(settings), "--json").stdout)["modes"]


def stands(model, *settings):
    """what `equilibrium` calls the position"""
    return call("equilibrium", f"{models}/{model}.yaml", *sets(settings)).stdout.split(": ")[1].split()[0]


TERMS = 240


class Beam:
    """EI w'''' - (N w')' = m omega^2 w on 0 .. L, N(x) a polynomial, by its power series: the
    determinant of the conditions at L vanishes at the frequencies"""

    def __init__(self, EI, m, L, N, clamped, tip=(0, 0), offset=0):
        self.EI, self.m, self.L, self.offset = [Decimal(x) for x in (EI, m, L, offset)]
        self.N, self.tip, self.clamped = [Decimal(n) for n in N], [Decimal(x) for x in tip], clamped

    def series(self, start, square):
        a = [Decimal(0)] * TERMS
        for k, value in start:
            a[k] = Decimal(value)
        for k in range(TERMS - 4):
            # coefficient of x^k of (N w')' = sum_j N_j (k + 1) (k + 2 - j) a_(k + 2 - j)
            pull = sum(n * (k + 1) * (k + 2 - j) * a[k + 2 - j] for j, n in enumerate(self.N) if k + 2 - j >= 0)
            a[k + 4] = (pull + self.m * square * a[k]) / (self.EI * (k + 4) * (k + 3) * (k + 2) * (k + 1))
        L = self.L

        def d(order):
            return sum(a[k] * math.perm(k, order) * L ** (k - order) for k in range(order, TERMS))

        return [d(i) for i in range(4)]

    def determinant(self, omega):
        square, (mass, inertia) = Decimal(omega) ** 2, self.tip
        end = sum(n * self.L**j for j, n in enumerate(self.N))
        rows = []
        for start in ([(2, 1)], [(3, 1)]) if self.clamped else ([(1, 1)], [(3, 1)]):
            w, w1, w2, w3 = self.series(start, square + self.offset)
            rows.append((self.EI * w2 - square * inertia * w1, self.EI * w3 - end * w1 + square * mass * w))
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]

    def near(self, omega):
        low, high = 0.97 * omega, 1.03 * omega
        f = self.determinant(low)
        assert f * self.determinant(high) < 0, f"no frequency of the series near {omega}"
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if f * self.determinant(middle) > 0 else (low, middle)
        return low


def near(what, value, wanted, tolerance):
    assert abs(value - wanted) <= tolerance, f"{what}: {value:.10g} instead of {wanted:.10g}"
END
export TRAMMEL=$trammel MODELS=$models ROOT=$root

# What is not given starts at 0, whatever is cut: closed form, exact but for rounding.
python3 - <<'END' || fail "starts"
from physics import *
friction = "mechanism.joints.e.friction={static: 0.1, radius: 0.01}"
cut = "mechanism.joints.e.cut=true"
for coordinates in "joint", "absolute":
    for more in [], [friction], [cut], [cut, "mechanism.joints.s.cut=true"]:
        s, rows, said = run("friction-start", f"mechanism.coordinates={coordinates}", *more)
        near("shoulder", rows["sh"][0], 0.7, 1e-15)
        near("its rate", rows["sh_rate"][0], 3, 1e-14)
        near("elbow", rows["elbow"][0], 0, 1e-15)
        near("its rate", rows["elbow_rate"][0], 0, 1e-14)
        # two links in line that turn at 3/s: 3^2/2 (0.1 + 0.5^2 + 0.1 + 1.5^2)
        near("energy", s["energy_start"], 4.5 * 2.7, 1e-12)
        assert said == "", said
    s, rows, said = run("belt", f"mechanism.coordinates={coordinates}", "simulate.end=0.1")
    near("block against the belt", rows["slip"][0], 0, 1e-15)
    s, rows, said = run("belt", f"mechanism.coordinates={coordinates}", "simulate.end=0.1",
                        "mechanism.joints.drive.motion='0.5 + v*t'")
    near("block with the belt", rows["x"][0], 0.5, 1e-15)
END
# Beams under axial force with 8 elements. References: the power series of the beam (Beam above), Euler's loads; 1e-3 as Hermite
# elements leave (kL/8)^4/720 of a frequency, 1e-3 of the third one.
python3 - <<'END' || fail "beams"
from physics import *
E, b, h = 2.1e11, 0.02, 0.01
EI, line = E * b * h**3 / 12, 7850 * b * h
euler = math.pi**2 * EI / 4
for coordinates in "joint", "absolute":
    for P in 0, 400, 860, -2000:
        found = modes("column", f"parameters.P={P}", f"mechanism.coordinates={coordinates}")
        for k in range(3):
            omega = found[k]["omega"]
            near(f"column, P = {P}, mode {k}", omega, Beam(EI, line, 1, [-P], True).near(omega), 1e-3 * omega)
assert stands("column", "parameters.P=-2000") == "stable"
assert stands("column", f"parameters.P={0.999 * euler}") == "stable"
assert stands("column", f"parameters.P={1.001 * euler}") == "unstable"
assert stands("pinned-column", f"parameters.P={0.999 * 4 * euler}") == "stable"
assert stands("pinned-column", f"parameters.P={1.001 * 4 * euler}") == "unstable"
g = 9.81
for m in 10, 40, 80:
    omega = modes("mast", f"parameters.m={m}")[0]["omega"]
    mast = Beam(EI, line, 1, [-(m + line) * g, line * g], True, (m, 1e-3))
    near(f"mast, {m} kg", omega, mast.near(omega), 1e-3 * omega)
assert stands("mast", "parameters.m=120") == "unstable"
for E in 1e8, 1e5:
    frames = [modes("hanging", f"parameters.E={E}", "mechanism.bodies.bar.beam.elements=8", f"mechanism.bodies.bar.beam.frame={f}")
              for f in ("tangent", "chord")]
    for k in range(3):
        omega = frames[0][k]["omega"]
        bar = Beam(E * 1.3333e-8, 0.4, 1, [0.4 * g, -0.4 * g], False)
        near(f"hanging, E = {E}, mode {k}", omega, bar.near(omega), 1e-3 * omega)
        # infinitesimal motions of one curve: 1e-7 is what different coordinates leave of the digits
        near("the other frame", frames[1][k]["omega"], omega, 1e-7 * omega)
for frame in "tangent", "chord":
    for ends in ("a=0", "b=1"), ("a=1", "b=0"):
        found = modes("blade", *[f"parameters.{e}" for e in ends], f"mechanism.bodies.blade.beam.frame={frame}")
        omega = found[0]["omega"]
        near("blade", omega, Beam(1, 1, 1, [18, 0, -18], True, offset=36).near(omega), 1e-3 * omega)
        # flapping 7.3604 of Wright et al., J. Appl. Mech. 49 (1982), table 1, hub radius 0, less the square of the rate
        near("blade, published", omega, (7.3604**2 - 36) ** 0.5, 1e-3 * omega)
        assert all(abs(m["growth"]) < 1e-6 for m in found), found
# a beam in space: two planes of bending, both with the tolerance of rotary inertia (I/A)(k/L)^2 and of (k/8)^4; torsion and
# stretching of 8 lumped masses, (pi/16)^2/24 = 1.6e-3 below the formulas; Euler's load
E, b, h = 2.1e11, 0.02, 0.01
weak, strong, torsion = b * h**3 / 12, h * b**3 / 12, 4.58e-9
wanted = sorted([k * k * (E * I / line) ** 0.5 for I in (weak, strong) for k in (1.87510407, 4.69409113)]
                + [math.pi / 2 * (E / 2.6 * torsion / (7850 * (weak + strong))) ** 0.5, math.pi / 2 * (E / 7850) ** 0.5])
for coordinates in "joint", "absolute":
    found = [m["omega"] for m in modes("space-beam", f"mechanism.coordinates={coordinates}")]
    for omega in wanted:
        near("beam in space", min(found, key=lambda x: abs(x - omega)), omega, 2.5e-3 * omega)
    near("first of them", found[0], wanted[0], 2e-4 * wanted[0])
    assert stands("space-beam", f"mechanism.coordinates={coordinates}", f"parameters.P={0.999 * euler}") == "stable"
    assert stands("space-beam", f"mechanism.coordinates={coordinates}", f"parameters.P={1.001 * euler}") == "unstable"
# a plane beam that stretches: at the tip -P L/EA under a load, the frequency pi/2 sqrt(E/rho)/L of a bar with 8.7e-4 as masses of 8
# elements leave, bending and Euler's load as without; 1e-6: digits of what is printed
stretching = "mechanism.bodies.bar.beam.stretching=true"
for coordinates in "joint", "absolute":
    both = [stretching, f"mechanism.coordinates={coordinates}"]
    P = 400
    shown = call("equilibrium", f"{models}/column.yaml", *sets([*both, f"parameters.P={P}"])).stdout
    shift = float(shown.split("bar_8_shift")[1].split()[0])
    near("shortening", shift, -P / (E * b * h), 1e-6 * P / (E * b * h))
    found = json.loads(call("modes", f"{models}/column.yaml", *sets([*both, f"parameters.P={P}"]), "--equilibrium", "--json").stdout)["modes"]
    for k in range(3):
        omega = found[k]["omega"]
        near(f"column that stretches, mode {k}", omega, Beam(EI, line, 1, [-P], True).near(omega), 1e-3 * omega)
    omega = math.pi / 2 * (E / 7850) ** 0.5
    wave = min(modes("column", *both, "mechanism.bodies.bar.beam.damping=1e-6"), key=lambda m: abs(m["omega"] - omega))
    near("bar", wave["omega"], omega, 1e-3 * omega)
    near("its damping", -wave["growth"] / math.hypot(wave["omega"], wave["growth"]), 0.5e-6 * wave["omega"], 1e-6)
    assert stands("column", *both, f"parameters.P={0.999 * euler}") == "stable"
    assert stands("column", *both, f"parameters.P={1.001 * euler}") == "unstable"
said = call("check", f"{models}/column.yaml", *sets([stretching, "parameters.P=400"])).stdout
assert "near the start: 3 compared" in said, said
# moments EI (w'' + c w'''): the damping ratio of a mode is c omega/2, exactly; 1e-9 is roundoff
for m in modes("column", "mechanism.bodies.bar.beam.damping=1e-5")[:3]:
    omega = math.hypot(m["omega"], m["growth"])
    near("damping ratio", -m["growth"] / omega, 0.5e-5 * omega, 1e-9)
# nothing takes energy away: 1e-8 of a step in some hundred steps, of 10 J
for coordinates in "joint", "absolute":
    s, rows, said = run("flying-beam", f"mechanism.coordinates={coordinates}")
    near("energy of a flying beam", s["energy_end"], s["energy_start"], 1e-6)
    assert said == "", said
# what the material takes is counted: the balance closes as tightly
said = call("run", f"{models}/flying-beam.yaml", "--set", "mechanism.bodies.bar.beam.damping=1e-4", "--energy", "--no-hdf5").stdout
defect = float(said.split("defect")[1].split()[0])
assert abs(defect) < 1e-5 and float(said.split(" J put in, ")[1].split()[0]) > 1e-3, said
# flexible slider-crank, deflection of the middle at 0.3 s: chains of 8 and 16 rigid bodies with massless beams between them (the
# same machine without an elastic body) give 0.3631 and 0.3168 mm, by their order of two 0.301 mm for ever more
shutil.copy(os.path.join(os.environ["ROOT"], "examples/mechanisms/flexible-slider-crank.yaml"), "crank.yaml")
call("run", "crank.yaml", "-q", "--csv", "--no-hdf5", *sets(["simulate.end=0.3", "simulate.integrator=radau-adaptive",
     "simulate.step.fixed=0", "simulate.rho=null", "simulate.tolerance=1e-5", "simulate.output_interval=0.1"]))
last = list(csv.DictReader(open("crank.csv")))[-1]
near("middle of the rod", float(last["middle [m]"]), 3.01e-4, 4e-6)
END
# Laws as they are documented; motions are given, so that forces are formulas of t and exact but for rounding.
python3 - <<'END' || fail "laws"
from physics import *
# k d^n (1 + c d') with d = 2 - p, p = 1.5 + v t, as long as 1 + c d' >= 0.01; nothing below -0.01
for v, wanted in (1, 0.5), (-2, 2), (-0.1, 1.05), (1.99, 0.0), (1.9, 0.05), (3, None):
    s, rows, said = run("stop", f"parameters.v={v}")
    d = 0.5 - v * s["final"]["t"]
    factor = 1 - 0.5 * v if 1 - 0.5 * v >= 0.01 else (1 - 0.5 * v + 0.01) ** 2 / 0.04 if abs(1 - 0.5 * v) < 0.01 else 0
    # the stop pushes with the force that the drive takes: the multiplier of the drive
    near(f"stop at {v} m/s", s["final"]["multipliers"]["p_drive"], 1000 * d * d * factor, 1e-9)
# friction of a contact that slides is mu N whatever its speed, N = 1e6 * 0.001^1.5; without `stick` mu N v/sqrt(v^2 + slip^2)
N = 1e6 * (1 - 0.999) ** 1.5
for v in 0.001, 0.0005, 0.3, -0.02:
    s, rows, said = run("slide", f"parameters.v={v}")
    near(f"friction at {v} m/s", s["final"]["multipliers"]["p_drive"], -0.3 * N * math.copysign(1, v), 1e-9 * N)
    s, rows, said = run("slide", f"parameters.v={v}", "mechanism.forces.c.contact.stick=0")
    near(f"smooth friction at {v} m/s", s["final"]["multipliers"]["p_drive"], -0.3 * N * v / math.hypot(v, 0.001), 1e-9 * N)
# tables: straight lines unless the file wants another curve
for v, force in (0.5, 1200), (-0.5, -450), (2, 4800), (-2, -1800):
    s, rows, said = run("damper", f"parameters.v={v}")
    near(f"damper at {v} m/s", s["final"]["multipliers"]["p_drive"], -force, 1e-9)
s, rows, said = run("damper", "mechanism.forces.d.spring.interpolation=spline")
# the parabola through three points: 750 v + 1650 v, [-900, 0, 2400]: 1650 v + 750 v^2
near("damper, spline", s["final"]["multipliers"]["p_drive"], -(1650 * 0.5 + 750 * 0.25), 1e-9)
# a block on a slope sticks where it is, also in its equilibrium, as long as tan(0.4) < mu; then it slides by g (sin - mu cos) t^2/2.
# It gives way by x, mu x/stick = tan(0.4), and does not creep: 1e-9 of the tolerance is left of the speed
for coordinates, stick in ("joint", 1e-6), ("absolute", 1e-6), ("joint", 1e-4):
    s, rows, said = run("slope", f"mechanism.coordinates={coordinates}", f"mechanism.joints.rail.friction.stick={stick}", "simulate.integrator=bdf")
    near("block after 100 s", s["final"]["q"]["b_x"], stick * math.tan(0.4) / 0.5, 1e-9)  # a tenth of atol
    near("its speed", s["final"]["v"]["b_x_rate"], 0, 1e-12)
    near("what holds it", rows["rail_fx"][-1], -2 * 9.81 * math.sin(0.4), 1e-3)  # by regularised friction: a speed of tolerance changes it
    assert stands("slope", f"mechanism.coordinates={coordinates}") == "stable"
# from equilibrium the spring is loaded: at 99.999 % of its friction the block is held, although sliding friction is less; the weight that comes at once takes it along
steep = ("parameters.mu=0.422797447", "mechanism.joints.rail.friction.dynamic=0.4", "simulate.end=5")  # tan(0.4)/0.99999
call("run", f"{models}/slope.yaml", "--from", "equilibrium", "--summary", "held.json", "--no-hdf5", "--no-checkpoint", *sets(steep))
near("a block from equilibrium", json.load(open("held.json"))["final"]["q"]["b_x"], 1e-6, 1e-10)
s, rows, said = run("slope", *steep)
assert s["final"]["q"]["b_x"] > 0.1, "it overshoots, as the documents say"
# before it slides it falls into the spring without load: the smaller that is, the less speed is left of it (0.7 mm/s of 1e-6 m)
for stick, tolerance in (1e-6, 2e-3), (1e-9, 3e-4):
    s, rows, said = run("slope", "parameters.mu=0.4", "simulate.end=2", f"mechanism.joints.rail.friction.stick={stick}")
    near("a block that slides", s["final"]["q"]["b_x"], 9.81 * (math.sin(0.4) - 0.4 * math.cos(0.4)) * 2, tolerance)
s, rows, said = run("slope", "mechanism.joints.rail.friction.stick=0", "simulate.end=100")
assert s["final"]["q"]["b_x"] > 0.05, "friction of speeds alone creeps"
# stick-slip on a belt: it sticks for 2 D/v and slides for (2 pi - 2 atan(D w/v))/w, D = (mu_s - mu_d) N/k, w^2 = k/m. With stribeck: 0 the
# static coefficient falls to the dynamic one at once: what is left is the way that a joint gives while it sticks (6e-6 of the period at
# 1e-6 m, 1e-7 at 1e-9 m with tolerance 1e-9) and the tolerance (1.2e-5). Friction that fades within 1e-5 m/s leaves 3e-4.
D, w, v = 0.2 * 9.81 / 200, math.sqrt(200), 0.2
period = 2 * D / v + (2 * math.pi - 2 * math.atan(D * w / v)) / w
for integrator, fades, slip, stick, accurate, tolerance in (
    ("bdf", 0, 1e-3, 1e-6, 1e-7, 5e-5), ("radau-adaptive", 0, 1e-3, 1e-9, 1e-7, 1e-6), ("bdf", 1e-5, 1e-6, 1e-6, 1e-9, 6e-4)):
    s, rows, said = run("belt", "simulate.end=4", f"simulate.integrator={integrator}", f"simulate.tolerance={accurate}",
                        f"mechanism.joints.face.friction={{static: 0.5, dynamic: 0.3, slip: {slip}, stribeck: {fades}, stick: {stick}}}")
    begins = events("belt")
    near("period of stick-slip", (begins[-1] - begins[1]) / (len(begins) - 2), period, tolerance * period)
# a growing force 5 t pulls a block loose at mu_s N, t_0 = 0.5*9.81/5, and then it goes (mu_s - mu_d) N (t - t_0)^2/2 + 5 (t - t_0)^3/6,
# however long the steps are; what is left is the tolerance of 1e-6 (measured 1e-5 to 8e-4) and 1e-6 m
loose, t = 0.5 * 9.81 / 5, 1.2 - 0.5 * 9.81 / 5
for integrator, tolerance in ("radau-adaptive", 2e-4), ("auto", 2e-4), ("newmark", 2e-3):
    for coordinates in "joint", "absolute":
        s, rows, said = run("ramp", f"simulate.integrator={integrator}", f"mechanism.coordinates={coordinates}")
        near("block pulled loose", rows["x"][-1], 0.981 * t**2 / 2 + 5 * t**3 / 6, tolerance * 0.032)
        near("when", events("ramp")[0], loose, 1e-3)
        sticks = [(a, b) for a, b in zip(rows["t"], rows["held"]) if 0.1 < a < 0.97]
        assert all(abs(-b - 5 * a) < 0.05 for a, b in sticks), "the load is held"
# the same of a contact, N = 1e6*0.001^1.5, in a direction between the axes: 10 t^3/6 from t_0 = mu N/10 on, at loose tolerances too
# (measured 5e-5, bdf 1.1e-3, newmark 8e-4; before events radau-adaptive went 5e-7 m at 1e-4 without a warning); the event is that of 1e-8 m behind, 1.8e-3 s
loose = 0.3 * 1e6 * 0.001**1.5 / 10
way = 10 * (1.2 - loose) ** 3 / 6
for integrator, loosest, tolerance in ("radau-adaptive", 1e-3, 2e-4), ("auto", 1e-4, 2e-4), ("bdf", 1e-4, 3e-3), ("newmark", 1e-6, 3e-3):
    s, rows, said = run("contact-ramp", f"simulate.integrator={integrator}", f"simulate.tolerance={loosest}")
    near("block pulled loose from a floor", rows["x"][-1], way, tolerance * way)
    near("when", events("contact-ramp")[0], loose, 3e-3)
# a wheel braked by its pin: what the joint does to it is J alpha = -mu m g r = -0.981 N m
s, rows, said = run("brake", "simulate.end=0.1")
near("braking moment", rows["p_mz"][-1], -0.981, 1e-6)
near("J alpha", 0.2 * rows["alpha"][-1], rows["p_mz"][-1], 1e-6)
s, rows, said = run("belt", "simulate.end=1")
near("friction of the face", rows["face_fx"][-1], rows["acceleration/block_x"][-1] + 200 * rows["x"][-1], 1e-6)
END
# Structures, markers without mass, rotations as they are given, turns of bushings.
python3 - <<'END' || fail "statics"
from physics import *
# outputs that name outputs and forces that name them: J = 1, effort 100 t^3, angle 5 t^5
s, rows, said = run("outputs")
near("output of an output", rows["s"][-1], 10, 1e-12)
near("effort by it", s["final"]["q"]["j_angle"], 5, 1e-5)  # the tolerance
# flywheels that turn 1000 and 500 rad, a rack that travels 50 m: no turn is lost in steps of many
for coordinates in "joint", "absolute":
    s, rows, said = run("gear", f"mechanism.coordinates={coordinates}", "simulate.integrator=radau-adaptive")
    for name, wanted in ("aa", 1000), ("bb", 500), ("tr", 50):
        near(name, rows[name][-1], wanted, 1e-6 * wanted)
# a torque of min(2, 50 (3 - om)): 2.96 rad/s at 1.48 s, then 3 - 0.04 exp(-50 (t - 1.48)); angle 3 t - 2.2208 in the end
for integrator in "generalized-alpha", "bdf":
    s, rows, said = run("limiter", f"simulate.integrator={integrator}", "simulate.tolerance=1e-6")
    near("limited torque", s["final"]["q"]["phi"], 1.48**2 + 3 * 3.52 - 0.04 / 50, 1e-4)
s, rows, said = run("struct")
near("wall, force", rows["wall_fy"][0], 9.81, 1e-12)  # m g, m g l/2
near("wall, moment", rows["wall_mz"][0], 9.81 * 0.5, 1e-12)
for coordinates in "joint", "absolute":
    s, rows, said = run("toe", f"mechanism.coordinates={coordinates}", "mechanism.gravity=[0, -9.81]", "simulate.end=0.3")
    x, y, angle, foot = [rows.get(n, rows.get(f"body/{n}"))[-1] for n in ("toe_x", "toe_y", "toe_angle", "foot_angle")]
    near("toe on the foot", math.hypot(x, y), 1, 1e-9)
    near("toe and foot", angle, foot, 1e-12)
    near("m g l/2 of the foot alone", s["energy_end"], 0, 1e-5)
printed = call("equilibrium", f"{models}/hanging-body.yaml", "-o", "rest.yaml").stdout
written = dict(line.split(":") for line in open("rest.yaml") if "ball_" in line)
values = []
for axis in "xyz":
    name = f"ball_rotation_{axis}"
    shown = [float(line.split()[1]) for line in printed.splitlines() if line.split()[:1] == [name]]
    written_value = [float(v) for k, v in written.items() if k.strip() == name]
    near(name, shown[0], written_value[0], 1e-8)
    values += written_value
# from standing to hanging: at least half a turn less the angle at which the body was drawn
assert math.sqrt(sum(v * v for v in values)) > 2.9, values
# runs and modes from the equilibrium: nothing moves any more, and the frequencies are those of the pendulum that hangs
call("run", f"{models}/column-sag.yaml", "--from", "equilibrium", "-q", "--no-hdf5", "--summary", "s.json")
s = json.load(open("s.json"))
assert s["status"] == "done" and abs(s["energy_end"] - s["energy_start"]) < 1e-9 * abs(s["energy_start"]), s
found = json.loads(call("modes", f"{models}/column-sag.yaml", "--equilibrium", "--json").stdout)
assert found["at_rest"] and found["acceleration"] < 1e-8, found["acceleration"]
r = call("run", f"{models}/column-sag.yaml", "--from", "somewhere", code=2)
assert "--from is equilibrium, not 'somewhere'" in r.stderr, r.stderr
# J phi'' = -k phi with k = J = 1: 10 sin t
s, rows, said = run("torsion-bushing", "simulate.end=7", "simulate.tolerance=1e-9")
near("torsion by a bushing, more than a turn", rows["aa"][-1], 10 * math.sin(7), 1e-6)
END
python3 - <<'END' || fail "steady motion"
from physics import *


def trimmed(model, *settings):
    """name: value of what `equilibrium` prints, the first of each name; forces that hold as "force NAME\""""
    found, before = {}, ""
    for line in call("equilibrium", f"{models}/{model}.yaml", *sets(settings)).stdout.splitlines():
        before = ("force " if line.startswith("held") else "") if line[:1].strip() else before
        w = line.split()
        if line.startswith("  ") and len(w) in (2, 3) and w[1][-1].isdigit():
            found.setdefault(before + w[0], float(w[1]))
    return found


# drag c v^2 = tyre force C (R w - v)/v = torque/R; solved in closed form, Newton ends at roundoff
drag = 0.5 * 25**2
found = trimmed("cruise")
near("torque", found["torque"], 0.3 * drag, 1e-9)
near("spin", found["w"], 25 * (1 + drag / 40000) / 0.3, 1e-9)
near("sag", found["z"], -9.81 * 1000 / 20000, 1e-9)
assert abs(found["force x"]) < 1e-6, found  # the force that holds it vanishes
near("held instead", trimmed("cruise", "equilibrium.find={}", "parameters.torque=10", "equilibrium.hold=[x, phi]", "equilibrium.rates=[]")["force phi"],
     0.3 * 40000 * (0.3 * 80 - 25) / 25 - 10, 1e-9)  # R F(w = 80) - torque
# a run keeps the motion and the parameter
call("run", f"{models}/cruise.yaml", "--from", "equilibrium", "-q", "--csv", "--no-hdf5")
rows = list(csv.DictReader(open("cruise.csv")))
for row in rows:
    near("constant speed", float(row["v"]), 25, 1e-6)
    near("constant spin", float(row["w"]), 25 * (1 + drag / 40000) / 0.3, 1e-5)  # the tolerance is 1e-6 of it, 8e-5
# conical pendulum: cos theta = g/(l omega^2); with the speed of the shaft kept, small motions have omega sin theta; with a
# free shaft of inertia J: omega_n^2 = g/l c - cos 2 theta omega^2 + 4 s^2 c^2 omega^2 m l^2/(J + m l^2 s^2)
w, l, m, J, g = 8, 0.5, 2, 0.01, 9.81
theta = math.acos(g / (l * w * w))
c, s = math.cos(theta), math.sin(theta)
near("governor", trimmed("governor")["tilt_angle"], theta, 1e-8)
square = g / l * c - math.cos(2 * theta) * w * w + 4 * s * s * c * c * w * w * m * l * l / (J + m * l * l * s * s)


def omega(*settings):
    found = json.loads(call("modes", f"{models}/governor.yaml", *sets(settings), "--equilibrium", "--json").stdout)["modes"]
    return max(mode["frequency"] for mode in found) * 2 * math.pi


near("modes, free shaft", omega(), math.sqrt(square), 1e-7)
near("modes, driven shaft", omega('mechanism.joints.spin={revolute: {between: [ground, shaft], at: [0, 0, 0], axis: z}, motion: "omega*t"}',
                                  "equilibrium.hold=[]"), w * s, 1e-7)
for settings in [], ["mechanism.coordinates=absolute", "equilibrium.hold=[cart_x]"]:
    found = trimmed("cart", *settings)
    near("force that holds the cart: its drag", found["force cart_x" if settings else "force drive_travel"], 0.3 * 10**2, 1e-10)
    near("sag", found["lift_travel"], -2 * 9.81 / 1000, 1e-9)
# parameters of the search alone: without drag nothing holds the cart, and the run has its drag again
slow = ["parameters={c: 0.3}", "mechanism.forces.drag.force.value=[\"-c*drive_rate^2\", 0, 0]"]
near("other parameters", trimmed("cart", *slow, "equilibrium.parameters={c: 0}")["force drive_travel"], 0, 1e-10)
call("run", f"{models}/cart.yaml", *sets(slow), "--set", "equilibrium.parameters={c: 0}", "--from", "equilibrium", "-q", "--csv", "--no-hdf5")
rows = list(csv.DictReader(open("cart.csv")))
rate = [k for k in rows[0] if k.startswith("drive_rate")][0]
near("v0/(1 + c v0 t/m)", float(rows[-1][rate]), 10 / (1 + 0.3 * 10 / 12), 1e-4)  # tolerance of the run
for setting, text in {
    "equilibrium.hold=[drive_trave]": "there is no coordinate 'drive_trave'; did you mean 'drive_travel'?",
    "equilibrium.hold=[nothing_like_it]": "`trammel check` lists the coordinates",
    "equilibrium.hold=[drive_travel, drive_travel]": "'drive_travel' is named twice",
    "equilibrium.rates=[drive_rate]": "the rate 'drive_rate' cannot be found: it is held",
    "equilibrium={rates: [lift_rate]}": "rates are found in steady motion only: speeds: start",
    "equilibrium.find={x: drive_travel}": "there is no parameter 'x'",
    "equilibrium.parameters={x: 1}": "there is no parameter 'x'",
    "equilibrium.speeds=fast": "'speeds' cannot be 'fast'; it is one of zero, start",
}.items():
    r = call("equilibrium", f"{models}/cart.yaml", "--set", setting, code=3)
    assert text in r.stderr, (setting, r.stderr)
r = call("equilibrium", f"{models}/cart.yaml", *sets(slow), "--set", "equilibrium.find={c: lift_travel}", code=3)
assert "'lift_travel' is not held" in r.stderr, r.stderr
r = call("equilibrium", f"{models}/cart.yaml", "--set", "equilibrium.hold=[]", code=1)
assert "drive_travel is still accelerated by 2.5" in r.stderr and "hold that coordinate" in r.stderr, r.stderr
r = call("equilibrium", f"{models}/cart.yaml", *sets(slow), "--set", "parameters.k=1", "--set", "equilibrium.find={k: drive_travel}", code=1)
assert "the forces do not depend on them" in r.stderr, r.stderr
END
python3 - <<'END' || fail "contacts"
from physics import *
# without gravity the speed after an impact is e times that before, whatever the stiffness; the law is rounded off where it
# would pull, which small e feel
for e, tolerance in (1, 1e-6), (0.9, 1e-6), (0.6, 1e-6), (0.3, 1e-4), (0.1, 1e-3):
    s, rows, said = run("impact", f"mechanism.forces.floor.contact.restitution={e}")
    near(f"restitution {e}", rows["up_rate"][-1] / 3, e, tolerance)
# heights e^(2 k) h, as far as the weight does not count during the impact, 2e-3 here; in the end it rests at (m g/k)^(2/3)
s, rows, said = run("bounce", "mechanism.forces.floor.contact.stiffness=1e11", "simulate.end=4")
h = rows["h"]
tops = [b for a, b, c in zip(h, h[1:], h[2:]) if a < b >= c and b > 1e-3]
for k in range(3):
    near(f"bounce {k + 1}", tops[k], 0.6 ** (2 * k + 2), 4e-3 * 0.6 ** (2 * k + 2) + 2e-6)
near("comes to rest", h[-1], -((9.81 / 1e11) ** (2 / 3)), 1e-9)
near("no speed", rows["up_rate"][-1], 0, 1e-9)
assert s["status"] == "done", s
# a box on a slope of 0.4, friction 0.5: it settles, and then does not move at all; friction 0.3: a = g (sin - mu cos)
s, rows, said = run("box-on-slope")
x, forces = rows["position/free_x"], (rows["fx"][-1], rows["fz"][-1])
near("no creep in 50 s", x[-1], x[len(x) // 2], 1e-9)
angle = math.atan(0.4)
near("friction carries it", forces[0], -9.81 * math.sin(angle), 1e-3)  # 1e-10 m of the stiff spring: a hundredth of atol
near("weight", forces[1], 9.81 * math.cos(angle), 1e-5)
s, rows, said = run("box-on-slope", "mechanism.forces.floor.contact.friction=0.3", "simulate.end=1")
# the first 0.05 mm are those of the settling
near("slides", rows["position/free_x"][-1], 9.81 * (math.sin(angle) - 0.3 * math.cos(angle)) / 2, 2e-4)
s, rows, said = run("box-on-slope", "mechanism.forces.floor.contact.stick=0", "simulate.end=2")
assert rows["position/free_x"][-1] > 2e-3, "the smooth law creeps"
# from within the floor, from depth 0 where contacts have no stiffness, from above
for z in -1.7e-4, 0, 0.01:
    where = call("equilibrium", f"{models}/box-on-slope.yaml", "--set", f"mechanism.joints.free.start={{z: {z}}}").stdout
    assert "stable equilibrium" in where, where
# the same between shapes, three balls on a plate, where also the plane of a body gives the same: nothing moves from 10 s to 20 s
ways = []
for plane in [], [f"mechanism.forces.{f}.contact.at=[0, 0, 0]" for f in "abc"] + [f"mechanism.forces.{f}.contact.normal=z" for f in "abc"]:
    s, rows, said = run("plate-on-slope", *plane)
    near("no creep on a plate", rows["against"][-1], rows["against"][len(rows["against"]) // 2], 2e-9)  # rtol of the way it went
    ways.append(rows["against"][-1])
near("plate and plane", ways[0], ways[1], 1e-6)  # stick
# a ball that slides rolls in the end, with 5/7 of its speed, whichever law
for stick in "0", "1e-6":
    s, rows, said = run("ball-on-floor", f"mechanism.forces.floor.contact.stick={stick}")
    near("rolls", rows["free_x_rate"][-1], 10 / 7, 1e-5)
for coordinates in "joint", "absolute":
    s, rows, said = run("collision", f"mechanism.coordinates={coordinates}", "outputs={va: a_x_rate, vb: b_x_rate, rx: roller_x, rz: roller_z, x: ball_x, z: ball_z}")
    # m_a v = m_a v_a + m_b v_b, v_b - v_a = e v: v_b = (1 + e) v/3
    near("second sphere", rows["vb"][-1], 1.0, 1e-4)  # tolerance of the run
    near("first sphere", rows["va"][-1], 0.0, 1e-4)
    # a cylinder of inertia m R^2/2 pushed by F: a = F/(3 m/2)
    near("cylinder rolls", rows["rx"][-1], 3 / 4.5 * 0.4**2 / 2, 2e-4)
    near("cylinder lies", rows["rz"][-1], 0.2 - (15 / 1e6) ** (2 / 3), 2e-4)  # it still swings by this
    # the ball leaves the plate at x = 0.5 and falls
    assert rows["x"][-1] > 0.75 and rows["z"][-1] < 0.05, (rows["x"][-1], rows["z"][-1])
found = {}
for coordinates in "joint", "absolute":
    s, rows, said = run("pairs", f"mechanism.coordinates={coordinates}", "simulate.tolerance=1e-8", "simulate.integrator=radau-adaptive", "simulate.end=0.2",
                        "outputs={ab: ab_fz, cd: cd_fz, pe: pe_fz, pa: pa_fz, pc: pc_fz, x: e_x, z: b_z}")
    found[coordinates] = rows
    assert all(max(abs(f) for f in rows[name]) > 1 for name in ("ab", "cd", "pe", "pa", "pc")), "all of them touch"
for name in "x", "z":
    for a, b in zip(found["joint"][name], found["absolute"][name]):
        near(f"coordinates, {name}", a, b, 1e-8)
said = call("check", f"{models}/pairs.yaml").stdout
assert "near the start: 3 compared" in said and "kink" not in said, said
for setting, text in {
    "mechanism.forces.ab={contact: {between: [d, c], stiffness: 1}}": "'d' has a sphere and 'c' a box, between which there is no contact; possible are",
    "mechanism.forces.ab={contact: {between: [e, c], stiffness: 1}}": "'e' has a cylinder and 'c' a box",
    "mechanism.forces.ab={contact: {between: [ground, c], stiffness: 1}}": "'ground' has no shape",
    "mechanism.forces.pa.contact.normal=null": "the plane of 'pa' needs 'normal' as well",
    "mechanism.forces.pa.contact.radius=1": "the sphere of 'pa' needs 'center' as well",
    "mechanism.forces.ab.contact.restitution=0.5": "'restitution' takes the place of 'damping'",
    "mechanism.forces.ab={contact: {between: [a, b], stiffness: 1, restitution: 2}}": "'restitution' must be up to 1, not 2",
}.items():
    r = call("check", f"{models}/pairs.yaml", "--set", setting, code=3)
    assert text in r.stderr, (setting, r.stderr)
END
finish
