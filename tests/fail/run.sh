#!/usr/bin/env bash
# Checks a program that must not compile. Its first lines say what the user must read:
#   // expect: text             must appear in the compiler's output (several lines allowed, at least one)
#   // first-error: text        must appear in the first line that says "error" (at most one)
#   // forbid: text             must not appear in the output (several allowed)
# The same file must compile with -DWEFT_FIXED: so it is the mistake, and not a typing error, that fails.
# usage: run.sh FILE COMPILER...
set -u
file=$1
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
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
if [ ${#expected[@]} -eq 0 ]; then
  echo "FAIL: $file has no line '// expect: text'"
  exit 1
fi
if ! grep -q WEFT_FIXED "$file"; then
  echo "FAIL: $file does not use WEFT_FIXED"
  exit 1
fi

for compiler in "$@"; do
  # Colours off; template errors are folded by width otherwise.
  case $(basename "$compiler") in
    *nvcc*) flags=(-std=c++20 -x cu -gencode "arch=compute_90a,code=sm_90a" -cuda -o "$scratch/out.ii") ;;
    *clang*) flags=(-std=c++20 -fsyntax-only -fno-color-diagnostics -fno-caret-diagnostics) ;;
    *) flags=(-std=c++20 -fsyntax-only -fdiagnostics-color=never -fno-diagnostics-show-caret) ;;
  esac
  "$compiler" "${flags[@]}" -I"$root/include" "$file" >"$scratch/wrong" 2>&1 &
  wrong=$!
  "$compiler" "${flags[@]}" -DWEFT_FIXED -I"$root/include" "$file" >"$scratch/fixed" 2>&1 || {
    problem "does not compile with -DWEFT_FIXED"
    head -20 "$scratch/fixed"
  }
  if wait "$wrong"; then
    problem "compiles, and must not"
    continue
  fi
  before=$problems
  for text in "${expected[@]}"; do
    grep -qF -- "$text" "$scratch/wrong" || problem "the output lacks: $text"
  done
  for text in "${forbidden[@]}"; do
    ! grep -qF -- "$text" "$scratch/wrong" || problem "the output contains: $text"
  done
  if [ -n "$first" ] && ! grep -m1 'error' "$scratch/wrong" | grep -qF -- "$first"; then
    problem "the first error lacks: $first"
  fi
  [ "$problems" -eq "$before" ] || head -30 "$scratch/wrong"
done
[ "$problems" -eq 0 ] && echo "$(basename "$file"): fails as it must in $# compilers"
[ "$problems" -eq 0 ]
