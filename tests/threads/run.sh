#!/usr/bin/env bash
# Runs a program that the thread sanitizer watches: run.sh PROGRAM. Where the kernel lays memory out in a way that the
# sanitizer of older compilers does not know, it is tried again without randomness; 77: it cannot run here (skipped).
said=$(mktemp)
trap 'rm -f "$said"' EXIT
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS-}"
"$1" --no-version >"$said" 2>&1
status=$?
if grep -q 'unexpected memory mapping' "$said"; then
  setarch -R "$1" --no-version >"$said" 2>&1
  status=$?
  if grep -qE 'unexpected memory mapping|Operation not permitted' "$said"; then
    echo "skipped: the thread sanitizer cannot run on this kernel"
    exit 77
  fi
fi
cat "$said"
exit "$status"
