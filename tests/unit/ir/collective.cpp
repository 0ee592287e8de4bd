#include "weft/ir/collective.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"

using namespace weft;
using ir::Op;

namespace {

// A vector of ten elements, of which `length` from `begin` on are summed.
constexpr ir::Graph summed(i64 begin, i64 length) {
  ir::Builder b(16);
  const int x = b.leaf(Op::input, DType::f32, Dims{1, {10}}, 0);
  b.graph.inputs.push(x);
  const ir::Value start = ir::all_reduce_start({&b, x}, begin, length, 3);
  b.graph.outputs.push(ir::all_reduce_done(start).id);
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace

TEST_CASE("collective: a sum is of a part of its operand, and has its request's number") {
  const ir::Graph g = summed(2, 5);
  CHECK(!ir::verify(g, ir::Stage::pruned));
  const std::string text = ir::print(g);
  CHECK(text.find("all_reduce_start") != std::string::npos);
  CHECK(text.find("request 3") != std::string::npos);
  CHECK(text.find("from [2]") != std::string::npos);
  CHECK(g.dims(g.outputs[0]) == g.dims(g.in(g.outputs[0], 0)));
}

TEST_CASE("collective: the verifier finds what is no sum") {
  CHECK(std::string(ir::verify(summed(6, 5), ir::Stage::traced).what) ==
        "all_reduce_start: beyond its operand");
  CHECK(std::string(ir::verify(summed(-1, 5), ir::Stage::traced).what) ==
        "all_reduce_start: beyond its operand");
  ir::Graph other = summed(2, 5);
  other.nodes[other.outputs[0]].imm = 4;
  CHECK(std::string(ir::verify(other, ir::Stage::traced).what) ==
        "all_reduce_done: not the request of its start");
}

TEST_CASE("collective: a trip waits for what is carried into it") {
  const auto waits = [](bool is_body) {
    ir::Builder b(16);
    b.graph.is_body = is_body;
    const int x = b.leaf(Op::input, DType::f32, Dims{1, {10}}, 0);
    b.graph.inputs.push(x);
    const ir::Value arrived = ir::collective_await({&b, x}, 5);
    b.graph.outputs.push(ir::add_dependency({&b, x}, arrived).id);
    return static_cast<ir::Graph&&>(b.graph);
  };
  CHECK(!ir::verify(waits(true), ir::Stage::pruned));
  CHECK(ir::print(waits(true)).find("collective_await") != std::string::npos);
  CHECK(ir::print(waits(true)).find("request 5") != std::string::npos);
  CHECK(std::string(ir::verify(waits(false), ir::Stage::pruned).what) ==
        "collective_await: not of what is carried into a trip or out of a loop");
}

TEST_CASE("collective: the largest of ranks is of a whole vector of f32") {
  const auto largest = [](DType dtype, i64 length) {
    ir::Builder b(16);
    const int x = b.leaf(Op::input, dtype, Dims{1, {10}}, 0);
    b.graph.inputs.push(x);
    const int y = ir::all_reduce_max({&b, x}, 7).id;
    b.graph.nodes[y].shape = b.shape(Dims{1, {length}});
    b.graph.outputs.push(y);
    return static_cast<ir::Graph&&>(b.graph);
  };
  const ir::Graph g = largest(DType::f32, 10);
  CHECK(!ir::verify(g, ir::Stage::pruned));
  CHECK(ir::print(g).find("all_reduce_max") != std::string::npos);
  CHECK(ir::print(g).find("request 7") != std::string::npos);
  for (const ir::Graph& wrong : {largest(DType::f64, 10), largest(DType::f32, 9)})
    CHECK(std::string(ir::verify(wrong, ir::Stage::traced).what) == "all_reduce_max: not of a vector of f32");
}

namespace {

// A piece of the sum of `length` elements from `begin` on, of a vector of ten that is shared in grains of
// two.
constexpr ir::Graph scattered(i64 begin, i64 length, i64 elements = 10, i64 grain = 2) {
  ir::Builder b(16);
  const int x = b.leaf(Op::input, DType::f32, Dims{1, {10}}, 0);
  b.graph.inputs.push(x);
  b.graph.outputs.push(
      ir::collective_done(ir::reduce_scatter_start({&b, x}, begin, length, {elements, grain}, 5)).id);
  return static_cast<ir::Graph&&>(b.graph);
}
std::string fault_of(const ir::Graph& g) { return ir::verify(g, ir::Stage::traced).what; }

}  // namespace

TEST_CASE("collective: a piece of a sum, and what is gathered of pieces, say how the vector is shared") {
  const ir::Graph g = scattered(2, 6);
  CHECK(!ir::verify(g, ir::Stage::pruned));
  const std::string text = ir::print(g);
  CHECK(text.find("reduce_scatter_start") != std::string::npos);
  CHECK(text.find("from [2, 10, 2]") != std::string::npos);
  CHECK(text.find("request 5") != std::string::npos);
  CHECK(fault_of(scattered(6, 5)) == "reduce_scatter_start: beyond its operand");
  CHECK(fault_of(scattered(2, 6, 7)) == "a collective beyond the vector that is shared");
  CHECK(fault_of(scattered(2, 6, 10, 0)) == "a collective beyond the vector that is shared");
  ir::Graph other = g;
  other.nodes[other.outputs[0]].op = Op::all_reduce_done;
  CHECK(fault_of(other) == "all_reduce_done: not the request of its start");

  ir::Builder b(16);
  const int x = b.leaf(Op::input, DType::f32, Dims{1, {10}}, 0);
  b.graph.inputs.push(x);
  const ir::Value start = ir::all_gather_start({&b, x}, 1, 0);
  b.graph.outputs.push(ir::collective_done(start).id);
  CHECK(!ir::verify(b.graph, ir::Stage::pruned));
  b.graph.list_data[b.graph.lists[b.graph.nodes[start.id].list].begin] = -1;
  CHECK(fault_of(b.graph) == "all_gather_start: beyond its operand");
}

namespace {

// Vectors of three and four elements at places 1 and `second` of a slot of `elements`.
constexpr ir::Graph into(i64 second, i64 elements = 10, ir::Space space = ir::Space::optimizer) {
  ir::Builder b(16);
  const int x = b.leaf(Op::input, DType::f32, Dims{1, {3}}, 0),
            y = b.leaf(Op::input, DType::f32, Dims{1, {4}}, 1);
  b.graph.inputs.push(x);
  b.graph.inputs.push(y);
  b.graph.slots.push({space, DType::f32, b.shape(Dims{1, {10}}), -1, 0});
  b.graph.optimizer_bytes = b.graph.model_bytes = 40;
  List<int> operands;
  operands.push(x);
  operands.push(y);
  List<i64> offsets;
  offsets.push(1);
  offsets.push(second);
  const ir::Value start = ir::reduce_scatter_into_start(b, 0, {elements, 2}, operands, offsets, 6);
  b.graph.outputs.push(ir::collective_done(start).id);
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace

TEST_CASE("collective: sums that go to a slot say where each operand belongs") {
  const ir::Graph g = into(4);
  CHECK(!ir::verify(g, ir::Stage::pruned));
  const std::string text = ir::print(g);
  CHECK(text.find("reduce_scatter_into_start") != std::string::npos);
  CHECK(text.find("from [0, 10, 2, 1, 4]") != std::string::npos);
  CHECK(g.dims(g.outputs[0]).size() == 1);
  CHECK(fault_of(into(3)) == "reduce_scatter_into_start: operands overlap or are out of order");
  CHECK(fault_of(into(7)) == "a collective beyond the vector that is shared");
  CHECK(fault_of(into(4, 7)) == "a collective beyond the vector that is shared");
  CHECK(fault_of(into(4, 10, ir::Space::model)) == "reduce_scatter_into_start: no slot of this dtype");
  ir::Graph other = g;
  other.nodes[other.outputs[0]].imm = 5;
  CHECK(fault_of(other) == "reduce_scatter_into_done: not the request of its start");
}
