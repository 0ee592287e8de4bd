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
