#include "weft/ir/unrounded.hpp"

#include <doctest/doctest.h>

#include "weft/kernel_ir/fuse.hpp"
#include "weft/transforms/precision.hpp"

using namespace weft;

namespace {

// The dtype of x w, (4, 8) times (8, 8), which `read` reads, behind precision::bf16.
template <class Read>
DType product_of(Read read) {
  ir::Builder b(32);
  const i64 rows[]{4, 8}, square[]{8, 8};
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, ir::make_dims(2, rows), 0)};
  const ir::Value w{&b, b.leaf(ir::Op::input, DType::f32, ir::make_dims(2, square), 1)};
  b.graph.inputs.push(x.id);
  b.graph.inputs.push(w.id);
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = 1;
  b.graph.outputs.push(read(ir::dot(x, w, axes, DType::f32)).id);
  const ir::Graph g = transforms::apply_precision(b.graph, precision::BF16::rule);
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == ir::Op::dot) return g.nodes[i].dtype;
  return DType::boolean;
}

}  // namespace

TEST_CASE("unrounded: a product so marked keeps its sums, also through views") {
  const auto read = [](ir::Value v) { return v * v; };
  CHECK(product_of([&](ir::Value y) { return read(y); }) == DType::bf16);
  CHECK(product_of([&](ir::Value y) { return read(ir::unrounded(y)); }) == DType::f32);
  CHECK(product_of([&](ir::Value y) { return read(ir::unrounded(ir::rows(y, 1, 2))); }) == DType::f32);
  CHECK(product_of([&](ir::Value y) { return read(ir::rows(y, 1, 2)); }) == DType::bf16);
}

TEST_CASE("unrounded: the mark is told from other control edges") {
  ir::Builder b(32);
  const i64 extent[]{4};
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, ir::make_dims(1, extent), 0)};
  CHECK(ir::is_unrounded(b.graph, ir::unrounded(x).id));
  CHECK(!ir::is_unrounded(b.graph, ir::add_dependency(x, x * 2.0).id));
  CHECK(!ir::is_unrounded(b.graph, (x * 2.0).id));
}
