#include "weft/targets/interpreter/value_plan.hpp"

#include <doctest/doctest.h>

#include "support/random_graph.hpp"
#include "weft/transforms/prune.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// Whether some value is written while another, in the same memory, has still a reader.
int clashes(const ir::Graph& g) {
  const exec::ValuePlan plan = exec::plan_values(g);
  const int n = g.nodes.size();
  std::vector<int> made(static_cast<std::size_t>(n), -1), last(static_cast<std::size_t>(n), -1);
  int time = 0;
  exec::walk_values(
      g,
      [&](int i) {
        made[static_cast<std::size_t>(i)] = time++;
        for (int k = 0; k < g.nodes[i].arity; ++k) last[static_cast<std::size_t>(g.in(i, k))] = time;
      },
      [](int) {});
  for (const int x : g.outputs) last[static_cast<std::size_t>(x)] = time + 1;
  for (const ir::Assign& a : g.assigns) last[static_cast<std::size_t>(a.node)] = time + 1;
  int found = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      if (i == j || plan.at[i] < 0 || plan.at[j] < 0 || made[a] < 0 || made[b] < 0) continue;
      const bool meet = plan.at[i] < plan.at[j] + exec::value_bytes(g, j) &&
                        plan.at[j] < plan.at[i] + exec::value_bytes(g, i);
      found += meet && made[a] <= made[b] && made[b] < last[a];
    }
  for (int i = 0; i < n; ++i)
    if (plan.at[i] >= 0) found += plan.at[i] + exec::value_bytes(g, i) > plan.bytes;
  return found;
}

}  // namespace

TEST_CASE("value_plan: a value's memory is its own until its last reader has run") {
  int found = 0;
  for (u32 seed = 0; seed < 200; ++seed) {
    const RandomGraph random(seed, {.steps = 30, .state = true, .loops = seed % 4 == 0 ? 1 : 0});
    found += clashes(transforms::prune(random.graph()));
  }
  CHECK(found == 0);
}

TEST_CASE("value_plan: memory is used again, and constants wait for their reader") {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, make_dims<1000>(), 0)};
  b.graph.inputs.push(x.id);
  ir::Value y = x;
  for (int k = 1; k <= 20; ++k) y = ir::unary(ir::Op::exp, y) * static_cast<double>(k);
  b.graph.outputs.push(y.id);
  CHECK(exec::plan_values(transforms::prune(b.graph)).bytes <= 4 * 4096);
}
