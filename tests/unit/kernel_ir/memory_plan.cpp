#include "weft/kernel_ir/memory_plan.hpp"

#include <doctest/doctest.h>

#include "support/compile_verified.hpp"

using namespace weft;
using kernel_ir::BufferAddress;

TEST_CASE("memory_plan: a view begins at its root, moved by its offset in elements") {
  kernel_ir::Plan p;
  p.where.push(BufferAddress::make(ir::Space::input, 0, 3));
  p.where.push(BufferAddress::make(ir::Space::model, 512));
  kernel_ir::View v = kernel_ir::contiguous_view(1, make_dims<4, 5>());
  CHECK(p.address(v, DType::f32) == BufferAddress::make(ir::Space::model, 512));
  v.offset = 7;
  CHECK(p.address(v, DType::f32) == BufferAddress::make(ir::Space::model, 512 + 28));
  CHECK(p.address(v, DType::bf16) == BufferAddress::make(ir::Space::model, 512 + 14));
  v.root = 0;
  CHECK(p.address(v, DType::f64) == BufferAddress::make(ir::Space::input, 56, 3));
}

namespace {

// An arena of 300,000 elements, of which a group has [4, 40004) and [100000, 160000).
struct Arena {
  static constexpr i64 bytes = 300000 * 4;
  ir::Builder b{64};
  Arena() {
    ir::Graph& g = b.graph;
    g.ranges.push({4, 40000});
    g.ranges.push({100000, 60000});
    g.param_groups.push({0, 2});
    g.model_bytes = 2 * bytes;
  }
  // The group's vector in the arena that begins at byte `offset`.
  int slot(i64 offset) {
    const i64 extent[]{100000};
    b.graph.slots.push({ir::Space::model, DType::f32, b.shape(ir::make_dims(1, extent)), 0, offset});
    return b.graph.slots.size() - 1;
  }
};

}  // namespace

TEST_CASE(
    "memory_plan: a parameter group's new values, where the old ones are read late, have an arena of their "
    "own") {
  Arena arena;
  ir::Builder& b = arena.b;
  const int first = arena.slot(0), second = arena.slot(Arena::bytes);
  const ir::Value old = ir::read_slot(b, first);
  ir::Value made = old;  // at a cost at which nothing makes it again
  for (int k = 0; k < 8; ++k) made = ir::unary(ir::Op::tanh, made * 1.5);
  // a sum of all that is new comes before what reads the old values again
  const ir::Value total = ir::reduce(ir::Op::reduce_sum, made * made, 1u);
  const ir::Value late = old + ir::broadcast(ir::reshape(total, Dims{}), old.dims());
  b.graph.assigns.push({first, made.id});
  b.graph.assigns.push({second, late.id});
  const compiler::Module m = testing::compile_verified(b.graph);
  const u64 from = m.plan.where[m.graph.assigns[0].node];
  CHECK(m.plan.in_workspace(m.graph.assigns[0].node));
  CHECK(m.plan.where[m.graph.assigns[1].node] == BufferAddress::make(ir::Space::model, Arena::bytes));
  CHECK(m.fusion.stored_bytes(m.graph, m.graph.assigns[0].node) == 160000 * 4);
  REQUIRE(m.plan.copies.size() == 2);
  const i64 begins[]{16, 400000}, bytes[]{160000, 240000};
  for (int k = 0; k < 2; ++k) {
    const kernel_ir::Copy& copy = m.plan.copies[k];
    CHECK(copy.from == from + static_cast<u64>(begins[k]));
    CHECK(copy.to == BufferAddress::make(ir::Space::model, begins[k]));
    CHECK(copy.bytes == bytes[k]);
    CHECK(copy.of_group);
  }
}
