#!/usr/bin/env bash
# Compiles tests/cuda/resources.cuh for each GPU that weft is built for and fails if a kernel spills registers, has a
# stack frame or uses local memory.
#   tests/cuda/resources.sh NVCC INCLUDE_DIR [SM...]     (default: 80 90a)
set -euo pipefail
nvcc=$1
include=$2
shift 2
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(80 90a)
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for sm in "${targets[@]}"; do
  if ! "$nvcc" -std=c++20 -fmad=false -I"$include" -gencode "arch=compute_$sm,code=sm_$sm" -Xptxas -v -cubin \
    -x cu "$source_dir/resources.cuh" -o "$scratch/resources.cubin" >"$scratch/log" 2>&1; then
    cat "$scratch/log"
    exit 1
  fi
  kernels=$(grep -c "Compiling entry function" "$scratch/log" || true)
  bad=$(grep -E "bytes stack frame|bytes lmem|local memory" "$scratch/log" |
    grep -Ev "^ *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" || true)
  most=$(grep -oE "Used [0-9]+ registers" "$scratch/log" | grep -oE "[0-9]+" | sort -n | tail -1)
  echo "sm_$sm: $kernels kernels, at most $most registers"
  if [ "$kernels" -lt 10 ]; then
    echo "fewer kernels than the source has: nothing was checked"
    exit 1
  fi
  if [ -n "$bad" ]; then
    echo "kernels with a stack, spills or local memory:"
    grep -B3 -A2 -F "$(head -1 <<<"$bad")" "$scratch/log"
    exit 1
  fi
done
