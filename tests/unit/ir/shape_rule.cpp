// The shapes of primitives, against the same said element by element.
#include "weft/ir/shape_rule.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/exec/function.hpp"
#include "weft/ir/graph.hpp"
#include "weft/ops/nn/adaptive_pool.hpp"

using namespace weft;

namespace {

constexpr Dims dims(std::initializer_list<i64> extents) {
  return ir::make_dims(static_cast<int>(extents.size()), extents.begin());
}

}  // namespace

TEST_CASE("shape rule: reduced axes stay or go") {
  const Dims d = dims({2, 3, 4, 5});
  for (ir::Axes axes = 0; axes <= ir::all_axes(4); ++axes) {
    const Dims kept = ir::reduced(d, axes), gone = ir::dropped(d, axes);
    CHECK(kept.rank == 4);
    i64 size = 1;
    int rank = 0;
    for (int k = 0; k < 4; ++k) {
      const bool is_reduced = (axes >> k & 1u) != 0;
      CHECK(kept.extent[k] == (is_reduced ? 1 : d.extent[k]));
      if (is_reduced) continue;
      CHECK(gone.extent[rank++] == d.extent[k]);
      size *= d.extent[k];
    }
    CHECK(gone.rank == rank);
    CHECK(kept.size() == size);
    CHECK(gone.size() == size);
  }
}

TEST_CASE("shape rule: axes in another order, and frames, which may crop") {
  const i64 order[]{2, 0, 3, 1}, widths[]{1, 2, 0, 0, -1, 0, -2, 3};
  const Dims d = dims({2, 3, 4, 5});
  CHECK(ir::permuted(d, order) == dims({4, 2, 5, 3}));
  CHECK(ir::padded(d, widths) == dims({5, 3, 3, 6}));
  i64 back[4]{};
  for (int k = 0; k < 4; ++k) back[order[k]] = k;
  CHECK(ir::permuted(ir::permuted(d, order), back) == d);
}

TEST_CASE("shape rule: a contraction has the batch axes, then the free ones of both operands") {
  ir::DotAxes axes;
  axes.batch = axes.contracted = 1;
  axes.batch_a[0] = 1, axes.batch_b[0] = 0;
  axes.contracted_a[0] = 0, axes.contracted_b[0] = 2;
  const Dims a = dims({7, 2, 3}), b = dims({2, 5, 7});
  CHECK(axes.agrees(a, b));
  CHECK(!axes.agrees(a, dims({2, 5, 6})));
  CHECK(!axes.agrees(a, dims({3, 5, 7})));
  CHECK(axes.used_a() == 3u);
  CHECK(axes.used_b() == 5u);
  CHECK(ir::dot_dims(a, b, axes) == dims({2, 3, 5}));
  CHECK(ir::dot_dims(a, b, ir::DotAxes{}) == dims({7, 2, 3, 2, 5, 7}));
}

TEST_CASE("shape rule: rows are taken and added by an index") {
  CHECK(ir::gathered(dims({9, 4, 5}), dims({2, 3})) == dims({2, 3, 4, 5}));
  CHECK(ir::scattered(9, dims({2, 3}), dims({2, 3, 4, 5})) == dims({9, 4, 5}));
  CHECK(ir::gathered(dims({9}), dims({})) == dims({}));
}

TEST_CASE("shape rule: slices are of all elements, at run time as while compiling") {
  constexpr bool whole = [] {
    ir::Slices all;
    bool each = true;
    for (int k = 0; k < max_rank; ++k) each = each && all[k].begin == 0 && all[k].step == 1;
    return each;
  }();
  CHECK(whole);
  // the same function, evaluated by the compiler and run: g++ 12 gave the second one steps of 0
  constexpr auto pool = [](auto x) { return adaptive_max_pool2d<3>(x); };
  auto f = compile(Cpu{1}, pool, in<f32, 1, 2, 4, 5>);
  ir::Builder b;
  const Expr<f32, Shape<1, 2, 4, 5>> x{
      ir::Value{&b, b.leaf(ir::Op::input, DType::f32, Shape<1, 2, 4, 5>::value, 0)}};
  static_cast<void>(pool(x));
  int slices = 0;
  for (int i = 0; i < b.graph.nodes.size(); ++i) {
    if (b.graph.nodes[i].op != ir::Op::slice) continue;
    ++slices;
    for (int k = 0; k < 4; ++k) CHECK(b.graph.attribute(i, 2 * k + 1) == 1);
  }
  CHECK(slices > 3);
  std::vector<f32> image(40);
  for (std::size_t k = 0; k < 40; ++k) image[k] = static_cast<f32>(k);
  CHECK(f(image)[17] == 39);
}
