#include "weft/compiler/lower/along_axis.hpp"

#include <doctest/doctest.h>

#include "support/compile_verified.hpp"
#include "support/lowered_difference.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

struct Lines {
  ir::Builder b;
  Leaves leaves;
  ir::Value input(DType t, const Dims& d, int modulus) {
    const ir::Value x{&b, b.leaf(ir::Op::input, t, d, static_cast<u64>(leaves.inputs.size()))};
    b.graph.inputs.push(x.id);
    Array values;
    for (i64 k = 0; k < d.size(); ++k) values.push_back(static_cast<double>((k * 37 + 11) % modulus));
    leaves.inputs.push_back(values);
    return x;
  }
  // The first difference from the plain evaluation, and how many launches of this kind there are.
  std::string compare(compiler::StepKind kind, int launches) {
    b.graph.scalar_count = 4;
    leaves.scalars = Array(4, 0);
    const compiler::Module m = compile_verified(b.graph);
    int n = 0;
    for (const compiler::Step& s : m.lowered.steps) n += s.kind == kind;
    CHECK(n == launches);
    return difference(b.graph, leaves, 1);
  }
};
const Dims dims{3, {5, 64, 3}};
// The same values with the axes the other way round: a view, which the kernel reads through its strides.
ir::Value turned(ir::Value x) {
  const i64 order[3]{2, 1, 0};
  return ir::permute(x, order);
}

}  // namespace

TEST_CASE("along_axis: running folds, forwards and back, of what lies in another order") {
  Lines p;
  const ir::Value x = p.input(DType::f32, dims, 7);
  for (const bool reversed : {false, true}) {
    p.b.graph.outputs.push(ir::scan(x, 1, reversed, ir::Fold::sum).id);
    p.b.graph.outputs.push(ir::scan(turned(x), 1, reversed, ir::Fold::max).id);
  }
  CHECK(p.compare(compiler::StepKind::scan, 4) == "");
}

TEST_CASE("along_axis: sorted places, all of them and the first few, and what they take") {
  Lines p;
  const ir::Value x = p.input(DType::f32, dims, 41);
  for (const bool largest_first : {false, true}) {
    const ir::Value places = ir::argsort(x, 1, largest_first, 64),
                    few = ir::argsort(turned(x), 1, largest_first, 10);
    p.b.graph.outputs.push(places.id);
    p.b.graph.outputs.push(ir::take_along_axis(turned(x), few, 1).id);
  }
  CHECK(p.compare(compiler::StepKind::argsort, 4) == "");
}

TEST_CASE(
    "along_axis: what is scattered is folded in the order of the indices; places outside do not count") {
  Lines p;
  const ir::Value index = p.input(DType::i64, Dims{3, {5, 100, 3}}, 80),
                  update = p.input(DType::f32, Dims{3, {5, 100, 3}}, 9);
  p.b.graph.outputs.push(ir::scatter_reduce(index, update, 1, 64, ir::Fold::sum).id);
  p.b.graph.outputs.push(ir::scatter_reduce(index, update, 1, 64, ir::Fold::max).id);
  CHECK(p.compare(compiler::StepKind::scatter_reduce, 2) == "");
}

TEST_CASE("along_axis: how many come before, from the left and from the right") {
  Lines p;
  const ir::Value x = p.input(DType::f32, Dims{2, {7, 64}}, 13),
                  wanted = p.input(DType::f32, Dims{2, {7, 20}}, 17);
  const ir::Value sorted = ir::take_along_axis(x, ir::argsort(x, 1, false, 64), 1);
  for (const bool right : {false, true}) p.b.graph.outputs.push(ir::searchsorted(sorted, wanted, right).id);
  CHECK(p.compare(compiler::StepKind::searchsorted, 2) == "");
}
