#!/usr/bin/env bash
# Ranks end with an Error within the time that is stated where one of them fails. usage: faults.sh FOLDER PROGRAM
set -u
here=$(dirname "${BASH_SOURCE[0]}")
folder=$1 program=$2
export WEFT_COMM_TIMEOUT=3
problems=0
# ask RANKS WHAT COUNT TEXT: COUNT ranks must say TEXT
ask() {
  local said status count
  said=$(timeout -k 5 60 bash "$here/launch.sh" "$folder" "$1" "$program" "$2" 2>&1)
  status=$?
  if [ "$status" -eq 77 ]; then exit 77; fi
  count=$(grep -c -- "$4" <<<"$said")
  if [ "$status" -ne 124 ] && [ "$count" -eq "$3" ] && ! grep -q 'softgpu:\|never noticed' <<<"$said"; then return; fi
  printf 'FAIL: %s on %s ranks, status %s, %s times "%s":\n%s\n' "$2" "$1" "$status" "$count" "$4" "$said"
  problems=1
}
ask 3 mismatch 3 'comm/mismatch: rank 2 runs another program than rank 0'
ask 2 device 2 'comm/device: rank [01] trains on Cuda{[01]} and has Cuda{[01]}'
ask 3 killed 2 'rank [02]: .*comm/rank: sums over ranks of a step of weight to bias: rank 1 has ended'
ask 3 silent 2 'rank [02]: .*comm/timeout: sums over ranks of a step of weight to bias: rank 1 was silent for 3 s'
ask 3 silent0 2 'rank [12]: .*comm/timeout: sums over ranks of a step of weight to bias: rank 0 was silent for 3 s'
exit "$problems"
