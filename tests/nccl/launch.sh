#!/usr/bin/env bash
# Starts the ranks of a program as torchrun --no-python does, on this machine's GPUs or, where these are fewer, on the software
# device. usage: launch.sh FOLDER RANKS PROGRAM ARGUMENT... (FOLDER holds the stand-ins). Ends with the highest status of a rank,
# 77 where there is no device.
set -u
folder=$1 ranks=$2
shift 2
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
if [ "$gpus" -lt "$ranks" ] || [ -n "${WEFT_NCCL_SOFTGPU-}" ]; then
  [ -d "$folder" ] || exit 77
  export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
scratch=$(mktemp -d)
export TMPDIR=$scratch WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1
export MASTER_PORT=$((20000 + 2 * ($$ % 20000)))
pids=()
# shellcheck disable=SC2317  # the trap calls it
sweep() { # those that are stopped, too
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null; done
  rm -rf "$scratch"
}
trap sweep EXIT
for ((rank = 0; rank < ranks; ++rank)); do
  RANK=$rank LOCAL_RANK=$rank "$@" &
  pids+=($!)
done
some_run() {
  local state
  for pid in "${pids[@]}"; do
    state=$(ps -o stat= -p "$pid") && [[ $state != [TZ]* ]] && return
  done
  return 1
}
while some_run; do sleep 0.05; done
worst=0
for pid in "${pids[@]}"; do
  if [[ $(ps -o stat= -p "$pid") == T* ]]; then kill -KILL "$pid"; fi
  wait "$pid"
  status=$?
  [ "$status" -le "$worst" ] || worst=$status
done
exit "$worst"
