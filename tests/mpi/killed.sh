#!/usr/bin/env bash
# A rank that is killed while all save ends the others, and any number of ranks goes on from the last checkpoint.
# usage: killed.sh MPIEXEC PROGRAM
set -u
mpiexec=$1
program=$2
name=$(basename "$program")
folder=$(mktemp -d)
trap 'pkill -KILL -x "$name"; rm -rf "$folder"' EXIT
for round in 1 2 3 4 5 6; do
  timeout -k 5 60 "$mpiexec" -n 3 "$program" save "$folder" >"$folder/said" 2>&1 &
  launcher=$!
  for _ in $(seq 200); do
    [ -s "$folder/run.safetensors.index.json" ] && break
    sleep 0.05
  done
  sleep "0.$((RANDOM % 900 + 100))"
  mapfile -t ranks < <(pgrep -x "$name")
  if [ "${#ranks[@]}" -ne 3 ]; then
    cat "$folder/said"
    echo "round $round: ${#ranks[@]} ranks run, and not 3"
    exit 1
  fi
  kill -KILL "${ranks[RANDOM % 3]}"
  wait "$launcher"
  status=$?
  for _ in $(seq 100); do # the launcher does not wait for those that it ends
    pgrep -x "$name" >"$folder/left" || break
    sleep 0.05
  done
  if [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || pgrep -x "$name" >"$folder/left"; then
    echo "round $round: the others did not end (status $status)"
    exit 1
  fi
  if ! timeout -k 5 60 "$mpiexec" -n $((round % 3 + 1)) "$program" load "$folder"; then
    ls -l "$folder"
    echo "round $round: the checkpoint does not load"
    exit 1
  fi
done
