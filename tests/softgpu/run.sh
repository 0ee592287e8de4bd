#!/usr/bin/env bash
# Runs a CUDA program on this machine's GPU or, where there is none, on the software device. usage: run.sh FOLDER PROGRAM
# ARGUMENT... (FOLDER holds the stand-ins). A program says by its status 77 that it has found no device.
set -u
folder=$1
shift
"$@"
status=$?
# nothing that runs here is to make other streams wait, unless its test says so
export WEFT_SOFTGPU_LEGACY=${WEFT_SOFTGPU_LEGACY-0}
[ "$status" -eq 77 ] || exit "$status"
echo "no GPU: on the software device (docs/softgpu.md)"
LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$@"
