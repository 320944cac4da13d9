#!/usr/bin/env python3
"""The vocabulary of names, comments and messages in src/, include/ and problems/, and of the documents, is that of the field.
words.txt lists words that are not, how often each may still occur (the number may only fall), and lines where a use is
right.
usage: check_words.py [--list WORD | --table] [ROOT] | --self-test"""
import os
import re
import sys
import tempfile

from source_tree import Tree

PARTS = ("src", "include", "problems")


def read_table(path):
    """lines `PATTERN COUNT INSTEAD`, `documents PATTERN COUNT INSTEAD`, and `allow FILE TEXT` for lines that contain the
    text: (words of the source, lines that are allowed, words of documents)"""
    words, allowed, documents = [], [], []
    with open(path) as file:
        for line in file:
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            if line.startswith("allow "):
                allowed.append(tuple(line.split(" ", 2)[1:]))
            else:
                of_documents = line.startswith("documents ")
                pattern, count, instead = line[len("documents ") if of_documents else 0:].split(None, 2)
                (documents if of_documents else words).append((pattern, int(count), instead))
    return words, allowed, documents


class Documents:
    """README.md and the like, docs/, the examples: by path relative to root"""

    def __init__(self, root):
        self.raw = {}
        for part in ("", "docs", "examples", "bench"):
            for folder, inside, names in os.walk(os.path.join(root, part)):
                for name in sorted(names):
                    if name.endswith((".md", ".yaml") if part else ".md"):
                        path = os.path.join(folder, name)
                        with open(path, errors="replace") as file:
                            self.raw[os.path.relpath(path, root)] = file.read()
                if not part:
                    inside.clear()


def expression(pattern):
    """a word stands alone or between underscores of a name; a pattern with an underscore is part of a name"""
    return re.compile(r"(?<![A-Za-z])(?:" + pattern + r")(?![A-Za-z])", 0 if "_" in pattern else re.I)


def occurrences(tree, pattern, allowed):
    regex = expression(pattern)
    for path, text in sorted(tree.raw.items()):
        exempt = [part for file, part in allowed if file == path]
        for number, line in enumerate(text.split("\n"), 1):
            if not any(part in line for part in exempt):
                for _ in regex.finditer(line):
                    yield path, number, line.strip()


def check(root, table):
    source, written, (words, allowed, documents) = Tree(root, PARTS), Documents(root), read_table(table)
    good = True
    for tree, (pattern, budget, instead) in [(source, w) for w in words] + [(written, w) for w in documents]:
        found = list(occurrences(tree, pattern, allowed))
        if len(found) > budget:
            good = False
            print(f"'{pattern}' occurs {len(found)} times, {budget} are left in words.txt; write {instead}:")
            for path, number, line in found:
                print(f"    {path}:{number}: {line}")
        elif len(found) < budget:
            print(f"'{pattern}' occurs {len(found)} times: lower its number in words.txt from {budget}")
    return good


def self_test():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src"))
        table = os.path.join(root, "words.txt")
        source = os.path.join(root, "src", "a.c")

        def run(text, words):
            with open(source, "w") as file:
                file.write(text)
            with open(table, "w") as file:
                file.write(words)
            return check(root, table)

        words = "# comment\ntold 1 reported\n\\w+_MOST 0 MAX_\nallow src/a.c as we were told\n"
        assert run("int told; // toldest, mostly, at most\n", words)
        assert run("// as we were told\nint told;\n", words)
        print("expected:")
        assert not run("bool spoilt_told; // Told\n", words)
        assert not run("enum { FAILURES_MOST = 3 };\n", words)
        os.makedirs(os.path.join(root, "docs"))
        with open(os.path.join(root, "docs", "a.md"), "w") as file:
            file.write("It is formed anew.\n")
        assert run("\n", "anew 0 again\n")
        assert not run("\n", "documents anew 0 again\n")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        self_test()
        sys.exit(0)
    here = os.path.dirname(os.path.abspath(__file__))
    table = os.path.join(here, "words.txt")
    root = os.path.join(here, "..", "..")
    if arguments[:1] == ["--list"]:
        for path, number, line in occurrences(Tree(arguments[2] if arguments[2:] else root, PARTS), arguments[1],
                                              read_table(table)[1]):
            print(f"{path}:{number}: {line}")
        sys.exit(0)
    if arguments[:1] == ["--table"]:
        tree, (words, allowed, _) = Tree(arguments[1] if arguments[1:] else root, PARTS), read_table(table)
        for pattern, _, instead in words:
            print(f"{pattern} {sum(1 for _ in occurrences(tree, pattern, allowed))} {instead}")
        sys.exit(0)
    sys.exit(0 if check(arguments[0] if arguments else root, table) else 1)
