#include "weft/kernels/fused/call.hpp"

#include <doctest/doctest.h>

using namespace weft;
using kernels::FusedCall;

TEST_CASE("fused call: numbers, streams and segments are read as they are written") {
  u64 n[FusedCall::streams_at + 2 + 2 * FusedCall::segment_numbers]{};
  FusedCall{70, 32, 3, 5, i64{1} << 40, 2}.encode(n);
  const u64 tail[]{11, 12, 0, 640, 5000, 2, 8192, 17};
  for (int k = 0; k < 8; ++k) n[FusedCall::streams_at + k] = tail[k];
  const FusedCall call = FusedCall::decode(n);
  CHECK(call.rows == 70);
  CHECK(call.rows_per_chunk == 32);
  CHECK(call.chunks == 3);
  CHECK(call.last_cols == 5);
  CHECK(call.partial_bytes == i64{1} << 40);
  REQUIRE(call.streams == 2);
  CHECK(n[call.streams_at + 1] == 12);
  REQUIRE(call.segments(sizeof n / sizeof n[0]) == 2);
  CHECK(call.segment(n, 0).length == 5000);
  CHECK(call.segment(n, 1).first_tile == 2);
  CHECK(call.segment(n, 1).offset == 8192);
  CHECK(call.segments(call.segments_at()) == 0);
}
