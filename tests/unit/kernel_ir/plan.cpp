#include "weft/kernel_ir/plan.hpp"

#include <doctest/doctest.h>

#include "../../../benchmarks/compile/gpt2.hpp"
#include "support/compile_verified.hpp"
#include "weft/optim/groups.hpp"

using namespace weft;
using kernel_ir::BufferAddress;

namespace {

using Tiny = gpt2::Gpt2<8, 16, 2, 32, 2>;
using Settings = train::Options<optim::AdamW, clip::Norm>;
using Step = train::StepSource<Tiny, gpt2::NextToken, Settings, true, Input<i32, Shape<2, 8>>,
                               Input<i32, Shape<2, 8>>>;

}  // namespace

TEST_CASE("plan: two values that are needed at the same time never share memory, but for updates in place") {
  const compiler::Module m = testing::compile_verified(Step::graph());
  const ir::Graph& g = m.graph;
  const kernel_ir::Fusion& f = m.fusion;
  const kernel_ir::Plan& p = m.plan;
  const int n = g.nodes.size(), kernels = f.kernels.size();
  std::vector<int> last(static_cast<std::size_t>(n), -1);
  const auto root = [&](int x) {
    while (f.materialization[x] == kernel_ir::Materialization::view)
      x = f.view_of[x] >= 0 ? f.views[f.view_of[x]].root : g.in(x, 0);
    return x;
  };
  const auto touch = [&](auto& self, int x, int k) -> void {
    x = root(x);
    last[static_cast<std::size_t>(x)] = std::max(last[static_cast<std::size_t>(x)], k);
    if (g.nodes[x].op == ir::Op::flat_concat)
      for (int a = 0; a < g.nodes[x].arity; ++a) self(self, g.in(x, a), k);
  };
  for (int k = 0; k < kernels; ++k)
    for (int i = 0; i < f.kernels[k].loads.size; ++i) touch(touch, f.pool[f.kernels[k].loads.begin + i], k);
  for (int x : g.outputs) touch(touch, x, kernels);

  struct Life {
    int node, from, to;
    i64 begin, end;
  };
  std::vector<Life> lives;
  for (int i = 0; i < n; ++i)
    if (p.where[i] != BufferAddress::none && f.kernel_of[i] >= 0 &&
        BufferAddress::space(p.where[i]) == ir::Space::workspace)
      lives.push_back({i, f.kernel_of[i], std::max(f.kernel_of[i], last[static_cast<std::size_t>(i)]),
                       BufferAddress::offset(p.where[i]),
                       BufferAddress::offset(p.where[i]) + kernel_ir::bytes_of(g, i)});
  CHECK(lives.size() > 60);
  int in_place = 0, shared = 0;
  for (const Life& a : lives)
    for (const Life& b : lives) {
      if (a.node >= b.node || a.end <= b.begin || b.end <= a.begin) continue;
      ++shared;
      const Life& first = a.from <= b.from ? a : b;
      const Life& second = a.from <= b.from ? b : a;
      if (first.to < second.from) continue;
      CAPTURE(first.node);
      CAPTURE(second.node);
      CHECK(first.to == second.from);
      CHECK(first.begin == second.begin);
      CHECK(first.end == second.end);
      ++in_place;
    }
  CHECK(in_place > 5);
  CHECK(shared > 50);
  for (const Life& a : lives) CHECK(a.end <= p.workspace_bytes);
}

TEST_CASE("plan: the gaps of the gradient arena are nobody else's memory") {
  const compiler::Module m = testing::compile_verified(Step::graph());
  const ir::Graph& g = m.graph;
  const kernel_ir::Fusion& f = m.fusion;
  const kernel_ir::Plan& p = m.plan;
  int pack = -1;
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == ir::Op::flat_concat) pack = i;
  REQUIRE(pack >= 0);
  const i64 begin = BufferAddress::offset(p.where[pack]), end = begin + nn::state_table<Tiny>.trained_bytes;
  std::vector<int> members;
  for (int a = 0; a < g.nodes[pack].arity; ++a) members.push_back(g.in(pack, a));
  int inside = 0;
  for (int i = 0; i < g.nodes.size(); ++i) {
    if (p.where[i] == BufferAddress::none || f.kernel_of[i] < 0 ||
        BufferAddress::space(p.where[i]) != ir::Space::workspace)
      continue;
    const i64 at = BufferAddress::offset(p.where[i]);
    if (at >= end || at + kernel_ir::bytes_of(g, i) <= begin) continue;
    CAPTURE(i);
    bool member = false;
    for (int x : members) {
      while (f.materialization[x] == kernel_ir::Materialization::view) x = f.views[f.view_of[x]].root;
      member = member || x == i;
    }
    CHECK(member);
    ++inside;
  }
  CHECK(inside > 20);
}

