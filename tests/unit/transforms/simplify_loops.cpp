#include "weft/transforms/simplify_loops.hpp"

#include <doctest/doctest.h>

#include "weft/ir/verify.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/transform/loop.hpp"
#include "weft/transforms/prune.hpp"

using namespace weft;

namespace {

struct Traced {
  ir::Builder b;
  template <i64... D>
  Expr<f32, Shape<D...>> input() {
    const int node =
        b.leaf(ir::Op::input, DType::f32, Shape<D...>::value, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    return {ir::Value{&b, node}};
  }
  // The graph with these outputs, pruned, and its only loop's node.
  template <class... E>
  ir::Graph pruned(const E&... e) {
    (b.graph.outputs.push(e.value.id), ...);
    const ir::Graph g = transforms::prune(b.graph);
    CHECK(!ir::verify(g, ir::Stage::pruned));
    return g;
  }
};
int loop_of(const ir::Graph& g) {
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == ir::Op::loop) return i;
  return -1;
}

}  // namespace

TEST_CASE("simplify_loops: carries that feed only themselves, and operands nothing reads, go") {
  Traced t;
  const auto x = t.input<4, 3>();
  const auto unread = t.input<4, 2>();
  const auto v = t.input<3>();
  const auto r = loop(
      [&](const auto& c, const auto& xt, const auto& ut) {
        const auto& [a, b] = c;
        return std::pair{std::tuple{a + xt, b * v}, std::tuple{a, ut * 2.0f}};
      },
      std::tuple{v, v}, x, unread);
  const ir::Graph g = t.pruned(std::get<0>(r.first));
  const ir::LoopShape s = ir::loop_shape(g, loop_of(g));
  CHECK(s.carries == 1);
  CHECK(s.stacked == 1);
  CHECK(s.invariants == 0);
  CHECK(s.outputs == 0);
}

TEST_CASE("simplify_loops: a stacked carry is its history, written once") {
  Traced t;
  const auto x = t.input<4, 3>();
  const auto v = t.input<3>();
  const auto body = [](const auto& h, const auto& xt) {
    const auto next = h * xt;
    return std::pair{next, std::tuple{next, h, xt, next}};
  };
  const auto [last, stacks] = loop(body, v, x);
  const auto [after, before, slices, again] = stacks;
  const ir::Graph g = t.pruned(after, before, slices, again, last);
  const int node = loop_of(g);
  const ir::LoopShape s = ir::loop_shape(g, node);
  CHECK(s.outputs == 0);
  int results = 0;
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == ir::Op::result && static_cast<int>(g.nodes[i].imm) == s.history_of(0)) ++results;
  CHECK(results == 1);
  // rows 1 to 4 came out of the trips, rows 0 to 3 went into them
  const auto first_row = [&](int k) { return g.attribute(g.outputs[k], 0); };
  CHECK(first_row(0) == 1);
  CHECK(first_row(1) == 0);
  CHECK(g.outputs[3] == g.outputs[0]);
  CHECK(g.nodes[g.in(g.outputs[2], 0)].op == ir::Op::input);
}

TEST_CASE("simplify_loops: a loop whose results nothing uses goes") {
  Traced t;
  const auto x = t.input<4, 3>();
  const auto v = t.input<3>();
  loop([](const auto& h, const auto& xt) { return h * xt; }, v, x);
  CHECK(loop_of(t.pruned(v + 1.0f)) == -1);
}

TEST_CASE("simplify_loops: of two equal loops, one read at its end and one along its way, one is left") {
  Traced t;
  const auto x = t.input<4, 3>();
  const auto v = t.input<3>();
  const auto value = [&](const auto& start) {
    return loop([](const auto& h, const auto& xt) { return tanh(h * xt); }, start, x);
  };
  const auto last = value(v);
  const auto [end, stacked] = loop(
      [](const auto& h, const auto& xt) {
        const auto next = tanh(h * xt);
        return std::pair{next, next};
      },
      v, x);
  const ir::Graph g = t.pruned(last + 1.0f, stacked);
  int loops = 0, finals = 0;
  for (int i = 0; i < g.nodes.size(); ++i) {
    loops += g.nodes[i].op == ir::Op::loop;
    finals += g.nodes[i].op == ir::Op::result && g.nodes[i].imm == 0;
  }
  CHECK(loops == 1);
  CHECK(finals == 0);  // a row of the history
}
