#!/usr/bin/env bash
# Builds every fuzz_*.c with sanitizers and runs it with libFuzzer, then with AFL++, from the corpus
# of its name. A crash, a leak or a hang fails; its input is kept as a file of TORTURE_FINDS (default: FOLDER/finds), which is
# printed with what the program says to it.
# Usage: run_fuzz.sh [FOLDER for the builds [SECONDS for each target and tool [NAME of a target...]]]
# A single input may take 5 minutes, so that a loaded machine is no hang. SECONDS 0: the programs are only built. TOOLS="libfuzzer afl" in the environment selects the tools. The last line has the counts.
# Exit code 77: the tools are missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=${1:-$root/build/tests/fuzz}
seconds=${2:-10}
names=${*:3}
tools=${TOOLS:-libfuzzer afl}
inputs=
finds=${TORTURE_FINDS:-$work/finds}
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"

required=cmake
[[ " $tools " == *" libfuzzer "* ]] && required+=" clang"
[[ " $tools " == *" afl "* ]] && required+=" afl-clang-fast afl-fuzz"
for tool in $required; do
    command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done

# build FOLDER COMPILER FLAGS
build() {
    env -u CC -u CMAKE_GENERATOR AFL_QUIET=1 cmake -S "$root" -B "$work/$1" \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$2" -DCMAKE_C_FLAGS="-O1 $3" \
        -DTRM_FUZZ=ON -DTRM_TOOL=OFF -DTRM_TESTS=OFF -DTRM_EXAMPLES=OFF -DTRM_BENCH=OFF \
        >"$work/$1.log" 2>&1 &&
        AFL_QUIET=1 cmake --build "$work/$1" -j2 >>"$work/$1.log" 2>&1 ||
        { cat "$work/$1.log"; echo "the build failed: $1"; exit 1; }
}

# keep TOOL NAME FILE...: inputs that failed, whole and named by their contents; what the program says to each
keep() {
    local tool=$1 name=$2 input kept
    mkdir -p "$finds"
    for input in "${@:3}"; do
        [ -f "$input" ] || continue
        kept=$finds/$tool-$name-$(sha1sum "$input" | cut -c 1-12)
        cp "$input" "$kept"
        echo "FAILED: $work/$tool/fuzz_$name $kept"
        local code=0
        timeout 300 "$work/$tool/fuzz_$name" "$kept" >"$kept.log" 2>&1 || code=$?
        tail -40 "$kept.log"
        echo "alone it ends with exit code $code$([ $code = 0 ] && echo ": what failed does not depend on this input alone")"
    done
}

# run_libfuzzer NAME CORPUS
run_libfuzzer() {
    local found=$work/found/libfuzzer-$1
    mkdir -p "$found/corpus"
    if ! "$work/libfuzzer/fuzz_$1" -max_total_time="$seconds" -max_len=4096 -timeout=300 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/" "$found/corpus" "$2" \
        >"$found/log" 2>&1; then
        tail -60 "$found/log"
        keep libfuzzer "$1" "$found"/crash-* "$found"/leak-* "$found"/timeout-* "$found"/oom-*
        echo "libFuzzer: fuzz_$1 failed"
        return 1
    fi
    inputs+=" libFuzzer of $1 $(sed -n 's/.*number_of_executed_units: //p' "$found/log"),"
}

# run_afl NAME CORPUS
run_afl() {
    local found=$work/found/afl-$1
    mkdir -p "$found"
    if ! AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 \
        afl-fuzz -i "$2" -o "$found" -V "$seconds" -G 4096 -t 100000 -m none \
        -- "$work/afl/fuzz_$1" >"$found/log" 2>&1; then
        tail -60 "$found/log"
        echo "AFL++: fuzz_$1 did not run"
        return 1
    fi
    local failed
    failed=$(find "$found" \( -path '*/crashes*/id*' -o -path '*/hangs*/id*' \))
    if [ -n "$failed" ]; then
        # shellcheck disable=SC2086 # names of AFL++ have no spaces
        keep afl "$1" $failed
        echo "AFL++: fuzz_$1 failed"
        return 1
    fi
    inputs+=" AFL++ of $1 $(sed -n 's/^execs_done *: //p' "$found"/default/fuzzer_stats),"
}

mkdir -p "$work"
if [[ " $tools " == *" libfuzzer "* ]]; then build libfuzzer clang "-fsanitize=fuzzer-no-link $sanitize"; fi
if [[ " $tools " == *" afl "* ]]; then build afl afl-clang-fast "$sanitize"; fi
bad=0
if [ "$seconds" = 0 ]; then exit 0; fi
for source in "$here"/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    [[ -z $names || " $names " == *" $name "* ]] || continue
    corpus=$here/corpus/$name
    [ -d "$corpus" ] || { echo "there is no corpus for fuzz_$name"; bad=$((bad + 1)); continue; }
    for tool in $tools; do
        rm -rf "$work/found/$tool-$name"
        "run_$tool" "$name" "$corpus" || bad=$((bad + 1))
    done
done
echo "fuzz:$inputs faults $bad"
[ $bad = 0 ]
