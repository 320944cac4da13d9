# Shared by the tests of the command. Usage of each: check_NAME.sh PATH-OF-TRAMMEL
set -uo pipefail
trammel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0

fail() {
    echo "FAILED: $*"
    bad=1
}

# expect CODE COMMAND...: the exit code; output is left in $work/out and $work/err
expect() {
    local wanted=$1 code=0
    shift
    "$@" >out 2>err || code=$?
    [ "$code" = "$wanted" ] || {
        fail "exit code $code instead of $wanted: $*"
        sed 's/^/    /' out err | head -20
    }
}

# expect_done COMMAND...: done, trusted or not
expect_done() {
    local code=0
    "$@" >out 2>err || code=$?
    [ "$code" = 0 ] || [ "$code" = 6 ] || {
        fail "exit code $code instead of 0 or 6: $*"
        sed 's/^/    /' out err | head -20
    }
}

# says FILE TEXT...: every text stands in the file
says() {
    local file=$1 text
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$file" || {
            fail "not said: $text"
            sed 's/^/    /' "$file" | head -20
        }
    done
}

finish() {
    [ "$bad" = 0 ] && echo "all good"
    exit $bad
}

# a small model to break
good_model() {
    cat <<'END'
trammel: 1
name: Test pendulum
parameters: {g: 9.81}
equations:
  coordinates: {x: vx, y: vy}
  mass: [1, 1]
  force: [0, "-g"]
  constraints: {rod: "(x^2 + y^2 - 1)/2"}
  energy: {potential: "g*y"}
initial: {values: {x: 1}}
simulate: {end: 10, tolerance: 1e-6, output_interval: 0.05}
END
}
