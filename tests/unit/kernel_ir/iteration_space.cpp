#include "weft/kernel_ir/iteration_space.hpp"

#include <doctest/doctest.h>

#include <random>

#include "weft/ir/value.hpp"

using namespace weft;
using kernel_ir::Level;

namespace {

// The definition, axis by axis of the longer of the two.
kernel_ir::SpaceFit defined(const Dims& space, const Dims& d) {
  const int rank = space.rank > d.rank ? space.rank : d.rank;
  const auto extent = [rank](const Dims& x, int k) {
    const int i = k - (rank - x.rank);
    return i >= 0 ? x.extent[i] : 1;
  };
  kernel_ir::SpaceFit r;
  int first = -1;
  for (int k = 0; k < rank; ++k) {
    const i64 s = extent(space, k), e = extent(d, k);
    r.inside = r.inside && (e == s || e == 1);
    r.outside = r.outside && (e == s || s == 1);
    r.full = r.full && e == s;
    if (s != e && (s == 1 || e == 1) && first < 0) first = k;
    if (s == e && e != 1 && first >= 0) r.suffix = false;
  }
  r.split = first < 0 ? 0 : first;
  return r;
}

// The reduction over `axes` of a value of these extents.
kernel_ir::Reduction seen(const Dims& d, ir::Axes axes, ir::Op op = ir::Op::reduce_sum) {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, d, 0)};
  return kernel_ir::reduction_of(b.graph, ir::reduce(op, x, axes).id);
}

}  // namespace

TEST_CASE("iteration_space: how extents lie in a space, by definition") {
  std::mt19937 random(7);
  const auto dims = [&random] {
    constexpr i64 extents[]{1, 1, 2, 3};
    Dims d;
    d.rank = static_cast<int>(random() % 5);
    for (int a = 0; a < d.rank; ++a) d.extent[a] = extents[random() % 4];
    return d;
  };
  for (int n = 0; n < 20000; ++n) {
    const Dims space = dims(), d = dims();
    const kernel_ir::SpaceFit got = kernel_ir::fit_in(space, d), want = defined(space, d);
    CAPTURE(to_text(space).c_str());
    CAPTURE(to_text(d).c_str());
    REQUIRE(got.inside == want.inside);
    REQUIRE(got.outside == want.outside);
    REQUIRE(got.full == want.full);
    if (got.inside && !got.full) {
      REQUIRE(got.suffix == want.suffix);
      REQUIRE(got.split == want.split);
    }
  }
}

TEST_CASE("iteration_space: along columns, along rows, over all, or along axes between others") {
  const Dims d{3, {64, 10, 7}};
  CHECK(seen(d, 0b100).level == Level::row);
  CHECK(seen(d, 0b100).split == 2);
  CHECK(seen(d, 0b110).level == Level::row);
  CHECK(seen(d, 0b110).split == 1);
  CHECK(seen(d, 0b001).level == Level::column_sum);
  CHECK(seen(d, 0b001).split == 1);
  CHECK(seen(d, 0b011).split == 2);
  CHECK(seen(d, 0b111).level == Level::total);
  CHECK(seen(d, 0b010).level == Level::column_sum);
  CHECK(seen(d, 0b010).batch == 1);
  CHECK(seen(d, 0b010).split == 2);
  CHECK(seen(d, 0b001).batch == 0);
  CHECK(seen(d, 0b101).middle_axis);
  // axes of extent 1 do not count
  CHECK(seen(Dims{3, {1, 10, 7}}, 0b010).level == Level::column_sum);
  CHECK(seen(Dims{3, {64, 10, 1}}, 0b010).level == Level::row);
  // a place is found along a row alone
  CHECK(seen(d, 0b111, ir::Op::argmax).level == Level::row);
  CHECK(seen(d, 0b111, ir::Op::argmax).split == 0);
}
