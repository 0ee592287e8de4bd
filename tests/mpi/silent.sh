#!/usr/bin/env bash
# A rank that stops ends the others within the time that is stated. usage: silent.sh MPIEXEC PROGRAM
set -u
export WEFT_COMM_TIMEOUT=3
said=$(timeout -k 5 60 "$1" -n 3 "$2" 2>&1)
status=$?
printf '%s\n' "$said"
pkill -KILL -x "$(basename "$2")" # the one that was stopped
[ "$status" -ne 124 ] && [ "$status" -ne 0 ] && grep -q 'rank [02]: .*rank 1 was silent for 3 s' <<<"$said"
