"""The C files of a source tree as text: functions and the calls between files, names and the files that define
them. The text is read by patterns, not by a compiler; calls through function pointers are not followed."""
import collections
import os
import re

NAME = r"(?:trmi?|TRMI?)_\w+"
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "else", "do"}


def strip(text, strings=True):
    """text without comments and, on request, without string literals; line breaks stay"""

    def blank(match):
        found = match.group(0)
        if found.startswith('"') and not strings:
            return found
        return ('""' if found.startswith('"') else " ") + "\n" * found.count("\n")

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


class Tree:
    """the .c and .h files below the folders `parts` of `root`, by path relative to root"""

    def __init__(self, root, parts=("src",)):
        self.raw = {}
        for part in parts:
            for folder, _, names in os.walk(os.path.join(root, part)):
                for name in sorted(names):
                    if name.endswith((".c", ".h")):
                        path = os.path.join(folder, name)
                        with open(path, errors="replace") as file:
                            self.raw[os.path.relpath(path, root)] = file.read()
        self.code = {path: strip(text) for path, text in self.raw.items()}

    def sources(self):
        return [path for path in self.code if path.endswith(".c")]


DEFINITION = re.compile(r"^(?!static\b|typedef\b|#)([A-Za-z_][\w\s\*]*?)\b(" + NAME + r")\s*\([^;{}]*\)\s*\{", re.M)
INLINE = re.compile(r"^static\s+inline\b[\w\s\*]*?\b(" + NAME + r")\s*\([^;{}]*\)\s*\{", re.M)


def functions(tree):
    """name -> set of files that define the function for other files"""
    found = collections.defaultdict(set)
    for path, code in tree.code.items():
        for match in DEFINITION.finditer(code):
            found[match.group(2)].add(path)
        if path.endswith(".h"):
            for match in INLINE.finditer(code):
                found[match.group(1)].add(path)
    return found


def call_graph(tree):
    """{file: {file it calls: sorted names of the functions}}"""
    home = {name: path for name, paths in functions(tree).items() for path in paths if path.endswith(".c")}
    graph = {path: collections.defaultdict(set) for path in tree.sources()}
    for path in graph:
        for name in set(re.findall(r"\b(" + NAME + r")\s*\(", tree.code[path])):
            other = home.get(name)
            if other and other != path:
                graph[path][other].add(name)
    return {path: {other: sorted(names) for other, names in calls.items()} for path, calls in graph.items()}


def cycles(graph, nodes=None):
    """the sets of files that reach each other (strongly connected, more than one file), largest first"""
    nodes = set(graph if nodes is None else nodes)
    index, low, stack, out = {}, {}, [], []
    for root in sorted(nodes):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        work = [(root, iter(sorted(set(graph[root]) & nodes)))]
        while work:
            node, rest = work[-1]
            child = next(rest, None)
            if child is not None:
                if child not in index:
                    index[child] = low[child] = len(index)
                    stack.append(child)
                    work.append((child, iter(sorted(set(graph[child]) & nodes))))
                elif child in stack:
                    low[node] = min(low[node], index[child])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                part = stack[stack.index(node):]
                del stack[stack.index(node):]
                if len(part) > 1:
                    out.append(sorted(part))
    return sorted(out, key=len, reverse=True)


def closing_calls(graph, cycle):
    """Few calls whose removal would leave no cycle: the files are put in an order with most calls pointing
    forward (Eades, Lin and Smyth), the others are returned as (file, called file, names)."""
    rest, first, last = set(cycle), [], []
    calls = {f: set(graph[f]) & rest for f in rest}
    while rest:
        sinks = [f for f in sorted(rest) if not calls[f] & rest]
        sources = [f for f in sorted(rest) if not any(f in calls[g] for g in rest)]
        if sinks:
            last.insert(0, sinks[0])
            rest.remove(sinks[0])
        else:
            chosen = sources[0] if sources else max(
                sorted(rest), key=lambda f: len(calls[f] & rest) - sum(f in calls[g] for g in rest))
            first.append(chosen)
            rest.remove(chosen)
    rank = {f: k for k, f in enumerate(first + last)}
    return [(f, g, graph[f][g]) for f in sorted(cycle) for g in sorted(calls[f]) if rank[g] < rank[f]]


def enumerators(code):
    """(name, value or None) of the enumerators written out in the text"""
    for body in re.findall(r"\benum\b[^{;()]*\{([^}]*)\}", code):
        for item in body.split(","):
            match = re.match(r"\s*([A-Z]\w*)\s*(?:=\s*(.*\S))?\s*$", item, re.S)
            if match:
                yield match.group(1), match.group(2)


def defined_twice(tree):
    """[(what, name, files)]: types, functions, include guards, enumerators and macros with two meanings"""
    found = []
    types, guards, values = (collections.defaultdict(set) for _ in range(3))
    for path, code in tree.code.items():
        names = re.findall(r"^\}\s*(" + NAME + r");", code, re.M)
        names += re.findall(r"^(?:typedef\s+)?(?:struct|union|enum)\s+(" + NAME + r")\s*\{", code, re.M)
        names += re.findall(r"^typedef\b[^;{}]*\(\*(" + NAME + r")\)", code, re.M)
        for name in names:
            types[name].add(path)
        if path.endswith(".h"):
            match = re.search(r"^#ifndef\s+(\w+_H)\b", code, re.M)
            if match:
                guards[match.group(1)].add(path)
        for name, _ in enumerators(code):
            if name.startswith(("TRM_", "TRMI_")):
                values[name].add(path)
        for name in re.findall(r"^#\s*define\s+(TRMI?_\w+)", code, re.M):
            if not name.endswith("_H"):
                values[name].add(path)
    for what, table in (("type", types), ("function", functions(tree)), ("include guard", guards),
                        ("constant or macro", values)):
        found += [(what, name, sorted(paths)) for name, paths in sorted(table.items()) if len(paths) > 1]
    known = functions(tree)
    found += [("type and function", name, sorted(types[name] | known[name])) for name in sorted(types)
              if name in known]
    return found


def bodies(code):
    """(name, text of the body) of every function definition of a .c file, static ones too"""
    for match in re.finditer(r"^[A-Za-z_][\w\s\*]*?\b(\w+)\s*\([^;{}]*\)\s*\n?\{", code, re.M):
        if match.group(1) in KEYWORDS:
            continue
        end = code.find("\n}", match.end() - 1)
        yield match.group(1), code[match.end() - 1:end + 2]
