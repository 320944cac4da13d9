#!/usr/bin/env python3
"""Mutation testing: changes one operator or constant of a file, builds, runs the tests that should notice, and names the
changes that none of them noticed (survivors).
usage: mutate.py BUILD FILE TEST... [--count N] [--seconds S] [--seed K] [--list]
BUILD is a build folder of its own (the tree is copied into it), TEST the names of test programs (unit_test_events)."""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time

# what is found -> what it becomes
CHANGES = [(r"<=", "<"), (r">=", ">"), (r"(?<![<>=!-])<(?![<=])", "<="), (r"(?<![<>=!-])>(?![>=])", ">="), (r"==", "!="),
           (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
           (r"(?<=[\w)\]]) - (?=[\w(])", " + "), (r"(?<=[\w)\]]) \* (?=[\w(])", " / "), (r"\btrue\b", "false"),
           (r"\bfalse\b", "true"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])0(?![\w.])", "1"), (r"\bfmax\(", "fmin("),
           (r"\bfmin\(", "fmax("), (r"(?<=\()!(?=\w)", ""), (r"\bbreak;", ";"), (r"\+\+", "--")]


def mutants(text):
    """(position, old, new) of all changes outside of comments, texts and directives."""
    hidden = re.sub(r'//[^\n]*|"(?:\\.|[^"\\])*"|^\s*#[^\n]*', lambda m: " " * len(m.group()), text, flags=re.M)
    body = hidden.find("{")
    found = []
    for pattern, new in CHANGES:
        for m in re.finditer(pattern, hidden):
            if m.start() > body:
                found.append((m.start(), m.group(), new))
    return found


class Mutator:
    def __init__(self, arguments):
        self.a = arguments
        self.killed = self.not_built = 0
        self.survivors = []

    def build(self):
        return subprocess.run(["cmake", "--build", self.a.build, "--target"] + self.a.test, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def notice(self):
        for test in self.a.test:
            label, name = test.split("_", 1)
            program = os.path.join(os.path.abspath(self.a.build), "tests", label, name)
            try:
                got = subprocess.run([program], cwd=self.tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     timeout=self.limit, check=False)
            except subprocess.TimeoutExpired:
                return True
            if got.returncode != 0:
                return True
        return False

    def main(self):
        root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
        self.tree = os.path.join(os.path.abspath(self.a.build), "tree")
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, stdout=subprocess.PIPE, check=True,
                               text=True).stdout.split("\n")
        for name in filter(None, names):  # only what changed, so that little is built again
            source, target = os.path.join(root, name), os.path.join(self.tree, name)
            if not os.path.isfile(source):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.exists(target) or open(source, "rb").read() != open(target, "rb").read():
                shutil.copy(source, target)
        subprocess.run(["cmake", "-S", self.tree, "-B", self.a.build, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS=-O1"] +
                       (["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []),
                       stdout=subprocess.DEVNULL, check=True)
        path = os.path.join(self.tree, self.a.file)
        with open(path) as file:
            text = file.read()
        found = mutants(text)
        random.Random(self.a.seed).shuffle(found)
        if self.a.list:
            print(f"{self.a.file}: {len(found)} possible changes")
            return 0
        self.limit = 3600
        if not self.build():
            print("the tree does not build")
            return 2
        begin = time.monotonic()
        if self.notice():
            print("the tests fail without any change")
            return 2
        self.limit = 30 + 10 * (time.monotonic() - begin)  # a change that makes it endless is noticed
        tried, deadline = 0, time.monotonic() + self.a.seconds
        for position, old, new in found[:self.a.count]:
            if time.monotonic() > deadline:
                break
            with open(path, "w") as file:
                file.write(text[:position] + new + text[position + len(old):])
            tried += 1
            if not self.build():
                self.not_built += 1
            elif self.notice():
                self.killed += 1
            else:
                line = text.count("\n", 0, position) + 1
                self.survivors.append((line, old.strip(), new.strip(), text.split("\n")[line - 1].strip()))
        with open(path, "w") as file:
            file.write(text)
        for line, old, new, source in sorted(self.survivors):
            print(f"survived: {self.a.file}:{line}: '{old}' -> '{new}' in: {source}")
        print(f"mutations of {self.a.file}: {tried} of {len(found)} tried: {self.killed} noticed, {len(self.survivors)} survived, "
              f"{self.not_built} do not compile")
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("file")
    parser.add_argument("test", nargs="*")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    sys.exit(Mutator(parser.parse_args()).main())


main()
