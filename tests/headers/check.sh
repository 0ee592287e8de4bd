#!/usr/bin/env bash
# Compiles every header of include/weft alone, syntax only, two at a time, and lists those that fail.
# usage: check.sh host|cuda COMPILER [HEADER...]      (headers relative to include/; default: all, or of clang on the host a
#                                                     third, which changes with the day of the year, or as WEFT_ROTATION=0..9 says)
set -u
mode=$1 compiler=$2
shift 2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root/include" || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

case $mode in
  host) kinds=(-name '*.hpp') ;;
  cuda) kinds=(-name '*.hpp' -o -name '*.cuh') ;;
  *) echo "usage: check.sh host|cuda COMPILER [HEADER...]" && exit 2 ;;
esac
if [ $# -gt 0 ]; then
  headers=("$@")
else
  mapfile -t headers < <(find weft \( "${kinds[@]}" \) -type f | sort)
  if [ "$mode" = host ] && [[ $(basename "$compiler") == *clang* ]]; then
    third=$((${WEFT_ROTATION-$((10#$(date +%j) % 10))} % 3))
    mapfile -t headers < <(printf '%s\n' "${headers[@]}" | awk -v third=$third 'NR % 3 == third')
  fi
fi
# What needs MPI compiles where its wrapper says how.
mpi=
if command -v mpicxx >/dev/null; then
  mpi=$(mpicxx -show | grep -oE -- '-I[^ ]+' | sed 's/^-I/-isystem /' | tr '\n' ' ')
else
  echo "no mpicxx: weft/mpi.hpp and weft/comm/mpi.hpp are left out"
  mapfile -t headers < <(printf '%s\n' "${headers[@]}" | grep -vE '^weft/(comm/)?mpi(_process)?\.hpp$')
fi
# What needs NCCL compiles where nvcc finds it.
if [ "$mode" = cuda ] && ! echo '#include <nccl.h>' | "$compiler" -x cu -E - >/dev/null 2>&1; then
  echo "no nccl.h: weft/nccl.hpp and weft/kernels/collective/nccl*.cuh are left out"
  mapfile -t headers < <(printf '%s\n' "${headers[@]}" | grep -vE '^weft/(kernels/collective/nccl.*\.cuh|nccl\.hpp)$')
fi
[ ${#headers[@]} -gt 0 ] || { echo "no headers found" && exit 1; }

one() {
  local log
  log=$scratch/$(tr / _ <<<"$1")
  printf '#include "%s"\n' "$1" >"$log.cu"
  # shellcheck disable=SC2086  # flags of several words
  if [ "$mode" = host ]; then
    "$compiler" -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror -I. $mpi -fsyntax-only -x c++ "$log.cu"
  else # -cuda runs both front ends, the host's and the device's, and no code generator
    "$compiler" -std=c++20 -gencode arch=compute_90a,code=sm_90a -Werror all-warnings \
      -I. $mpi -cuda -o "$log.ii" "$log.cu"
  fi >"$log.log" 2>&1 && : >"$log.ok"
  rm -f "$log.ii"
}
export -f one
export mode compiler scratch mpi
# shellcheck disable=SC2016  # the inner bash expands it
printf '%s\0' "${headers[@]}" | xargs -0 -P 2 -I{} bash -c 'one "$1"' _ {}

failed=0
for header in "${headers[@]}"; do
  log=$scratch/$(tr / _ <<<"$header")
  [ -e "$log.ok" ] && continue
  failed=$((failed + 1))
  echo "== does not compile alone: $header"
  head -12 "$log.log"
done
echo "${#headers[@]} headers, $failed failed"
[ "$failed" -eq 0 ]
