#include "weft/exec/whole_state.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/thread_ranks.hpp"

using namespace weft;
using test_support::run_ranks;
using test_support::ThreadRanks;

namespace {

// Three rows: one whole, one cut along its second axis, one along its first in two blocks.
exec::StateForm form_of(int ranks) {
  exec::StateForm form;
  form.rows = {{"whole", DType::i64, {5}, 0},
               {"columns", DType::f32, {4, 6, 3}, 64, 1, ranks, 1},
               {"blocks", DType::f32, {4, 2}, 384, 0, ranks, 2}};
  form.bytes = 448;
  return form;
}
f32 element(i64 row, i64 index) { return static_cast<f32>(1000 * row + index); }

}  // namespace

TEST_CASE("whole state: rows that are parts lie whole behind the block, the others where they were") {
  const exec::StateForm own = form_of(3), whole = exec::whole_form(own);
  CHECK(whole.rows[0].offset == 0);
  CHECK(whole.rows[1].shape == std::vector<i64>{4, 18, 3});
  CHECK(whole.rows[1].offset == 448);
  CHECK(whole.rows[2].shape == std::vector<i64>{12, 2});
  CHECK(whole.rows[2].offset == 448 + 4 * 18 * 3 * 4);
  CHECK(whole.bytes == 448 + 4 * 18 * 3 * 4 + 12 * 2 * 4);
}

TEST_CASE("whole state: parts are put together and taken apart, along any axis and block by block") {
  constexpr int ranks = 3;
  run_ranks(ranks, [](int r) {
    const exec::StateForm own = form_of(ranks), whole = exec::whole_form(own);
    const auto group = ThreadRanks::connect_group(ranks);
    std::vector<std::byte> block(static_cast<std::size_t>(whole.bytes)), back = block;
    const auto at = [&](std::vector<std::byte>& of, i64 offset) {
      return reinterpret_cast<f32*>(of.data() + offset);
    };
    // the columns: element (i, j, k) of the whole is at its place there; this rank has j in [6 r, 6 r + 6)
    for (i64 i = 0; i < 4; ++i)
      for (i64 j = 0; j < 6; ++j)
        for (i64 k = 0; k < 3; ++k)
          at(block, 64)[(i * 6 + j) * 3 + k] = element(1, (i * 18 + j + 6 * r) * 3 + k);
    // two blocks of six rows: this rank has rows 2 r and 2 r + 1 of each
    for (i64 i = 0; i < 4; ++i)
      for (i64 k = 0; k < 2; ++k) at(block, 384)[i * 2 + k] = element(2, (i / 2 * 6 + 2 * r + i % 2) * 2 + k);
    exec::gather_parts(*group, own, whole, block.data());
    for (i64 i = 0; i < 4 * 18 * 3; ++i) CHECK(at(block, whole.rows[1].offset)[i] == element(1, i));
    for (i64 i = 0; i < 12 * 2; ++i) CHECK(at(block, whole.rows[2].offset)[i] == element(2, i));
    std::memcpy(back.data() + own.bytes, block.data() + own.bytes,
                block.size() - static_cast<std::size_t>(own.bytes));
    exec::take_parts(r, own, whole, back.data());
    CHECK(std::memcmp(back.data() + 64, block.data() + 64, 4 * 6 * 3 * 4) == 0);
    CHECK(std::memcmp(back.data() + 384, block.data() + 384, 4 * 2 * 4) == 0);
  });
}

TEST_CASE("whole state: what the first rank cannot do the others learn") {
  run_ranks(2, [](int r) {
    const auto group = ThreadRanks::connect_group(2);
    int calls = 0;
    exec::first_of_group(*group, "write", [&] { ++calls; });
    CHECK(calls == (r == 0 ? 1 : 0));
    CHECK_THROWS_WITH_AS(
        exec::first_of_group(*group, "write", [] { throw Error("io/write", "no room"); }),
        doctest::Contains(r == 0 ? "no room" : "the first rank of the group could not write"), Error);
  });
}
