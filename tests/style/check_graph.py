#!/usr/bin/env python3
"""Files that call each other in a cycle cannot be read, tested or moved one by one: no cycle of .c files of the
whole tree is longer than LIMIT. usage: check_graph.py [--limit N] [ROOT] | --self-test"""
import os
import sys
import tempfile

from source_tree import Tree, call_graph, closing_calls, cycles

LIMIT = 6


def check(root, limit):
    graph = call_graph(Tree(root))
    bad = [cycle for cycle in cycles(graph) if len(cycle) > limit]
    for cycle in bad:
        print(f"{len(cycle)} files call each other, {limit} are allowed:")
        for path in cycle:
            print("   ", path)
        print("calls that close the cycle:")
        for path, other, names in closing_calls(graph, cycle):
            print(f"    {path} calls {', '.join(names)} of {other}")
    return not bad


def self_test():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src", "deep"))

        def ring(n, close):
            for i in range(n):
                called = f"trmi_f{(i + 1) % n}(0);" if close or i + 1 < n else "/* trmi_f0(0); */"
                with open(os.path.join(root, "src", "deep" if i % 2 else "", f"f{i}.c"), "w") as file:
                    file.write(f'static const char *s = "trmi_f0()";\n\nint trmi_f{i}(int x)\n{{\n    {called}\n}}\n')

        ring(4, True)
        assert check(root, 4), "a cycle of the allowed length was refused"
        ring(8, False)
        assert check(root, 1), "a chain was taken for a cycle"
        ring(8, True)
        print("expected:")
        assert not check(root, 7), "a cycle was not found"
        graph = call_graph(Tree(root))
        assert len(closing_calls(graph, cycles(graph)[0])) == 1, "one call closes a ring"


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        self_test()
        sys.exit(0)
    limit = LIMIT
    if arguments[:1] == ["--limit"]:
        limit = int(arguments[1])
        arguments = arguments[2:]
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(0 if check(arguments[0] if arguments else os.path.join(here, "..", ".."), limit) else 1)
