#!/usr/bin/env bash
# Builds programs of ranks with MPICH beside another MPI, as Debian names its tools, and runs them on 1 to 3 ranks; a rank
# that is killed or goes silent ends the others there, too. usage: mpich.sh SOURCE...; 77 where MPICH is missing
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for tool in mpicxx.mpich mpirun.mpich; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool" && exit 77; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for source in "$@"; do
  name=$(basename "$source" .cpp)
  program=$folder/mpich_$name
  mpicxx.mpich -std=c++20 -O0 -I"$root/include" -I"$root/tests" "$source" -o "$program" -pthread || exit 1
  if [ -e "${source%.cpp}.sh" ]; then
    bash "${source%.cpp}.sh" mpirun.mpich "$program" || { echo "$name" && exit 1; }
  else
    for ranks in 1 2 3; do
      timeout -k 5 120 mpirun.mpich -n "$ranks" "$program" >"$folder/said" 2>&1 || {
        tail -20 "$folder/said"
        echo "$name on $ranks ranks"
        exit 1
      }
    done
  fi
done
echo "MPICH: as expected"
