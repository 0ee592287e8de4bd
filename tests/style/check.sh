#!/usr/bin/env bash
# The written rules of the tree, checked. usage: check.sh layers|sizes|light|optimized|directives|mirrored|single|format|registry|reference|recipes [COMPILER]
# Ends with 0 (kept), 1 (broken: every place is listed) or 77 (a tool is missing, so nothing was checked).
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 2
export LC_ALL=C

hand_written() { # the files named on standard input that no script made
  xargs awk '
    FNR == 1 {if (name != "" && !made) print name; name = FILENAME; made = 0}
    FNR <= 8 && /(Made|Generated) by scripts\// {made = 1}
    END {if (name != "" && !made) print name}'
}

# Includes go only down the table in include/weft/README.md.
layers() {
  # shellcheck disable=SC2046  # header names hold no spaces
  awk '
    FNR == NR {                                       # the table
      if ($0 == "```layers") table = 1
      else if ($0 ~ /^```/) table = 0
      else if (table) {
        for (i = 2; i <= NF; ++i) {                   # names stand one space apart; two spaces begin the remark
          layer[$i] = $1
          if (index($0, $i "  ") || i == NF) break
        }
      }
      next
    }
    FNR == 1 {
      if (opened && !includes && opened !~ /core\/config\.hpp$/) { print opened ": opens a namespace without weft/core/config.hpp, which names it"; ++broken }
      opened = ""; includes = 0
      ++files
      part = FILENAME
      sub(/^include\/weft\//, "", part)
      if (part ~ /\//) { folder = place(part); top = 0 }
      else { folder = part; sub(/\.(hpp|cuh)$/, "", folder); top = 1 }
      if (!top && !(folder in layer)) { bad("its folder is not in include/weft/README.md"); }
    }
    /^[ \t]*#[ \t]*include[ \t]*["<]weft\// {
      ++includes
      target = $0
      sub(/^[^"<]*["<]weft\//, "", target)
      sub(/[">].*/, "", target)
      to = target
      if (to ~ /\//) {
        to = place(to)
        if (!(to in layer)) bad("includes weft/" target ", whose folder is not in include/weft/README.md")
        else if (folder in layer && to != folder && layer[to] + 0 >= layer[folder] + 0)
          bad("layer " layer[folder] " includes weft/" target " of layer " layer[to])
        else if (folder ~ /^(ir|kernel_ir|transforms|ops|nn|optim)(\/|$)/ && to ~ /^(device|kernels|comm)$/)
          bad("the front end includes weft/" target)
      } else if (!top) bad("includes the umbrella weft/" target)
      next
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ { bad("includes " $0 ": write \"weft/...\"") }
    /^namespace weft/ && !/^namespace WEFT_NAMESPACE[ :]/ { bad("opens a namespace that is not WEFT_NAMESPACE") }
    /^namespace WEFT_NAMESPACE/ { opened = FILENAME }
    function place(path) {                            # its longest folder in the table, or its first one
      while (sub(/\/[^\/]*$/, "", path)) if (path in layer) break
      return path
    }
    function bad(what) { print FILENAME ":" FNR ": " what; ++broken }
    END {
      print files " headers, " broken + 0 " broken includes"
      exit broken || !files
    }
  ' include/weft/README.md $(find include/weft \( -name '*.hpp' -o -name '*.cuh' \) -type f | sort)
}

# At most 800 lines by hand, a reason above 400; the median header at most 150.
sizes() {
  local broken=0 lines file median most
  while read -r lines file; do
    most=800
    [[ $file == include/* ]] && most=500
    if [ "$lines" -gt "$most" ]; then
      echo "$file: $lines lines, more than $most"
      broken=1
    elif [ "$lines" -gt 400 ]; then
      echo "note: $file: $lines lines; above 400 ask why"
    fi
  done < <(find include tests examples benchmarks \( -name '*.hpp' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' \) \
    -type f 2>/dev/null | sort | hand_written | xargs wc -l | grep -v ' total$')
  median=$(find include/weft \( -name '*.hpp' -o -name '*.cuh' \) -type f | hand_written | xargs wc -l |
    grep -v ' total$' | awk '{print $1}' | sort -n | awk '{n[NR] = $1} END {print n[int((NR + 1) / 2)]}')
  echo "median header: $median lines"
  if [ "$median" -gt 150 ]; then
    echo "the median header is longer than 150 lines"
    broken=1
  fi
  return $broken
}

# What weft.hpp reaches, the standard library's own includes among it, stays light.
light() {
  local compiler=$1 broken=0 closure name
  [ -e include/weft/weft.hpp ] || { echo "include/weft/weft.hpp is missing" && return 1; }
  closure=$(printf '#include "weft/weft.hpp"\n' | "$compiler" -std=c++20 -Iinclude -M -x c++ -) || return 1
  for name in filesystem thread iostream regex format ranges cub/cub.cuh nccl.h; do
    if tr ' ' '\n' <<<"$closure" | grep -qE "^/.*/${name//./\\.}$"; then
      echo "weft.hpp reaches <$name>:"
      grep -rnE "#\s*include\s*<$name>" include/weft || echo "  through the standard library"
      broken=1
    fi
  done
  return $broken
}

# A user's release build shows no warning from inside a header: GCC finds some (-Wrestrict, -Wstringop-*,
# -Warray-bounds) only once it has inlined, and -isystem does not hide those. Every inline function of the
# layers that are no templates is compiled, a header at a time: what is inlined depends on the unit's size.
optimized() { # optimized COMPILER
  "$1" --version | grep -qi clang && echo "skipped: asks GCC" && return 77
  find include/weft/{core,device,io,data} -name '*.hpp' | sed 's|^include/||' | sort |
    xargs -P "$(nproc)" -I{} sh -c 'printf "#include \"%s\"\n" "$2" | "$1" -std=c++20 -x c++ -O3 \
      -fkeep-inline-functions -Wall -Wextra -Wconversion -Wshadow -Werror -Iinclude -c - -o /dev/null' - "$1" {}
}

# No line begins with a name that C++20 reads as a module directive there: nvcc warns of one.
directives() {
  local found
  found=$(grep -rnE '^[ \t]*(export[ \t]+)?(module|import)\b' include tests examples benchmarks \
    --include='*.hpp' --include='*.cuh' --include='*.cpp' --include='*.cu' 2>/dev/null)
  [ -z "$found" ] || { printf '%s\n' "$found" && return 1; }
}

# weft/<path>.hpp is tested by tests/unit/<path>.cpp (or tests/static, tests/emulated, tests/cuda), or has a
# line "<path> reason" in covered.txt.
mirrored() {
  local broken=0 header path reason found covered=tests/style/covered.txt
  while IFS= read -r header; do
    path=${header#include/weft/}
    found=
    for test in "tests/unit/${path%.*}.cpp" "tests/static/${path%.*}.cpp" "tests/emulated/${path%.*}.cpp" \
      "tests/cuda/${path%.*}.cu"; do
      [ -e "$test" ] && found=$test && break
    done
    reason=$(awk -v path="$path" '$1 == path {$1 = ""; print}' "$covered")
    if [ -n "$found" ] && [ -n "$reason" ]; then
      echo "$covered: $path has a test, $found: remove the line"
      broken=1
    elif [ -z "$found" ] && [ -z "$reason" ]; then
      echo "$header: no tests/unit/${path%.*}.cpp, and no line in $covered"
      broken=1
    fi
  done < <(find include/weft -mindepth 2 \( -name '*.hpp' -o -name '*.cuh' \) -type f | sort | hand_written)
  while read -r path reason; do
    case $path in '' | '#'*) continue ;; esac
    [ -e "include/weft/$path" ] || { echo "$covered: there is no include/weft/$path" && broken=1; }
    [ -n "$reason" ] || { echo "$covered: $path has no reason" && broken=1; }
  done <"$covered"
  return $broken
}

# The single header is what the separate ones give.
single() {
  command -v python3 >/dev/null || { echo "skipped: no python3" && return 77; }
  [ -e include/weft/weft.hpp ] || { echo "include/weft/weft.hpp is missing" && return 1; }
  python3 scripts/amalgamate.py --check
}

# Formatted, by the one version of clang-format whose output .clang-format was settled with.
format() {
  local tool version=14
  for tool in clang-format-$version clang-format; do
    if command -v "$tool" >/dev/null && [[ $("$tool" --version) == *"version $version."* ]]; then
      find include tests examples benchmarks \( -name '*.hpp' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' \) \
        -type f 2>/dev/null | sort | hand_written | xargs "$tool" --dry-run --Werror 2>&1 |
        sed -n 's/^\([^:]*\):\([0-9]*\):.*\[-Wclang-format-violations\]/\1/p' | uniq -c |
        awk '{print $2 ": " $1 " places to format (./weft format)"; ++n} END {exit n > 0}'
      return
    fi
  done
  echo "skipped: no clang-format $version"
  return 77
}

# Every operation and layer has its row of tests, and docs/operations.md shows them.
registry() {
  command -v python3 >/dev/null || { echo "skipped: no python3" && return 77; }
  python3 tests/style/registry.py check
}

# The reference pages are what the headers declare and say.
reference() {
  command -v python3 >/dev/null || { echo "skipped: no python3" && return 77; }
  python3 tests/style/reference.py check
}

# The files that CONTRIBUTING.md names are there.
recipes() {
  # shellcheck disable=SC2016  # the backquotes are Markdown's
  grep -oE '`(\.\/)?[a-z_.]+/[A-Za-z0-9_./]+`' CONTRIBUTING.md | tr -d '`' | sort -u | while IFS= read -r path; do
    [ -e "$path" ] || echo "CONTRIBUTING.md: there is no $path"
  done | awk '{print; ++n} END {exit n > 0}'
}

case ${1-} in
  layers | sizes | directives | mirrored | single | format | registry | reference | recipes) "$1" ;;
  light | optimized) "$1" "${2:-g++}" ;;
  *) echo "usage: check.sh layers|sizes|light|optimized|directives|mirrored|single|format|registry|reference|recipes [COMPILER]" && exit 2 ;;
esac
