#!/usr/bin/env bash
# docs/architecture.md: its picture is that of the tree, every path it names exists, every module and its folders are in its table
# and in that of README.md. docs/mechanisms.md describes every joint and force beside its table of keys.
# Usage: check_architecture.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/draw-architecture --check
bad=0
while read -r path; do
    [ -e "$path" ] || { echo "docs/architecture.md: no such file: $path"; bad=1; }
done < <(grep -oE '`(src|include|scripts|tests)/[A-Za-z0-9_./-]*`' docs/architecture.md | tr -d '`' | sort -u)
for module in src/base src/solver/* src/modelling/* src/program/*; do
    grep -q "^| \`$module\` |" docs/architecture.md || { echo "docs/architecture.md: no row for $module"; bad=1; }
done
for module in src/base src/solver/* src/modelling/*; do
    grep -q "^| \`$module/\` |" README.md || { echo "README.md: no row for $module"; bad=1; }
done
for module in src/program/*; do
    grep "^| \`src/program/\` |" README.md | grep -q "\`${module#src/program/}\`" || { echo "README.md: nothing about $module"; bad=1; }
done
for folder in src/*/*/*/; do
    module=$(dirname "$folder") own="\`$(basename "$folder")\`"
    grep "^| \`$module\` |" docs/architecture.md | grep -q "$own" || { echo "docs/architecture.md: nothing about $folder"; bad=1; }
    grep "^| \`\($module\|$(dirname "$module")\)/\` |" README.md | grep -q "$own" || { echo "README.md: nothing about $folder"; bad=1; }
done
described=$(grep -v '^| `mechanism\.' docs/mechanisms.md)
for list in joints/joints.h forces/forces.h; do
    while read -r kind; do
        grep -q "\`$kind\`" <<<"$described" || { echo "docs/mechanisms.md: nothing about $kind"; bad=1; }
    done < <(sed -n 's/^ *X(\([a-z_]*\)).*/\1/p' "src/modelling/multibody/$list" | tr _ -)
done
exit $bad
