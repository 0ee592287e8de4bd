#!/usr/bin/env bash
# A rank that stops or leaves ends the others within the time that is stated. usage: silent.sh MPIEXEC PROGRAM
set -u
export WEFT_COMM_TIMEOUT=3
failed=0
# What the ranks that are left say, of which the launcher may end one while it speaks.
ask() { # place, text
  local said status
  said=$(timeout -k 5 60 "$mpiexec" -n 3 "$program" "$1" 2>&1)
  status=$?
  pkill -KILL -x "$(basename "$program")" # the one that was stopped
  printf '%s: status %s\n%s\n' "$1" "$status" "$said"
  if [ "$status" -eq 124 ] || [ "$status" -eq 0 ] || ! grep -q "rank [02]: comm/timeout: $2: rank 1 was silent for 3 s" <<<"$said"; then
    failed=1
  fi
}
mpiexec=$1
program=$2
ask step 'sum of the gradients of 0.weight to 1.bias, request 0 of 1'
ask before 'connection of the ranks'
ask left 'connection of the ranks'
ask alone 'connection of the ranks'
exit $failed
