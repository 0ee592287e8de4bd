#!/usr/bin/env bash
# `./weft check cuda PROGRAM` with a compute-sanitizer of our own: every tool runs, a fault of one is shown and is the status.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
stubs=$(mktemp -d)
trap 'rm -rf "$stubs" build/check/stub-program-*' EXIT
printf '#!/bin/sh\necho "GPU 0: none"\n' >"$stubs/nvidia-smi"
printf '#!/bin/sh\nexit 0\n' | tee "$stubs/nvcc" >"$stubs/stub-program"
cat >"$stubs/compute-sanitizer" <<'STUB'
#!/bin/sh
echo "========= COMPUTE-SANITIZER"
[ "$2" = "$WEFT_STUB_FAULT" ] || exit 0
echo "========= Race reported between Write access and Read access"
exit 99
STUB
chmod +x "$stubs"/*
export PATH=$stubs:$PATH CUDACXX=$stubs/nvcc
fail() {
  echo "FAIL: $1"
  exit 1
}
out=$(WEFT_STUB_FAULT=none ./weft check cuda "$stubs/stub-program" 2>&1) || fail "no fault, and a status: $out"
[ "$(grep -c 'no fault$' <<<"$out")" = 3 ] || fail "not three tools: $out"
out=$(WEFT_STUB_FAULT=racecheck ./weft check cuda "$stubs/stub-program" 2>&1) && fail "a fault, and no status: $out"
grep -q '^stub-program racecheck: FAILED' <<<"$out" && grep -q 'Race reported' <<<"$out" || fail "the fault is not shown: $out"
rm "$stubs/nvidia-smi"
printf '#!/bin/sh\nexit 1\n' >"$stubs/nvidia-smi"
chmod +x "$stubs/nvidia-smi"
out=$(WEFT_STUB_FAULT=none ./weft check cuda "$stubs/stub-program" 2>&1) && fail "no GPU, and no status"
grep -q 'no GPU here' <<<"$out" || fail "no GPU, and it is not said: $out"
