"""The models of the campaign: those of the tree, with parameters drawn, and machines that are generated."""
import glob
import os
import random
import re

# Machines whose difficulties are known: one template each, filled with numbers that are drawn.
# What each is for: pulses that come late and are short, forces with limits, dry friction, stops and
# contacts by force laws, springs from soft to very stiff, angles of many turns, linkages that are driven,
# prescribed motions with corners, events, inputs.
TEMPLATES = {
    "pulse": """equations:
  coordinates: {{x: v}}
  mass: [1]
  force: ["if(t > {late} and t < {late} + {short}, 100, 0) - {soft}*x - 0.1*v"]
simulate: {{end: 10}}""",
    "limit": """equations:
  coordinates: {{phi: om}}
  mass: [1]
  force: ["min(2, max(-2, {gain}*(3 - om)))"]
simulate: {{end: 5}}""",
    "friction": """equations:
  coordinates: {{x: v}}
  mass: [1]
  force: ["-2*tanh(v/{slip}) - {soft}*x"]
initial: {{values: {{v: 4}}}}
simulate: {{end: 5}}""",
    "bounce": """equations:
  coordinates: {{y: vy}}
  mass: [1]
  force: ["-9.81 + {stiff}*max(-y, 0)"]
initial: {{values: {{y: {amount}}}}}
simulate: {{end: 2}}""",
    "spring-pendulum": """equations:
  coordinates: {{x: vx, y: vy}}
  mass: [1, 1]
  force: ["-{stiff}*(sqrt(x^2 + y^2) - 1)*x/sqrt(x^2 + y^2)",
          "-9.81 - {stiff}*(sqrt(x^2 + y^2) - 1)*y/sqrt(x^2 + y^2)"]
initial: {{values: {{x: 1, y: 0}}}}
simulate: {{end: 3}}""",
    "stiff-pendulum": """equations:
  coordinates: {{x: vx, y: vy, s: vs}}
  mass: [1, 1, 0.1]
  force: ["{stiff}*(s - x)", "-9.81", "-{stiff}*(s - x) - {damp}*vs"]
  constraints: {{rod: "(x^2 + y^2 - 1)/2"}}
initial: {{values: {{x: 1, s: 1}}}}
simulate: {{end: 2}}""",
    "gear": """mechanism:
  plane: xy
  bodies: {{r: {{mass: 1, center: [0, 0], inertia: 1}}, s: {{mass: 1, center: [1, 0], inertia: {amount}}}}}
  joints:
    a: {{revolute: {{between: [ground, r], at: [0, 0]}}, start: {{rate: {fast}}}}}
    b: {{revolute: {{between: [ground, s], at: [1, 0]}}, start: {{rate: "{fast}/2"}}}}
    g: {{coupling: {{terms: {{a_angle: 1, b_angle: -2}}}}}}
outputs: {{first: r_angle, second: b_angle}}
simulate: {{end: 10}}""",
    "torsion": """mechanism:
  plane: xy
  coordinates: absolute
  bodies: {{r: {{mass: 1, center: [0, 0], inertia: {amount}}}}}
  joints: {{a: {{revolute: {{between: [ground, r], at: [0, 0]}}, start: {{rate: {fast}}}}}}}
  forces: {{spring: {{actuator: {{joint: a, effort: 0, stiffness: {soft}, natural: 0}}}}}}
outputs: {{angle: a_angle}}
simulate: {{end: 10}}""",
    "driven-four-bar": """mechanism:
  plane: xy
  bodies:
    crank: {{mass: 1, center: [0.15, 0], inertia: 0.1}}
    rod: {{mass: 1, center: [0.8, 0.5], inertia: 0.1}}
    rocker: {{mass: 1, center: [1.3, 0.5], inertia: 0.1}}
  joints:
    a: {{revolute: {{between: [ground, crank], at: [0, 0]}}, motion: "{slow}*t"}}
    b: {{revolute: {{between: [crank, rod], at: [0.3, 0]}}}}
    c: {{revolute: {{between: [rod, rocker], at: [1.3, 1]}}}}
    d: {{revolute: {{between: [ground, rocker], at: [1.3, 0]}}}}
simulate: {{end: 10}}""",
    "four-bar": """mechanism:
  plane: xy
  gravity: [0, -9.81]
  bodies:
    crank: {{mass: {amount}, center: [0.15, 0], inertia: 0.1}}
    rod: {{mass: 1, center: [0.8, 0.5], inertia: 0.1}}
    rocker: {{mass: 1, center: [1.3, 0.5], inertia: 0.1}}
  joints:
    a: {{revolute: {{between: [ground, crank], at: [0, 0]}}, start: {{rate: {slow}}}}}
    b: {{revolute: {{between: [crank, rod], at: [0.3, 0]}}}}
    c: {{revolute: {{between: [rod, rocker], at: [1.3, 1]}}}}
    d: {{revolute: {{between: [ground, rocker], at: [1.3, 0]}}}}
simulate: {{end: 4}}""",
    "stop": """mechanism:
  plane: xy
  gravity: [0, -9.81]
  bodies: {{arm: {{mass: 1, center: [0.5, 0], inertia: 0.1}}}}
  joints:
    pin: {{revolute: {{between: [ground, arm], at: [0, 0]}}, start: {{rate: {slow}}},
          stops: {{angle: {{low: -2, high: 2, stiffness: {stiff}, damping: 0.1}}}}}}
simulate: {{end: 3}}""",
    "floor": """mechanism:
  gravity: [0, 0, -9.81]
  bodies: {{ball: {{mass: 1, center: [0, 0, {amount}], inertia: [0.004, 0.004, 0.004]}}}}
  joints: {{fly: {{free: {{between: [ground, ball], at: [0, 0, {amount}]}}, start: {{x_rate: 0.3, rotation_y_rate: 2}}}}}}
  forces:
    floor: {{contact: {{between: [ground, ball], at: [0, 0, -0.5], normal: z, center: [0, 0, {amount}], radius: 0.1,
                      stiffness: {stiff}, damping: 0.05, friction: 0.2}}}}
simulate: {{end: 1.5}}""",
    "joint-friction": """mechanism:
  plane: xy
  gravity: [0, -9.81]
  bodies: {{arm: {{mass: {amount}, center: [0.5, 0], inertia: 0.1}}}}
  joints:
    pin: {{revolute: {{between: [ground, arm], at: [0, 0]}}, start: {{rate: {slow}}},
          friction: {{static: 0.3, slip: 0.01, radius: 0.05, preload: 5}}}}
simulate: {{end: 4}}""",
    "prescribed-corner": """equations:
  coordinates: {{x: vx, y: vy}}
  mass: [1, 1]
  force: [0, -9.81]
  constraints: {{rod: "((x - {soft}*max(t - 1, 0))^2 + y^2 - 1)/2"}}
initial: {{values: {{x: 0, y: -1}}}}
simulate: {{end: 3}}""",
    "late-load": """mechanism:
  plane: xy
  gravity: [0, -9.81]
  bodies: {{arm: {{mass: 1, center: [0.5, 0], inertia: 0.1}}}}
  joints: {{pin: {{revolute: {{between: [ground, arm], at: [0, 0]}}, start: {{angle: -1.5707963267948966}}}}}}
  forces: {{blow: {{force: {{on: arm, at: [1, 0], value: ["if(t > {late} and t < {late} + {short}, 30, 0)", 0]}}}}}}
simulate: {{end: 10}}""",
    "rectified": """equations:
  coordinates: {{x: v}}
  mass: [1]
  force: ["max(sin({fast}*t), 0) - x - 0.2*v"]
simulate: {{end: 6}}""",
    "spin": """mechanism:
  bodies: {{t: {{mass: {amount}, center: [0, 0, 0], inertia: [2, 3, 4]}}}}
  joints: {{fly: {{free: {{between: [ground, t], at: [0, 0, 0]}},
                 start: {{rotation_x_rate: 0.01, rotation_y_rate: {slow}, rotation_z_rate: 0.02}}}}}}
simulate: {{end: 10}}""",
}


