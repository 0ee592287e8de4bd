#include "weft/targets/interpreter/kinds.hpp"

#include <doctest/doctest.h>

#include "weft/ir/loop.hpp"
#include "weft/ir/value.hpp"

using namespace weft;

TEST_CASE("kinds: each once, by operation, dtypes and fold, those of a loop's body too") {
  const auto count = [](auto build) {
    ir::Builder b;
    const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, make_dims<4, 4>(), 0)};
    b.graph.inputs.push(x.id);
    b.graph.outputs.push(build(b, x).id);
    exec::KindList list;
    list.add(b.graph);
    return list.kinds.size();
  };
  CHECK(count([](auto&, auto x) { return ir::unary(ir::Op::exp, ir::unary(ir::Op::exp, x)); }) == 1);
  CHECK(count([](auto&, auto x) { return ir::unary(ir::Op::exp, ir::cast(x, DType::f64)); }) == 2);
  CHECK(count([](auto&, auto x) {
          return ir::scan(ir::scan(x, 0, false, ir::Fold::sum), 1, false, ir::Fold::max);
        }) == 2);
  CHECK(count([](auto&, auto x) {
          return ir::scan(ir::scan(x, 0, false, ir::Fold::sum), 1, true, ir::Fold::sum);
        }) == 1);
  CHECK(count([](auto& b, auto x) {
          ir::Builder inside;
          const ir::Value h{&inside, inside.leaf(ir::Op::input, DType::f32, make_dims<4, 4>(), 0)};
          inside.graph.is_body = true;
          inside.graph.inputs.push(h.id);
          inside.graph.outputs.push(ir::unary(ir::Op::tanh, h).id);
          ir::LoopShape s;
          s.trips = 3, s.carries = 1;
          List<int> operands(1, ir::unary(ir::Op::exp, x).id);
          return ir::loop_final(ir::loop(b, s, inside.graph, operands), s, 0);
        }) == 2);
}

TEST_CASE("kinds: a word says what it was made of") {
  const exec::NodeKind kind{ir::Op::scan, DType::i64, DType::bf16, ir::Fold::logaddexp};
  const exec::NodeKind back = exec::NodeKind::of(kind.word());
  CHECK((back.op == kind.op && back.to == kind.to && back.from == kind.from && back.fold == kind.fold));
}
