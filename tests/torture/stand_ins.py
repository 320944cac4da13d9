"""What commands need besides the program: a browser and an ffmpeg that do nothing, a reader of the live page, a study and files of
trammel optimize with their model."""
import http.client
import os
import re
import subprocess

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
BROWSER = f"#!/bin/sh\nprintf '<pre id=\"film\">{PICTURE}\\n{PICTURE}\\n</pre>'\n"
FFMPEG = "#!/bin/sh\nfor last; do :; done\necho movie >\"$last\"\n"
FILES = {"swing.yaml": """trammel: 1
name: Swing
parameters: {l: 1, c: 0.1}
equations: {coordinates: {phi: omega}, mass: ["l^2"], force: ["-9.81*l*sin(phi) - c*omega"]}
initial: {values: {phi: 1}}
outputs: {speed: "l*omega"}
simulate: {end: 1, output_interval: 0.05}
""", "study.yaml": """trammel-study: 1
model: swing.yaml
parameters: {l: [0.5, 1, 1.5], c: [0, 0.2]}
record: {end: [phi], maximum: [speed], channels: [phi], times: 3}
""", "part.yaml": """trammel-study: 1
model: swing.yaml
parameters: {l: [1.5, 1], c: [0.2]}
record: {end: [phi], maximum: [speed], channels: [phi], times: 3}
""", "fit.yaml": """trammel-optimization: 1
model: swing.yaml
parameters: {l: {start: 0.9, min: 0.5, max: 2}, c: {start: 0.2, min: 0, max: 1}}
fit: {data: data.csv, time: t, channels: {phi: phi}}
""", "least.yaml": """trammel-optimization: 1
model: swing.yaml
parameters: {c: {start: 0.2, min: 0, max: 1}}
minimize: {end: speed}
""", "data.csv": "t,phi\n0,1\n0.2,0.82\n0.4,0.35\n0.6,-0.24\n0.8,-0.73\n1,-0.96\n"}


def write(folder):
    """The files, and in the folder `programs` what is started."""
    programs = os.path.join(folder, "programs")
    os.makedirs(programs, exist_ok=True)
    for name, text in {**FILES, "programs/browser": BROWSER, "programs/ffmpeg": FFMPEG}.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for name in ("browser", "ffmpeg"):
        os.chmod(os.path.join(programs, name), 0o755)


def environment(folder):
    programs = os.path.join(folder, "programs")
    return {**os.environ, "TRM_BROWSER": os.path.join(programs, "browser"), "PATH": programs + ":" + os.environ["PATH"]}


def visit(port):
    """As a browser does that shows the page once."""
    for method, address in (("GET", "/"), ("GET", "/data?7"), ("POST", "/closed?7")):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        try:
            connection.request(method, address)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return  # the run has ended
        finally:
            connection.close()


def run(line, **how):
    """subprocess.run, with a visit where the command serves a page."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace", **how}
    if "--watch" not in line:
        return subprocess.run(line, check=False, **how)
    timeout, errors = how.pop("timeout"), ""
    with subprocess.Popen(line, **{**how, "stdout": subprocess.DEVNULL}) as process:
        for row in process.stderr:
            errors += row
            port = re.search(r"http://127.0.0.1:(\d+)/", row)
            if port:
                visit(int(port.group(1)))
        process.wait(timeout)
    return subprocess.CompletedProcess(line, process.returncode, "", errors)


def lost_rows(before, after):
    """Rows of a table of a study, but for their numbers, that are there no more."""
    if not os.path.exists(after):
        return ["the file"]
    with open(before) as old, open(after, errors="replace") as new:
        there = {row.partition(",")[2] for row in new}
        return [row for row in old if row.partition(",")[2] not in there]


def other_rows(whole, table):
    """Rows of a table that is complete that are not those of an undisturbed study, nor of runs that failed."""
    with open(whole) as right, open(table, errors="replace") as got:
        right, got = right.read().split("\n"), got.read().split("\n")
    if len(right) != len(got):
        return [f"{len(got)} lines instead of {len(right)}"]
    return [b for a, b in zip(right, got) if a != b and ",failed," not in b]
