#include "weft/ir/inline_graph.hpp"

#include <doctest/doctest.h>

#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"

using namespace weft;
using ir::Op;

TEST_CASE("inline graph: what outputs need, of the values in place of inputs, and equal nodes once") {
  const Dims d{2, {3, 4}};
  ir::Builder inner(16);
  inner.graph.streams = 2;
  for (u64 k = 0; k < 2; ++k) inner.graph.inputs.push(inner.leaf(Op::input, DType::f32, d, k));
  const ir::Value x{&inner, 0}, y{&inner, 1};
  ir::unary(Op::exp, y);  // which nothing needs
  const ir::Value random{&inner, inner.leaf(Op::random, DType::u32, d, 1)};
  inner.graph.outputs.push(ir::reduce(Op::reduce_sum, x * x, 2).id);
  inner.graph.outputs.push(ir::cast(random, DType::f32).id);

  ir::Builder b(16);
  b.graph.streams = 2;
  const int a = b.leaf(Op::input, DType::f32, d, 0);
  b.graph.inputs.push(a);
  const int square = (ir::Value{&b, a} * ir::Value{&b, a}).id;
  const int before = b.graph.nodes.size();
  List<int> in;
  in.push(a);
  in.push(-1);  // what only dead nodes read
  const List<int> out = ir::inline_graph(b, inner.graph, in);
  REQUIRE(out.size() == 2);
  CHECK(b.graph.in(out[0], 0) == square);
  CHECK(b.graph.nodes.size() == before + 3);  // sum, random, cast
  CHECK(b.graph.nodes[b.graph.in(out[1], 0)].imm == 1);
  b.graph.outputs = out;
  CHECK(!ir::verify(b.graph));
}
