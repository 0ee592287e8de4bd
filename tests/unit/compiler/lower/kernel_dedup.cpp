#include "weft/compiler/lower/kernel_dedup.hpp"

#include <doctest/doctest.h>

#include "../../../../benchmarks/compile/gpt2.hpp"
#include "support/compile_verified.hpp"
#include "support/random_graph.hpp"

using namespace weft;

namespace {

using Tiny = gpt2::Gpt2<8, 16, 2, 32, 3>;
using Settings = train::Options<optim::AdamW, clip::Norm>;
using Step = train::StepSource<Tiny, gpt2::NextToken, Settings, true, Input<i32, Shape<2, 8>>,
                               Input<i32, Shape<2, 8>>>;

// Every kernel lowered by itself, where nothing can be reused.
compiler::Lowered lower_apart(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& p) {
  compiler::Lowered all;
  for (int k = 0; k < f.kernels.size(); ++k) all.append(compiler::lower(g, f, p, k, k + 1));
  return all;
}

template <class T>
bool equal(const List<T>& a, const List<T>& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

bool same_program(const compiler::Lowered& a, const compiler::Lowered& b) {
  if (a.steps.size() != b.steps.size() || a.kernels.size() != b.kernels.size()) return false;
  for (int i = 0; i < a.steps.size(); ++i) {
    const compiler::Step &x = a.steps[i], &y = b.steps[i];
    if (x.kind != y.kind || x.kernel != y.kernel || x.addresses.begin != y.addresses.begin ||
        x.addresses.size != y.addresses.size || x.numbers.begin != y.numbers.begin ||
        x.numbers.size != y.numbers.size || x.bytes != y.bytes || x.flops != y.flops)
      return false;
  }
  return equal(a.words, b.words) && equal(a.addresses, b.addresses) && equal(a.numbers, b.numbers);
}

int fused_launches(const compiler::Lowered& l) {
  int n = 0;
  for (const compiler::Step& s : l.steps) n += s.kind == compiler::StepKind::fused;
  return n;
}

}  // namespace

TEST_CASE("kernel_dedup: a kernel that repeats another is lowered as it would be by itself") {
  const compiler::Module m = testing::compile_verified(Step::graph());
  const ir::Graph& g = m.graph;
  const kernel_ir::Fusion& f = m.fusion;
  const kernel_ir::Plan& p = m.plan;
  const compiler::Lowered together = compiler::lower(g, f, p);
  CHECK(same_program(together, lower_apart(g, f, p)));
  CHECK(fused_launches(together) > together.kernels.size());  // so that there was something to reuse
}

TEST_CASE("kernel_dedup: the same for random graphs") {
  int differ = 0;
  for (u32 seed = 1; seed <= 400; ++seed) {
    const testing::RandomGraph random(
        seed, {.steps = 60, .state = seed % 2 == 0, .products = 4, .loops = seed % 4 == 0});
    const compiler::Module m = testing::compile_verified(random.graph());
    const ir::Graph& g = m.graph;
    const kernel_ir::Fusion& f = m.fusion;
    const kernel_ir::Plan& p = m.plan;
    if (!same_program(compiler::lower(g, f, p), lower_apart(g, f, p))) ++differ;
  }
  CHECK(differ == 0);
}
