#include "weft/compiler/lower/loop.hpp"

#include <doctest/doctest.h>

#include "support/lowered_difference.hpp"
#include "weft/compiler/lower.hpp"
#include "weft/ir/loop.hpp"
#include "weft/kernel_ir/collect.hpp"
#include "weft/kernel_ir/plan.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("loop: loops among other arithmetic, and loops in loops") {
  CHECK(failures(90000, 2000, {.steps = 8, .loops = 1}) == 0);
  CHECK(failures(100000, 1000, {.steps = 12, .state = true, .loops = 1}) == 0);
  CHECK(failures(110000, 1000, {.steps = 8, .loops = 2}) == 0);
  CHECK(failures(120000, 50, {.steps = 8, .size = 20000, .loops = 1}) == 0);
}

// Passes leave one of the two; should a loop have both all the same, both are written.
TEST_CASE("loop: the last value of a carry beside its history") {
  ir::Builder trip;
  const ir::Value h{&trip, trip.leaf(ir::Op::input, DType::f32, Dims{1, {64}}, 0)};
  trip.graph.is_body = true;
  trip.graph.inputs.push(h.id);
  trip.graph.outputs.push(ir::unary(ir::Op::tanh, h).id);
  for (const bool reverse : {false, true}) {
    ir::LoopShape shape;
    shape.trips = 3, shape.carries = 1, shape.reverse = reverse;
    ir::Builder b;
    const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, Dims{1, {64}}, 0)};
    b.graph.inputs.push(x.id);
    List<int> operands;
    operands.push(x.id);
    const ir::Value loop = ir::loop(b, shape, trip.graph, operands);
    const ir::Value last = ir::loop_final(loop, shape, 0), history = ir::loop_history(loop, shape, 0);
    b.graph.outputs.push(last.id);
    b.graph.outputs.push(history.id);
    const kernel_ir::Fusion f = kernel_ir::fuse(b.graph);
    const kernel_ir::Plan p = kernel_ir::plan_memory(b.graph, f);
    const compiler::Lowered lowered = compiler::lower(b.graph, f, p);
    const compiler::Step& end = lowered.steps[lowered.steps.size() - 1];
    REQUIRE(end.kind == compiler::StepKind::copy);
    const u64* const addresses = lowered.addresses.data() + end.addresses.begin;
    CHECK(addresses[0] == p.where[history.id] + (reverse ? 0u : 3u * 256u));
    CHECK(addresses[1] == p.where[last.id]);
  }
}