def draw(rng):
    """The numbers of a template."""
    return {
        "late": round(rng.uniform(1, 8), 3), "short": float("%.3g" % 10 ** rng.uniform(-2.5, -0.3)),
        "soft": float("%.3g" % 10 ** rng.uniform(-1, 1.5)), "stiff": float("%.3g" % 10 ** rng.uniform(0, 12)),
        "damp": float("%.3g" % 10 ** rng.uniform(-3, 1)), "gain": float("%.3g" % 10 ** rng.uniform(0, 3)),
        "slip": float("%.3g" % 10 ** rng.uniform(-4, 0)), "amount": float("%.3g" % 10 ** rng.uniform(-0.5, 0.5)),
        "fast": float("%.3g" % 10 ** rng.uniform(1, 3)), "slow": float("%.3g" % 10 ** rng.uniform(0, 1)),
    }


def generated(folder, variants):
    """(name, file, settings) of machines written into the folder."""
    os.makedirs(folder, exist_ok=True)
    for name, template in TEMPLATES.items():
        for k in range(variants):
            path = os.path.join(folder, "%s-%d.yaml" % (name, k))
            with open(path, "w") as file:
                file.write("trammel: 1\n" + template.format(**draw(random.Random("%s %d" % (name, k)))) + "\n")
            yield "%s-%d" % (name, k), path, []


def parameters(text):
    """The plain numbers of the section `parameters`."""
    section = re.search(r"^parameters:\s*\n((?:[ \t].*\n|\s*\n|#.*\n)*)", text, re.M)
    return re.findall(r"^  (\w+):\s*([-+0-9.eE]+)\s*(?:#.*)?$", section.group(1), re.M) if section else []


def of_tree(root, variants):
    """(name, file, settings): every model of the tree with variable steps, and with parameters moved by some percent."""
    files = sorted(glob.glob(root + "/examples/*.yaml") + glob.glob(root + "/examples/*/*.yaml") +
                   glob.glob(root + "/experiments/models/*.yaml"))
    for path in files:
        name = os.path.relpath(path, root)[:-5].replace("/", ":")
        text = open(path).read()
        steps = ["simulate.step.fixed=null"] if "fixed:" in text else []  # a tolerance means nothing for constant ones
        steps += ["simulate.max_order=null"] if "max_order:" in text else []  # each method has its own
        yield name, path, steps
        numbers = parameters(text)
        for k in range(variants if numbers else 0):
            rng = random.Random("%s %d" % (name, k))
            chosen = rng.sample(numbers, min(2, len(numbers)))
            yield ("%s~%d" % (name, k), path, steps +
                   ["parameters.%s=%.6g" % (key, float(value) * rng.uniform(0.8, 1.25)) for key, value in chosen])
