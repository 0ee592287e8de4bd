// What checkpointing keeps of a block: what the policy asks for, or the sum that a product ends in.
#include "weft/transforms/kept_values.hpp"

#include <doctest/doctest.h>

#include "weft/ir/value.hpp"

using namespace weft;
using ir::Op;
using ir::Value;

namespace {

bool is_product(const ir::Graph& g, int node) { return g.nodes[node].op == Op::dot; }
bool is_exponential(const ir::Graph& g, int node) { return g.nodes[node].op == Op::exp; }
bool all(const ir::Graph&, int) { return true; }

struct Sample {
  ir::Builder b;
  Value x, w, product, biased, residual, y;
  Sample() {
    const i64 square[]{4, 4};
    const Dims d = ir::make_dims(2, square);
    x = Value{&b, b.leaf(Op::input, DType::f32, d, 0)};
    w = Value{&b, b.leaf(Op::input, DType::f32, d, 1)};
    ir::DotAxes axes;
    axes.contracted = 1;
    axes.contracted_a[0] = 1;
    product = ir::dot(x, w, axes, DType::f32);
    biased = product + w;
    residual = biased + x;
    y = ir::unary(Op::exp, residual);
  }
  List<u8> kept(transforms::Keeps keeps) const {
    return transforms::kept_values(b.graph, b.graph.nodes.size(), keeps);
  }
};

}  // namespace

TEST_CASE("kept values: a product that nothing but sums reads is kept as the last of them") {
  const Sample s;
  const List<u8> kept = s.kept(is_product);
  CHECK(kept[s.product.id] == 0);
  CHECK(kept[s.biased.id] == 0);
  CHECK(kept[s.residual.id] == 1);
  CHECK(kept[s.y.id] == 0);
}

TEST_CASE("kept values: one that something else reads, too, is kept itself") {
  Sample s;
  const Value other = ir::unary(Op::tanh, s.product);
  const List<u8> kept = s.kept(is_product);
  CHECK(kept[s.product.id] == 1);
  CHECK(kept[s.residual.id] == 0);
  CHECK(kept[other.id] == 0);
}

TEST_CASE("kept values: what is no product is kept where it is, and what enters never") {
  const Sample s;
  const List<u8> exponential = s.kept(is_exponential), every = s.kept(all);
  CHECK(exponential[s.y.id] == 1);
  CHECK(exponential[s.residual.id] == 0);
  CHECK(every[s.x.id] == 0);
  CHECK(every[s.w.id] == 0);
  CHECK(every[s.y.id] == 1);
  CHECK(every[s.biased.id] == 1);
  // of the nodes before the product alone, none
  for (const u8 k : transforms::kept_values(s.b.graph, s.product.id, all)) CHECK(k == 0);
}
