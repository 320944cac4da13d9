#!/usr/bin/env python3
"""No type, function, include guard, enumerator or macro of src/ and include/ is defined in two files, and no name
is that of a type and of a function. usage: check_names.py [ROOT] | --self-test"""
import os
import sys
import tempfile

from source_tree import Tree, defined_twice

PARTS = ("src", "include")


def check(root):
    found = defined_twice(Tree(root, PARTS))
    for what, name, paths in found:
        print(f"{what} {name} is defined in {' and '.join(paths)}")
    return not found


def self_test():
    one = "#ifndef TRMI_A_H\n#define TRMI_A_H\nenum { TRMI_GROUND = -1 };\ntypedef struct trmi_a {\n    int x;\n} trmi_a;\n#endif\n"
    cases = [("#ifndef TRMI_A_H\n#define TRMI_A_H\n#endif\n", "include guard"),
             ("typedef struct {\n    int y;\n} trmi_a;\n", "type"),
             ("struct trmi_a {\n    int y;\n};\n", "type"),
             ("enum { TRMI_OTHER, TRMI_GROUND };\n", "constant or macro"),
             ("#define TRMI_GROUND 0\n", "constant or macro"),
             ("static inline int trmi_f(int x)\n{\n    return x;\n}\n", "function"),
             ("static inline int trmi_a(int x)\n{\n    return x;\n}\n", "type and function")]
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src"))

        def write(name, text):
            with open(os.path.join(root, "src", name), "w") as file:
                file.write(text)

        write("a.h", one)
        write("a.c", "// trmi_f(int x) {\nint trmi_f(int x)\n{\n    trmi_a a = {x};\n    return a.x;\n}\n")
        assert check(root), "a tree without double names was refused"
        for text, what in cases:
            write("b.h", text)
            found = defined_twice(Tree(root, PARTS))
            assert [f[0] for f in found] == [what], f"not found: {what} in {text}: {found}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        sys.exit(0)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(0 if check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "..")) else 1)
