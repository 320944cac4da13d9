#!/usr/bin/env bash
# Every public header compiles alone, as C17 and, if there is a C++ compiler, as C++17.
set -euo pipefail
cd "$(dirname "$0")/../../include"

flags="-Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -I."
for header in trammel/*.h; do
    echo "#include \"$header\"" | ${CC:-cc} -std=c17 $flags -x c -
    if command -v "${CXX:-g++}" >/dev/null; then
        echo "#include \"$header\"" | ${CXX:-g++} -std=c++17 $flags -x c++ -
    fi
done
