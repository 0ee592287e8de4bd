#!/usr/bin/env bash
# A rank that stops or leaves ends the others within the time that is stated. usage: silent.sh MPIEXEC PROGRAM
set -u
export WEFT_COMM_TIMEOUT=3
failed=0
# What the ranks that are left say, of which the launcher may end one while it speaks. (Open MPI's own may wait for ever
# where two abort at once, when no rank is left that runs: that is not what is tried.)
ask() { # place, text
  local output said launcher status=124 half
  output=$(mktemp)
  "$mpiexec" -n 3 "$program" "$1" >"$output" 2>&1 &
  launcher=$!
  for ((half = 0; half < 100; ++half)); do # 50 s
    sleep 0.5
    if ! kill -0 "$launcher" 2>/dev/null; then
      wait "$launcher"
      status=$?
      break
    elif [ "$half" -gt 30 ] && ! pgrep -x -r D,R,S "$name" >/dev/null; then
      echo "no rank runs, and the launcher waits"
      status=1
      break
    fi
  done
  kill -KILL "$launcher" 2>/dev/null
  pkill -KILL -x "$name" # the one that was stopped
  said=$(<"$output")
  rm -f "$output"
  printf '%s: status %s\n%s\n' "$1" "$status" "$said"
  if [ "$status" -eq 124 ] || [ "$status" -eq 0 ] || ! grep -q "rank [02]: comm/timeout: $2: rank 1 was silent for 3 s" <<<"$said"; then
    failed=1
  fi
}
mpiexec=$1
program=$2
name=$(basename "$program")
ask step 'sum of the gradients of 0.weight to 1.bias, request 0 of 1'
ask before 'connection of the ranks'
ask left 'connection of the ranks'
ask alone 'connection of the ranks'
exit $failed
