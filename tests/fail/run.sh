#!/usr/bin/env bash
# Checks a program that must not compile. Its first lines say what the user must read:
#   // wrote: text              what one wrote, and
#   // write: text              what one should write: a row of the table in docs/errors.md (table.sh makes it)
#   // expect: text             must appear in the compiler's output (several lines allowed, at least one)
#   // first-error: text        must appear in the first line that says "error" (at most one)
#   // forbid: text             must not appear in the output (several allowed)
#   // flags: FLAGS             for the wrong program alone
#   // header: none             without the precompiled header; flags need it, too
#   // errors: any              the compiler says more in words of its own: neither errors nor lines are counted
#   // nvcc: text               in the place of all of these in the first error of nvcc, where it says it itself
# g++ and clang print exactly one line with " error: ", at most 40 lines in all, and among them the line of the program that is
# at fault, by its number. Of nvcc, which writes types in words of its
# own, the first error holds one of the texts.
# The same file must compile with -DWEFT_FIXED: so it is the mistake, and not a typing error, that fails. That is asked of the first
# compiler alone, and with WEFT_FAIL_HEADER, as CTest has it, of a third of the programs, which changes as the tenth below.
#
# usage: run.sh FILE COMPILER [COMPILER...]   the first always; the others on a tenth of the programs, which
#                                             changes with the day of the year, or as WEFT_ROTATION=0..9 says;
#                                             WEFT_FAIL_FIRST=1: the first alone, as the quick suite has it
#        run.sh header FOLDER COMPILER        makes the precompiled header; WEFT_FAIL_HEADER=FOLDER uses it
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
plain=(-std=c++20 --param=ggc-min-heapsize=600000 -fdiagnostics-color=never -fno-diagnostics-show-caret -I"$root/include")

if [ "$1" = header ]; then
  mkdir -p "$2" && echo '#include "weft/weft.hpp"' >"$2/all.hpp" || exit 1
  case $(basename "$3") in
    *clang*) exit 0 ;;
    *) exec "$3" "${plain[@]}" -x c++-header "$2/all.hpp" -o "$2/all.hpp.gch" ;;
  esac
fi

file=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

said() { sed -n "s,^// $1: *,,p" "$file"; }
problems=0
problem() {
  problems=$((problems + 1))
  echo "FAIL ($compiler): $1"
}

mapfile -t expected < <(said expect)
mapfile -t forbidden < <(said forbid)
first=$(said first-error)
read -ra own <<<"$(said flags)"
if [ ${#expected[@]} -eq 0 ]; then
  echo "FAIL: $file has no line '// expect: text'"
  exit 1
fi
if ! grep -q WEFT_FIXED "$file"; then
  echo "FAIL: $file does not use WEFT_FIXED"
  exit 1
fi

rotation=${WEFT_ROTATION-$((10#$(date +%j) % 10))}
number=$(basename "$file" | cksum | cut -d' ' -f1)
compilers=("$1")
if [ $((number % 10)) -eq "$rotation" ] && [ -z "${WEFT_FAIL_FIRST-}" ]; then compilers=("$@"); fi
fixed=1
if [ -n "${WEFT_FAIL_HEADER-}" ] && [ $((number % 3)) -ne $((rotation % 3)) ]; then fixed=0; fi

for compiler in "${compilers[@]}"; do
  # Colours off; template errors are folded by width otherwise.
  counted=1
  case $(basename "$compiler") in
    *nvcc*)
      flags=(-std=c++20 -x cu -gencode "arch=compute_90a,code=sm_90a" -cuda -o "$scratch/out.ii" -I"$root/include")
      counted=0
      ;;
    *clang*) flags=(-std=c++20 -fsyntax-only -fno-color-diagnostics -fno-caret-diagnostics -I"$root/include") ;;
    *)
      flags=("${plain[@]}" -fsyntax-only)
      if [ -n "${WEFT_FAIL_HEADER-}" ] && [ "$(said header)" != none ]; then flags+=(-include "$WEFT_FAIL_HEADER/all.hpp"); fi
      ;;
  esac
  "$compiler" "${flags[@]}" "${own[@]}" "$file" >"$scratch/wrong" 2>&1 &
  wrong=$!
  if [ "$compiler" = "${compilers[0]}" ] && [ $fixed -eq 1 ]; then
    "$compiler" "${flags[@]}" -DWEFT_FIXED "$file" >"$scratch/fixed" 2>&1 || {
      problem "does not compile with -DWEFT_FIXED"
      head -20 "$scratch/fixed"
    }
  fi
  if wait "$wrong"; then
    problem "compiles, and must not"
    continue
  fi
  before=$problems
  if [ "$counted" -eq 0 ]; then # nvcc writes types in words of its own: of the texts one, the sentence's, is in the first error
    found=0
    own_words=$(said nvcc)
    for text in "$own_words" "$first" "${expected[@]}"; do
      if [ -n "$text" ] && grep -m1 ' error: ' "$scratch/wrong" | grep -qF -- "$text"; then found=1; fi
    done
    [ "$found" -eq 1 ] || problem "the first error has none of the texts"
    [ "$problems" -eq "$before" ] || head -30 "$scratch/wrong"
    continue
  fi
  for text in "${expected[@]}"; do
    grep -qF -- "$text" "$scratch/wrong" || problem "the output lacks: $text"
  done
  for text in "${forbidden[@]}"; do
    ! grep -qF -- "$text" "$scratch/wrong" || problem "the output contains: $text"
  done
  if [ -n "$first" ] && ! grep -m1 ' error: ' "$scratch/wrong" | grep -qF -- "$first"; then
    problem "the first error lacks: $first"
  fi
  if [ "$(said errors)" != any ]; then
    errors=$(grep -c ' error: ' "$scratch/wrong")
    lines=$(wc -l <"$scratch/wrong")
    [ "$errors" -eq 1 ] || problem "$errors errors, and not one"
    [ "$lines" -le 40 ] || problem "$lines lines of output, more than 40"
  fi
  line="$(basename "$file"):[0-9]+:"
  if ! grep -qE "$line" "$scratch/wrong"; then # of a variable's template g++ forgets it where the header is precompiled
    "$compiler" "${plain[@]}" -fsyntax-only "${own[@]}" "$file" 2>&1 | grep -qE "$line" || problem "no line of the program is named"
  fi
  [ "$problems" -eq "$before" ] || head -30 "$scratch/wrong"
done
[ "$problems" -eq 0 ] && echo "$(basename "$file"): fails as it must in ${compilers[*]} (rotation $rotation)"
[ "$problems" -eq 0 ]
