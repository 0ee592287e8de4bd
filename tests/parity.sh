#!/usr/bin/env bash
# Lets a script judge a program: parity.sh PYTHON SCRIPT PROGRAM. Without PyTorch it is skipped (77), not passed.
python=$1 script=$2 program=$3
if ! "$python" -c 'import torch, safetensors' 2>/dev/null; then
  echo "skipped: ${python:-python3} has no torch or no safetensors"
  exit 77
fi
exec "$python" "$script" check "$program"
