#include "weft/ir/loop.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"

using namespace weft;
using ir::Op;
using ir::Value;

namespace {

constexpr Dims dims(int rank, i64 a = 0, i64 b = 0) {
  const i64 extent[2]{a, b};
  return ir::make_dims(rank, extent);
}

// carry (3), stacked (5, 3), invariant (3): next = carry * invariant + slice; stacks carry.
constexpr ir::Graph make_body() {
  ir::Builder b;
  b.graph.is_body = true;
  for (int k = 0; k < 3; ++k)
    b.graph.inputs.push(b.leaf(Op::input, DType::f32, dims(1, 3), static_cast<u64>(k)));
  const Value carry{&b, b.graph.inputs[0]}, slice{&b, b.graph.inputs[1]}, factor{&b, b.graph.inputs[2]};
  const Value next = carry * factor + slice;
  b.graph.outputs.push(next.id);
  b.graph.outputs.push(ir::unary(Op::exp, carry).id);
  return static_cast<ir::Graph&&>(b.graph);
}
constexpr ir::LoopShape shape{.trips = 5, .carries = 1, .stacked = 1, .invariants = 1, .outputs = 1};

struct Sample {
  ir::Builder b;
  List<int> operands;
  Value loop;
  explicit Sample(const ir::LoopShape& s = shape) {
    const Dims extents[]{dims(1, 3), dims(2, 5, 3), dims(1, 3)};
    for (int k = 0; k < 3; ++k) {
      operands.push(b.leaf(Op::input, DType::f32, extents[k], static_cast<u64>(k)));
      b.graph.inputs.push(operands[k]);
    }
    loop = ir::loop(b, s, make_body(), operands);
  }
  std::string fault() const { return ir::to_text(ir::verify(b.graph), b.graph); }
};

}  // namespace

TEST_CASE("loop: equal loops are one node, equal bodies one body") {
  Sample s;
  CHECK(ir::loop(s.b, shape, make_body(), s.operands).id == s.loop.id);
  CHECK(s.b.graph.bodies.size() == 1);
  ir::LoopShape reverse = shape;
  reverse.reverse = true;
  CHECK(ir::loop(s.b, reverse, make_body(), s.operands).id != s.loop.id);
  CHECK(s.b.graph.bodies.size() == 1);
  const ir::LoopShape back = ir::loop_shape(s.b.graph, s.loop.id);
  CHECK(back.trips == 5);
  CHECK(back.results() == 3);
  CHECK(ir::print(ir::loop_body(s.b.graph, s.loop.id)) == ir::print(make_body()));
}

TEST_CASE("loop: results have the carry's shape, a history's and a stack's") {
  Sample s;
  CHECK(ir::loop_final(s.loop, shape, 0).dims() == dims(1, 3));
  CHECK(ir::loop_history(s.loop, shape, 0).dims() == dims(2, 6, 3));
  ir::loop_result(s.loop, shape.output(0), DType::f32, dims(2, 5, 3));
  CHECK(s.fault().empty());
}

TEST_CASE("loop: the verifier finds what is wrong") {
  const auto says = [](const Sample& s, const char* what) {
    CAPTURE(s.fault());
    CHECK(s.fault().find(what) != std::string::npos);
  };
  {
    ir::LoopShape longer = shape;
    longer.trips = 6;
    says(Sample(longer), "a stacked input does not have an extent of the trips");
  }
  {
    ir::LoopShape other = shape;
    other.stacked = 0, other.invariants = 2;
    says(Sample(other), "an input of its body has another dtype or shape");
  }
  {
    ir::LoopShape other = shape;
    other.outputs = 2;
    says(Sample(other), "inputs or outputs are not the loop's");
  }
  {
    Sample s;
    ir::loop_result(s.loop, shape.results(), DType::f32, dims(1, 3));
    says(s, "no such result");
  }
  {
    Sample s;
    ir::loop_result(s.loop, shape.history_of(0), DType::f32, dims(2, 5, 3));
    says(s, "another shape than the carry");
  }
  {
    Sample s;
    ir::loop_result(s.loop, shape.output(0), DType::f64, dims(2, 5, 3));
    says(s, "another dtype than its body's");
  }
  {
    Sample s;
    ir::Graph body = make_body();
    body.outputs[0] = body.inputs[1];
    body.nodes[body.inputs[1]].dtype = DType::i32;
    s.loop = ir::loop(s.b, shape, body, s.operands);
    CHECK(!s.fault().empty());
  }
}

TEST_CASE("loop: printed with its body") {
  Sample s;
  s.b.graph.outputs.push(ir::loop_final(s.loop, shape, 0).id);
  CHECK(ir::print(s.b.graph) ==
        "%0 = input 0 : f32 (3,)\n"
        "%1 = input 1 : f32 (5, 3)\n"
        "%2 = input 2 : f32 (3,)\n"
        "%3 = loop(%0, %1, %2) body 0 trips 5 carries 1 stacked 1 invariants 1 outputs 1 : u8 ()\n"
        "%4 = result(%3) 0 : f32 (3,)\n"
        "return %4\n"
        "body 0:\n"
        "  %0 = input 0 : f32 (3,)\n"
        "  %1 = input 1 : f32 (3,)\n"
        "  %2 = input 2 : f32 (3,)\n"
        "  %3 = mul(%0, %2) : f32 (3,)\n"
        "  %4 = add(%3, %1) : f32 (3,)\n"
        "  %5 = exp(%0) : f32 (3,)\n"
        "  return %4, %5\n");
}

TEST_CASE("loop: what a loop's own operands and results are numbered when it gets more") {
  ir::LoopShape before;
  before.carries = 2, before.stacked = 1, before.invariants = 1, before.outputs = 1;
  const ir::WidenedLoop wider{before, 3, 4};
  ir::LoopShape after = before;
  after.carries += 3;
  after.stacked += 4;
  CHECK(wider.operand(1) == 1);
  CHECK(wider.operand(2) == after.carries);
  CHECK(after.is_stacked(wider.operand(2)));
  CHECK(wider.operand(3) == after.carries + after.stacked);
  CHECK(wider.result(before.final_of(1)) == after.final_of(1));
  CHECK(wider.result(before.history_of(1)) == after.history_of(1));
  CHECK(wider.result(before.output(0)) == after.output(0));

  after.ahead = 2;
  CHECK(!after.is_ahead(after.carries + after.stacked - 3));
  CHECK(after.is_ahead(after.carries + after.stacked - 2));
  CHECK(!after.is_ahead(after.carries + after.stacked));
}
