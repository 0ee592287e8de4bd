#include "weft/transforms/differentiate.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/random_graph.hpp"
#include "weft/ir/print.hpp"

using namespace weft;

namespace {

// The graph of the first floating result and its gradients, differentiated `nodes` nodes at a time.
std::string differentiated(const ir::Graph& traced, int nodes) {
  ir::Graph started = traced;
  ir::Builder b(static_cast<ir::Graph&&>(started));
  ir::Value y;
  for (const int x : traced.outputs)
    if (is_float(traced.nodes[x].dtype) && !y) y = {&b, x};
  if (!y) return "";
  List<int> wrt;
  for (const int x : traced.inputs)
    if (x >= 0 && is_float(traced.nodes[x].dtype)) wrt.push(x);
  transforms::Differentiation d = transforms::begin_differentiation(y, ir::constant_like(y, 1), wrt);
  while (d.next >= 0) transforms::differentiate_on(b, d, nodes);
  b.graph.outputs.clear();
  for (const int x : wrt)
    if (x < d.adjoint.size() && d.adjoint[x] >= 0) b.graph.outputs.push(d.adjoint[x]);
  return ir::print(b.graph);
}

}  // namespace

TEST_CASE("differentiate: in pieces it writes the graph that it writes at once") {
  int gradients = 0;
  for (u32 seed = 0; seed < 400; ++seed) {
    const testing::RandomGraph random(seed, {.steps = 20, .loops = seed % 3 == 0 ? 1 : 0});
    const std::string whole = differentiated(random.graph(), 1 << 20);
    gradients += whole.find("return %") != std::string::npos;
    CAPTURE(seed);
    for (const int nodes : {1, 2, 7}) REQUIRE(differentiated(random.graph(), nodes) == whole);
  }
  CHECK(gradients > 100);
}

TEST_CASE("differentiate: what no gradient reaches has none, and a stopped one is not gone through") {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, Dims{1, {64}}, 0)},
      w{&b, b.leaf(ir::Op::input, DType::f32, Dims{1, {64}}, 1)};
  b.graph.inputs.push(x.id);
  b.graph.inputs.push(w.id);
  const ir::Value y = x * ir::unary(ir::Op::stop_gradient, w * w);
  List<int> wrt;
  wrt.push(x.id);
  wrt.push(w.id);
  const List<ir::Value> found = transforms::differentiate(y, ir::constant_like(y, 1), wrt);
  CHECK(found[0]);
  CHECK(!found[1]);
}
