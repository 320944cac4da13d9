#!/usr/bin/env bash
# What a newcomer meets: plots without options, messages about wrong names, the width of the
# progress line, completion, manual pages, names and units in files, the size that check predicts.
. "$(dirname "$0")/lib.sh"
mechanisms=$root/examples/mechanisms
expect_done "$trammel" run "$mechanisms/slider-crank.yaml" -q --csv
expect_done "$trammel" run "$mechanisms/slider-crank.yaml" -q --out other --set simulate.end=0.5

# ---- plots ----
expect 0 "$trammel" plot slider-crank.h5 -o all.svg
says all.svg "shaft_angle, pin_angle [rad]" "bore_travel [m]" "total energy [J]" "length of the step [s]"
expect 0 "$trammel" plot slider-crank.h5 other/slider-crank.h5 stroke 'body/rod_?' -o both.svg
says both.svg "stroke (slider-crank.h5)" "stroke (other/slider-crank.h5)" "rod_y (other/slider-crank.h5)"
expect 2 "$trammel" plot slider-crank.h5 nochannel
says err "there is no channel 'nochannel' in slider-crank.h5; trammel info slider-crank.h5 --names lists them"
! grep -q "written or read" err || fail "a wrong name is not a problem of the file"
expect 2 "$trammel" plot slider-crank.h5 strok
says err "did you mean stroke?"
expect 2 "$trammel" plot slider-crank.h5 'zz*'
says err "no channel fits 'zz*'"
expect 2 "$trammel" plot slider-crank.h5 '*'
says err "but a panel has at most 24 curves"
expect 2 "$trammel" plot slider-crank.h5 --ouput x
says err "did you mean '--out'?"
expect 2 "$trammel" plot slider-crank.h5 --theme blue
says err "--theme is auto, light or dark, not 'blue'"

# a path: a metre is as long in x as in y, from the ticks of both axes
expect 0 "$trammel" plot slider-crank.h5 rod_y -x rod_x -o path.svg
expect 0 "$trammel" plot slider-crank.h5 rod_y -x rod_x -o free.svg --scales free
python3 - <<'END' || bad=1
import re
def scales(path):
    text = open(path).read().replace("\u2212", "-")
    labels = re.findall(r'<text[^>]*x="([\d.]+)" y="([\d.]+)"[^>]*text-anchor="(\w+)"[^>]*>(-?[\d.]+)</text>', text)
    if not labels:
        labels = [(x, y, a, v) for a, x, y, v in
                  re.findall(r'<text[^>]*text-anchor="(\w+)"[^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>(-?[\d.]+)</text>', text)]
    x = [(float(a), float(v)) for a, _, anchor, v in labels if anchor == "middle"]
    y = [(float(b), float(v)) for _, b, anchor, v in labels if anchor == "end"]
    assert len(x) > 2 and len(y) > 2, (path, labels)
    slope = lambda p: abs((p[-1][0] - p[0][0]) / (p[-1][1] - p[0][1]))
    return slope(x) / slope(y)
assert abs(scales("path.svg") - 1) < 0.02, scales("path.svg")  # coordinates have two decimals
assert abs(scales("free.svg") - 1) > 0.5, scales("free.svg")
END

# ---- a result in place of a model ----
for command in run check equilibrium modes; do
    expect 3 "$trammel" $command slider-crank.h5
    says err "slider-crank.h5 is a result, not a model"
done

# ---- names, units ----
head -1 slider-crank.csv | tr ',' '\n' >header
says header "constraint/position" "constraint/velocity" "wrist_x [N]" "total [J]"
! grep -qx 'position\|velocity' header || fail "a norm of the constraints is called like the group of positions"
sed 's/crank:/a_crank_with_a_long_name_of_many_letters:/; s/\[crank,/[a_crank_with_a_long_name_of_many_letters,/; s/, crank\]/, a_crank_with_a_long_name_of_many_letters]/' \
    "$mechanisms/four-bar.yaml" >long.yaml
