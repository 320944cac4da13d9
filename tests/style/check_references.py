#!/usr/bin/env python3
"""What comments say about files is true: files that a comment names exist, and a function whose declaration is said to
be in a file ("// name.c ---" above it, "name.c: ..." or "(name.c)" in its comment) is defined there.
usage: check_references.py [ROOT] | --self-test"""
import os
import re
import sys
import tempfile

from source_tree import NAME, Tree, functions

PARTS = ("src", "include", "problems")
FILE = r"(?:\w+/)*\w+\.[ch]\b(?![\w/])"
SOURCE = FILE.replace("[ch]", "c")
DECLARATION = re.compile(r"^(?!static\b|typedef\b|#|//)[A-Za-z_][\w\s\*]*?\b(" + NAME + r")\s*\(")


def missing_files(tree, known):
    """(path, line, name) of files that comments name and that are nowhere"""
    for path, text in tree.raw.items():
        for number, line in enumerate(text.split("\n"), 1):
            comment = re.search(r"//(.*)", line)
            for name in re.findall(FILE, comment.group(1)) if comment else []:
                if not any(("/" + file).endswith("/" + name) for file in known):
                    yield path, number, name


def claimed_homes(text):
    """(line, function, file) of the declarations of a header that are said to be in a file"""
    section, above = None, ""
    for number, line in enumerate(text.split("\n"), 1):
        heading = re.match(r"// (.*?) -{5,}$", line)
        found = DECLARATION.match(line)
        if heading:
            section = heading.group(1) if re.fullmatch(SOURCE, heading.group(1)) else None
        elif line.startswith("//"):
            above += " " + line[2:].strip()
        elif found:
            own = re.search(r"// (" + SOURCE + ")", line)
            said = re.match(r"\s*(" + SOURCE + "):", above) or re.search(r"\((" + SOURCE + r")\)", above)
            home = own or said
            if home or section:
                yield number, found.group(1), home.group(1) if home else section
        if not line.startswith("//"):
            above = ""


def check(root):
    tree = Tree(root, PARTS)
    homes, good = functions(tree), True
    known = {os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
             for part in (*PARTS, "tests", "examples", "bench", "viewer")
             for folder, _, names in os.walk(os.path.join(root, part)) for name in names}
    for path, number, name in missing_files(tree, known):
        print(f"{path}:{number}: there is no file {name}")
        good = False
    for path, text in tree.raw.items():
        for number, function, home in claimed_homes(text) if path.endswith(".h") else []:
            there = homes.get(function)
            if there and not any(("/" + file).endswith("/" + home) for file in there):
                print(f"{path}:{number}: {function} is said to be in {home}, but is in {', '.join(sorted(there))}")
                good = False
    return good


def self_test():
    header = "// a.c ---------\nvoid trmi_one(void);\n// In another file (b.c).\nvoid trmi_two(int x,\n              int y);\n// b.c: the third.\nint trmi_three(void);\n"
    wrong = [("// see gone.h\n" + header, "a file that is gone"),
             (header.replace("(b.c)", "(a.c)"), "a function in another file than in brackets"),
             (header.replace("b.c: the", "a.c: the"), "a function in another file than before the colon"),
             (header.replace("// a.c -", "// b.c -"), "a function in another file than the heading"),
             (header + "void trmi_two(int x, int y); // a.c\n", "a function in another file than behind it")]
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src"))

        def write(name, text):
            with open(os.path.join(root, "src", name), "w") as file:
                file.write(text)

        write("a.c", "void trmi_one(void)\n{\n}\n")
        write("b.c", "void trmi_two(int x, int y)\n{\n}\n\nint trmi_three(void)\n{\n    return 3;\n}\n")
        write("a.h", header)
        assert check(root), "true comments were refused"
        for text, what in wrong:
            write("a.h", text)
            assert not check(root), f"not found: {what}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        sys.exit(0)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(0 if check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "..")) else 1)
