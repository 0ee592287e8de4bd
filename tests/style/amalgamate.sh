#!/usr/bin/env bash
# Tests scripts/amalgamate.py on a small tree with conditional includes: the single header must mean what the
# separate headers mean, with and without the macro, and name each header once. usage: amalgamate.sh COMPILER
set -u
compiler=${1:-g++}
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
script=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/scripts/amalgamate.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 2
mkdir -p weft/core weft/device

cat >weft/core/config.hpp <<'H'
#pragma once
#define WEFT_VERSION_MAJOR 7
#define WEFT_VERSION_MINOR 8
#define WEFT_VERSION_PATCH 9
H
cat >weft/core/base.hpp <<'H'
#pragma once
/* a comment with an
#include "weft/core/never.hpp"
in it */
#include "weft/core/config.hpp"
#include <cstddef>
struct Base { std::size_t n = 1; };
H
# Needed always, but first met inside an #if.
cat >weft/core/late.hpp <<'H'
#pragma once
#include "weft/core/base.hpp"
struct Late : Base {};
H
# Needed only inside #if, from two places under two conditions.
cat >weft/device/gpu.hpp <<'H'
#pragma once
#include <cstring>
#include "weft/core/late.hpp"
struct Gpu : Late { bool same(const char* a) const { return std::strlen(a) == n; } };
H
# No #pragma once: pasted at every mention.
cat >weft/core/row.inc <<'H'
ROW(one)
ROW(two)
H
cat >weft/weft.hpp <<'H'
#pragma once
#if defined(WITH_GPU)
#include "weft/device/gpu.hpp"
#elif defined(WITH_GPU_TOO)
#include "weft/device/gpu.hpp"
#else
struct Gpu {};
#endif
#include <weft/core/late.hpp>
#ifdef WITH_GPU
#include <cstdlib>
#include "weft/device/gpu.hpp"
#endif
#define ROW(name) inline int name() { return sizeof(Late); }
#include "weft/core/row.inc"
#undef ROW
#define ROW(name) inline int also_##name() { return name(); }
#include "weft/core/row.inc"
#undef ROW
H
cat >main.cpp <<'H'
#include <weft/weft.hpp>
#if defined(WITH_GPU) || defined(WITH_GPU_TOO)
int main() { return Gpu{}.same("x") && also_two() ? 0 : 1; }
#else
int main() { return sizeof(Gpu) == 1 && also_one() == sizeof(std::size_t) ? 0 : 1; }
#endif
H

mkdir -p single/weft
python3 "$script" --include-dir . --print >single/weft/weft.hpp || exit 1
failures=0
for define in NONE WITH_GPU WITH_GPU_TOO; do
  for folder in . single; do
    if ! "$compiler" -std=c++20 -Wall -Wextra -Werror -D$define -I$folder main.cpp -o main || ! ./main; then
      echo "FAIL: -D$define -I$folder" && failures=1
    fi
  done
done
for expected in '1:struct Base' '1:struct Late' '2:struct Gpu :' '1:#include <cstddef>' '0:pragma once in' \
  '2:#include <cstring>' '1:weft 7.8.9' '1:core/never.hpp'; do
  count=$(grep -cF -- "${expected#*:}" single/weft/weft.hpp)
  [ "$count" = "${expected%%:*}" ] || { echo "FAIL: '${expected#*:}' $count times" && failures=1; }
done
[ "$failures" -eq 0 ] || { cat single/weft/weft.hpp && exit 1; }
echo "the single header means what the separate headers mean"