expect_done "$trammel" run long.yaml -q
expect 0 "$trammel" info long.h5
python3 - <<'END' || bad=1
lines = [l for l in open("out") if l.startswith("  ") and " .. " in l]
columns = {l.index(" .. ", 0) - len(l.split(" .. ")[0].split()[-1]) for l in lines}
assert len(columns) == 1, columns  # every range begins below the others
assert any("a_crank_with_a_long_name" in l for l in lines)
END
/usr/bin/python3 - <<'END' || bad=1
try:
    import h5py
except ImportError:
    raise SystemExit(0)
with h5py.File("slider-crank.h5") as f:
    assert f.attrs["features"].startswith("hdf5 "), f.attrs["features"]
    for scale in ("time", "solver/t", "events/t"):
        assert f[scale].attrs["CLASS"] == b"DIMENSION_SCALE"
    assert f["body/rod_x"].dims[0][0].name == "/time" and f["solver/h"].dims[0][0].name == "/solver/t"
    assert f["body/rod_x"].attrs["units"] == "m" and f["multiplier/wrist_x"].attrs["units"] == "N"
    users = []
    f.visititems(lambda name, item: users.append(name) if "DIMENSION_LIST" in item.attrs else None)
    assert len(f["time"].attrs["REFERENCE_LIST"]) == len([u for u in users if u.split("/")[0] not in ("solver", "events")])
END
/usr/bin/python3 - <<'END' || bad=1
try:
    import h5netcdf, xarray
except ImportError:
    raise SystemExit(0)
with xarray.open_dataset("slider-crank.h5", engine="h5netcdf", group="body") as body:
    assert body["rod_x"].dims == ("time",) and body["rod_x"].attrs["units"] == "m", body
with xarray.open_dataset("slider-crank.h5", engine="h5netcdf", group="solver") as solver:
    assert solver["h"].dims == ("t",) and solver.indexes["t"].is_monotonic_increasing, solver
END
if command -v ncdump >/dev/null; then
    ncdump -h slider-crank.h5 >netcdf 2>&1 || fail "ncdump: $(head -1 netcdf)"
    says netcdf "double rod_x(time)" 'rod_x:units = "m"' "double h(t)"
fi

# ---- the size that check predicts: never less; steps compress well, so up to 2.5 times as much ----
for model in slider-crank four-bar excavator; do
    expect_done "$trammel" run "$mechanisms/$model.yaml" -q --out sizes
    expect 0 "$trammel" check "$mechanisms/$model.yaml"
    megabytes=$(sed -n 's/.*at most \([0-9.]*\) MB.*/\1/p' out)
    steps=$("$trammel" info --summary sizes/$model.h5 | sed 's/.*"steps": \([0-9]*\).*/\1/')
    python3 -c "
import os
size, most = os.path.getsize('sizes/$model.h5'), 1e6*$megabytes + 88*$steps
assert size <= 1.005*most and most < 2.5*size, ('$model', size, most)" || bad=1
done

# ---- progress: one line of a terminal of that width, no line of the scrollback ----
cat >slow.yaml <<'END'
trammel: 1
name: A pendulum with a name that is as long as names become when people describe what they do
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: [0, -9.81]
  constraints: {rod: "(x^2 + y^2 - 1)/2"}
initial: {values: {x: 1}}
simulate: {end: 20000, tolerance: 1.0e-9, output_interval: 1000}
END
cat >terminal.py <<'END'
import fcntl, os, pty, re, signal, struct, sys, termios
for width in (100, 80, 40):
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        os.execv(sys.argv[1], [sys.argv[1], "run", "slow.yaml", "--no-hdf5", "--no-checkpoint", "--no-verify"])
    text, lines = b"", []
    while len(lines) < 4:  # renewed three times
        try:
            text += os.read(terminal, 4096)
        except OSError:
            break
        lines = text.decode(errors="replace").split("\r\x1b[K")
    os.kill(pid, signal.SIGINT)
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    shown = lines[1:-1]
    assert len(shown) >= 2, text
    for line in shown:
        assert len(line) < width and "\n" not in line, (width, line)
        assert re.search(r"\d %  t \d+/20000 s", line), line
    assert width < 80 or "left" in shown[-1], shown[-1]
