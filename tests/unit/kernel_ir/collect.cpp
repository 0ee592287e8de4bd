#include "weft/kernel_ir/collect.hpp"

#include <doctest/doctest.h>

#include "support/compile_verified.hpp"

using namespace weft;

namespace {

constexpr i64 rows = 64, columns = 96;

struct Program {
  ir::Builder b;
  ir::Value x, y;
  Program()
      : x{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {rows, columns}}, 0)},
        y{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {columns, rows}}, 1)} {
    b.graph.inputs.push(x.id);
    b.graph.inputs.push(y.id);
  }
  // A product, which has a kernel of its own, so that what both sides read crosses kernels.
  ir::Value product(ir::Value a) {
    const int axis1[1]{1}, axis0[1]{0};
    ir::DotAxes axes;
    axes.contracted = 1;
    axes.contracted_a[0] = axis1[0];
    axes.contracted_b[0] = axis0[0];
    return ir::dot(a, y, axes, DType::f32);
  }
};

// How many values of the extents of x are in memory beside the results.
int stored(const compiler::Module& m) {
  int n = 0;
  for (int i = 0; i < m.graph.nodes.size(); ++i) {
    bool result = false;
    for (const int x : m.graph.outputs) result = result || x == i;
    n += m.fusion.stored[i] && !result && m.graph.dims(i).size() == rows * columns &&
         m.fusion.materialization[i] == kernel_ir::Materialization::fused;
  }
  return n;
}

}  // namespace

TEST_CASE("collect: what a product reads is stored once, and read from there by what comes later") {
  Program p;
  const ir::Value e = ir::unary(ir::Op::tanh, p.x);
  p.b.graph.outputs.push(p.product(e).id);
  p.b.graph.outputs.push((e * e).id);
  CHECK(stored(testing::compile_verified(p.b.graph)) == 1);
}

TEST_CASE("collect: every load was stored before, and each kernel computes no more than its stores need") {
  Program p;
  const ir::Value a = ir::unary(ir::Op::exp, p.x), sums = ir::reduce(ir::Op::reduce_sum, a, 0b10);
  const ir::Value scaled = a / ir::broadcast(sums, a.dims());
  p.b.graph.outputs.push(p.product(scaled).id);
  p.b.graph.outputs.push(ir::reduce(ir::Op::reduce_max, scaled, 0b01).id);
  const compiler::Module m = testing::compile_verified(p.b.graph);
  List<u8> needed(m.graph.nodes.size(), 0);
  for (int k = 0; k < m.fusion.kernels.size(); ++k) {
    const kernel_ir::Kernel& kernel = m.fusion.kernels[k];
    if (kernel.opaque >= 0) continue;
    for (u8& n : needed) n = 0;
    for (int i = 0; i < kernel.stores.size; ++i) needed[m.fusion.pool[kernel.stores.begin + i]] = 1;
    for (int i = kernel.body.size - 1; i >= 0; --i) {
      const int x = m.fusion.pool[kernel.body.begin + i];
      CHECK(needed[x] == 1);
      for (int j = 0; j < m.graph.nodes[x].arity; ++j) {
        int in = m.graph.in(x, j);
        while (m.graph.nodes[in].op == ir::Op::broadcast) needed[in] = 1, in = m.graph.in(in, 0);
        needed[in] = 1;
      }
    }
  }
}

TEST_CASE("collect: a chain of more reductions than a kernel makes passes over a row is cut") {
  for (const int length : {7, 8, 20}) {
    Program p;
    ir::Value v = p.x;
    for (int k = 0; k < length; ++k) v = v - ir::broadcast(ir::reduce(ir::Op::reduce_max, v, 0b10), v.dims());
    p.b.graph.outputs.push(v.id);
    const compiler::Module m = testing::compile_verified(p.b.graph);
    int kernels = 0;
    for (const kernel_ir::Kernel& kernel : m.fusion.kernels) kernels += kernel.stores.size > 0;
    CHECK((kernels == 1) == (length <= kernel_ir::FuseLimits{}.reductions));
  }
}
