#include "weft/compiler/lower/combine_partials.hpp"

#include <doctest/doctest.h>

#include "support/compile_verified.hpp"
#include "support/interpret_lowered.hpp"

using namespace weft;

namespace {

int count(const compiler::Lowered& l, compiler::StepKind kind) {
  int n = 0;
  for (const compiler::Step& s : l.steps) n += s.kind == kind;
  return n;
}
ir::Value columns(ir::Value x) { return ir::reduce(ir::Op::reduce_sum, x, 0b01); }
ir::Value total(ir::Value x) { return ir::reduce(ir::Op::reduce_sum, x, 0b11); }

// Integers, so that any order gives the same sums.
testing::Leaves leaves(i64 n) {
  testing::Leaves l;
  l.inputs.emplace_back();
  for (i64 k = 0; k < n; ++k) l.inputs[0].push_back(static_cast<double>(k % 7 - 3));
  l.scalars = testing::Array(4, 0);
  return l;
}

}  // namespace

TEST_CASE("combine_partials: sums along many rows share one second stage, and come out right") {
  ir::Builder b;
  b.graph.scalar_count = 4;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {5000, 64}}, 0)};
  b.graph.inputs.push(x.id);
  for (const ir::Value& v : {columns(x), columns(x * x), total(x)}) b.graph.outputs.push(v.id);
  const compiler::Module m = testing::compile_verified(b.graph);
  CHECK(count(m.lowered, compiler::StepKind::combine_partials) == 1);
  const testing::Leaves given = leaves(5000 * 64);
  testing::Machine machine(m.graph, m.plan, m.lowered, given, 3);
  machine.run();
  const std::vector<testing::Array> wanted = testing::interpret(b.graph, given);
  for (int k = 0; k < 3; ++k) CHECK(machine.output(k) == wanted[static_cast<std::size_t>(k)]);
}

TEST_CASE("combine_partials: a sum that one chunk holds needs no second stage") {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {64, 64}}, 0)};
  b.graph.inputs.push(x.id);
  b.graph.outputs.push(columns(x).id);
  const compiler::Module m = testing::compile_verified(b.graph);
  CHECK(m.plan.tilings[m.fusion.kernel_of[m.graph.outputs[0]]].chunks == 1);
  CHECK(count(m.lowered, compiler::StepKind::combine_partials) == 0);
}