END
timeout 600 python3 terminal.py "$trammel" || fail "progress line"

# ---- completion ----
# offers WORD... -- CANDIDATE...: all of them are offered for the last of the words
offers() {
    local words=()
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    "$trammel" completion words -- "${words[@]}" | cut -f1 >offered
    for candidate in "$@"; do
        grep -qxF -- "$candidate" offered || fail "not offered after ${words[*]}: $candidate"
    done
}
offers ru -- run ":files yaml yml json"
offers run --pro -- --progress
offers run --progress "" -- auto always never json
offers run --progress=ne -- --progress=never
offers run --progress = ne -- never
offers run --set simulate.tol -- simulate.tolerance=
offers run --set simulate.integrator=ra -- simulate.integrator=radau
offers run model.yaml --out "" -- :folders
offers plot "" -- ":files h5 csv"
offers plot slider-crank.h5 stro -- stroke
offers plot slider-crank.h5 stroke,body/rod_ -- stroke,body/rod_x stroke,body/rod_angle
offers plot slider-crank.h5 -x sh -- shaft_angle
offers new four -- four-bar
offers help pl -- plot
offers slider-crank.yaml --vie -- --view
"$trammel" completion bash >bash.sh
touch some.yaml
mkdir folder
cat >ask.sh <<'END'
. ./bash.sh
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trammel; printf '%s\n' "${COMPREPLY[*]}"; }
ask "$1" run --prog
ask "$1" run so
ask "$1" run --out fo
ask "$1" plot slider-crank.h5 strok
END
bash ask.sh "$trammel" >asked
printf '%s\n' --progress some.yaml folder stroke | diff - asked >difference || fail "bash: $(cat difference)"
if command -v zsh >/dev/null; then
    "$trammel" completion zsh >_trammel
    zsh -n _trammel || fail "zsh"
    # the function of zsh with its builtins replaced
    cat >ask.zsh <<'END'
compdef() { :; }
compadd() { while [[ $1 != -a ]]; do shift; done; print -l -- ${(P)2}; }
_files() { print -- "files $@"; }
source ./_trammel
words=("$1" run --prog) CURRENT=3 _trammel
words=("$1" run '') CURRENT=3 _trammel
END
    zsh -f ask.zsh "$trammel" >asked
    printf '%s\n' --progress 'files -g *.(yaml|yml|json)' | diff - asked >difference || fail "zsh: $(cat difference)"
fi
if command -v fish >/dev/null; then
    "$trammel" completion fish >trammel.fish
    PATH=$(dirname "$trammel"):$PATH fish --no-config -c 'source trammel.fish; complete -C "trammel run --prog"; complete -C "trammel run --progress nev"' |
        cut -f1 >asked
    printf '%s\n' --progress never | diff - asked >difference || fail "fish: $(cat difference)"
fi

# ---- manual pages ----
expect 0 "$trammel" help --man pages
for command in $("$trammel" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    [ -s "pages/trammel-$command.1" ] || fail "no page of $command"
    grep -q "trammel.-$command" pages/trammel.1 || fail "$command is not in trammel.1"
done
says pages/trammel-run.1 '\fB\-s\fR, \fB\-\-set\fR \fIPATH=VALUE\fR' '.SH EXIT STATUS'
if command -v mandoc >/dev/null; then
    mandoc -Tlint -Wwarning pages/*.1 2>&1 | grep -v 'missing date' >lint && fail "$(head -3 lint)"
fi
touch file
expect 5 "$trammel" help --man file/pages
finish
