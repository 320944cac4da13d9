#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schema on standard input is JSON, accepts good models and refuses bad ones.

Knows the words of JSON Schema that the table of keys uses, and insists that there are no others.
"""
import copy
import json
import sys

KNOWN = {"$schema", "title", "description", "default", "type", "properties", "enum", "items",
         "additionalProperties", "required", "oneOf", "minimum", "maximum"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name):
    if name in ("number", "integer"):
        right = isinstance(value, (int, float)) and not isinstance(value, bool)
        return right and (name == "number" or value == int(value))
    return isinstance(value, TYPES[name])


def accepts(schema, value):
    if isinstance(schema, bool):
        return schema
    assert set(schema) <= KNOWN, f"unknown words {set(schema) - KNOWN}"
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    good = not types or any(has_type(value, name) for name in types)
    if "enum" in schema:
        good = good and value in schema["enum"]
    if has_type(value, "number"):
        good = good and schema.get("minimum", value) <= value <= schema.get("maximum", value)
    if isinstance(value, list):
        good = good and all(accepts(schema.get("items", True), item) for item in value)
    if isinstance(value, dict):
        good = good and all(name in value for name in schema.get("required", []))
        if "oneOf" in schema:
            good = good and sum(accepts(one, value) for one in schema["oneOf"]) == 1
        for name, item in value.items():
            rest = schema.get("additionalProperties", True)
            good = good and accepts(schema.get("properties", {}).get(name, rest), item)
    return good


def check_presets(schema, path=""):
    """Every default is valid where it stands, every key has a description."""
    if not isinstance(schema, dict):
        return
    assert path == "" or schema["description"], path
    if "default" in schema:
        assert accepts(schema, schema["default"]), f"{path}: default {schema['default']}"
    for name, below in schema.get("properties", {}).items():
        check_presets(below, f"{path}.{name}")
    check_presets(schema.get("additionalProperties"), f"{path}.*")


# the example of the format, with every key of the common part
EXAMPLE = {
    "trammel": 1, "name": "Point mass on a circle", "parameters": {"eps": 1e-4, "k": "1/eps^2"},
    "equations": {
        "define": {"l": "sqrt((x - x0)^2 + (y - y0)^2)"}, "inputs": {"u": "0.1*sin(2*pi*t)"},
        "coordinates": {"x": "w", "y": "z"}, "mass": [1, 1],
        "force": ["-x*k", "-(y + 1)*k - 1"], "states": {"s": "w - s"},
        "algebraic": {"xi": "xi^3 + xi - x"}, "constraints": {"circle": "(x^2 + y^2 - 1)/2"},
        "velocity_constraints": {}, "energy": {"potential": "x^2*k/2"}},
    "initial": {"values": {"x": 0, "y": -1, "w": 1}, "consistent": "project"},
    "simulate": {
        "start": 0, "end": 0.25, "integrator": "bdf", "formulation": "cs", "tolerance": 1e-3,
        "max_order": 5, "control": "default",
        "step": {"initial": None, "min": None, "max": None, "fixed": None}, "rho": 0.8,
        "newton": {"tolerance": None, "max_iterations": None},
        "jacobian": {"source": "auto", "update": "auto"}, "linear_solver": "auto",
        "output_times": [0.1, 0.2], "output_interval": None},
    "outputs": {"height": "y + 1"},
    "events": {"floor": {"when": "y", "direction": "falling", "set": {"z": "-z"}}}}

# path, value: what else is accepted, and what is not
GOOD = [("simulate.tolerance", {"relative": 1e-6, "absolute": {"x": 1e-9}}),
        ("simulate.output_interval", "steps"), ("equations.mass", [["1", 0], [0, "x"]]),
        ("events", None), ("units", {"x": "m"}), ("simulate.formulation", "baumgarte")]
BAD = [("trammel", 2), ("trammel", None), ("simulat", {}), ("simulate.end", [1]),
       ("simulate.integrator", "euler"), ("simulate.max_order", 19), ("simulate.max_order", 2.5),
       ("problem", {"name": "pendulum"}), ("equations.mass", 1), ("equations.mass", [[[1]]]),
       ("simulate.tolerance", {"rel": 1}), ("events", {"floor": {"action": "stop"}}),
       ("simulate.tolerance", 0.5), ("equations.energy", {"kinetic": "1"})]


def changed(path, value):
    model = copy.deepcopy(EXAMPLE)
    *sections, key = path.split(".")
    place = model
    for name in sections:
        place = place[name]
    place[key] = value
    return model


schema = json.load(sys.stdin)
assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
check_presets(schema)
assert accepts(schema, EXAMPLE)
assert not accepts(schema, {"trammel": 1})
assert accepts(schema, {"trammel": 1, "problem": {"name": "pendulum-chain", "links": 16}})
assert not accepts(schema, {"trammel": 1, "problem": {"links": 16}})
assert accepts(schema, {"trammel": 1, "mechanism": {"gravity": [0, -9.81, 0], "bodies": {}}})
pin = {"revolute": {"between": ["ground", "crank"], "at": [0, 0, 0], "axis": "z"}, "start": {"angle": 1}}
machine = {"bodies": {"crank": {"mass": 1, "center": [1, 0, 0]}}, "joints": {"pin": pin}}
assert accepts(schema, {"trammel": 1, "mechanism": machine})
pin["prismatic"] = pin["revolute"]
assert not accepts(schema, {"trammel": 1, "mechanism": machine})
pin.pop("prismatic")
pin["revolute"]["pitch"] = 1
assert not accepts(schema, {"trammel": 1, "mechanism": machine})
for path, value in GOOD:
    assert accepts(schema, changed(path, value)), f"refused: {path} = {value}"
for path, value in BAD:
    assert not accepts(schema, changed(path, value)), f"accepted: {path} = {value}"