namespace {

// What is frozen lies at the arena's end, and its gradients are never made.
constexpr auto is_last = [](std::string_view name, const Dims&) { return name.starts_with("ln_f"); };
using TailFrozen =
    train::Options<decltype(optim::groups(optim::frozen(is_last), optim::AdamW{})), clip::Norm>;
using FrozenStep = train::StepSource<Tiny, gpt2::NextToken, TailFrozen, true, Input<i32, Shape<2, 8>>,
                                     Input<i32, Shape<2, 8>>>;

}  // namespace

TEST_CASE("plan: the arena holds all that its norm reads, the places of frozen parameters too") {
  const compiler::Module m = testing::compile_verified(FrozenStep::graph());
  const ir::Graph& g = m.graph;
  const kernel_ir::Plan& p = m.plan;
  i64 read_end = 0;
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == ir::Op::flat_concat && static_cast<i64>(g.nodes[i].imm) == -1)
      read_end = BufferAddress::offset(p.where[i]) + kernel_ir::bytes_of(g, i);
  REQUIRE(read_end > 0);
  CHECK(read_end <= p.workspace_bytes);
  for (int i = 0; i < g.nodes.size(); ++i) {
    if (p.where[i] == BufferAddress::none || m.fusion.kernel_of[i] < 0 ||
        BufferAddress::space(p.where[i]) != ir::Space::workspace)
      continue;
    const i64 at = BufferAddress::offset(p.where[i]), end = at + kernel_ir::bytes_of(g, i);
    const bool frozen_place = at < read_end && end > read_end - 256;
    CHECK_MESSAGE(!frozen_place, i);
  }
}

TEST_CASE("plan: parameters and moments are updated where they live") {
  const compiler::Module m = testing::compile_verified(Step::graph());
  const ir::Graph& g = m.graph;
  const kernel_ir::Plan& p = m.plan;
  CHECK(p.copies.empty());
  for (const ir::Assign& a : g.assigns) {
    CHECK(BufferAddress::space(p.where[a.node]) == g.slots[a.slot].space);
    CHECK(BufferAddress::offset(p.where[a.node]) == g.slots[a.slot].offset);
  }
}

TEST_CASE("plan: sums along the rows stay in parts until something reads one of them") {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {4096, 64}}, 0)};
  b.graph.inputs.push(x.id);
  const auto columns = [&](const ir::Value& v) { return ir::reduce(ir::Op::reduce_sum, v, ir::Axes{1}); };
  const ir::Value first = columns(x);                                    // (1, 64)
  const ir::Value second = columns(x * ir::broadcast(first, x.dims()));  // reads the first
  const ir::Value third = columns(x - ir::broadcast(second, x.dims()));  // reads the second
  const ir::Value fourth = columns(ir::unary(ir::Op::exp, x));           // nothing reads this one
  for (const ir::Value& v : {first, second, third, fourth}) b.graph.outputs.push(v.id);
  const compiler::Module m = testing::compile_verified(b.graph);
  const ir::Graph& g = m.graph;
  const kernel_ir::Fusion& f = m.fusion;
  const kernel_ir::Plan& p = m.plan;
  int kernel[4];
  for (int k = 0; k < 4; ++k) kernel[k] = f.kernel_of[g.outputs[k]];
  REQUIRE(kernel[0] < kernel[1]);
  REQUIRE(kernel[1] < kernel[2]);
  REQUIRE(p.combines.size() == 3);
  CHECK(p.combines[0] == kernel[1]);
  CHECK(p.combines[1] == kernel[2]);
  CHECK(p.combines[2] == f.kernels.size());
  const compiler::Lowered lowered = compiler::lower(g, f, p);
  int launches = 0, sums = 0;
  for (const compiler::Step& s : lowered.steps)
    if (s.kind == compiler::StepKind::combine_partials) ++launches, sums += s.addresses.size / 2;
  CHECK(launches == 3);
  CHECK(sums == 4);
}

TEST_CASE("tiling: few pieces of a small costly map are a power of two, about equal") {
  const auto costly = [](auto x) { return sigmoid(narrow<-1, 0, 128>(x)) * tanh(narrow<-1, 128, 128>(x)); };
  using Source = exec::FunctionSource<decltype(costly), Input<f32, Shape<96, 512>>>;
  const ir::Graph g = transforms::prune(Source::graph());
  const kernel_ir::Plan p = kernel_ir::plan_memory(g, kernel_ir::fuse(g));
  int found = 0;
  for (const kernel_ir::Tiling& tiling : p.tilings) {
    if (tiling.rows != 96) continue;
    ++found;
    CHECK(tiling.chunks == 4);
    CHECK(tiling.rows_per_chunk == 24);
  }
  CHECK(found == 1);
}
