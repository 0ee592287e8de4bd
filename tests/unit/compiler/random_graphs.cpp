#include <doctest/doctest.h>

#include <string>

#include "support/compile_verified.hpp"
#include "support/interpret_lowered.hpp"
#include "support/random_graph.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// Additions that became part of a product's kernel: of a value of its extents, of a bias, of both.
struct Absorbed {
  int added = 0, bias = 0, both = 0;
} absorbed;

// The first difference between the lowered program and the plain evaluation of the graph; empty if there is
// none.
std::string difference(const ir::Graph& traced, const Leaves& leaves, u32 order) {
  const std::vector<Array> values = GraphInterpreter(traced).run(leaves);
  const compiler::Module m = compile_verified(traced);
  for (const kernel_ir::Group& group : m.fusion.groups) {
    absorbed.added += group.added >= 0;
    absorbed.bias += group.bias >= 0;
    absorbed.both += group.added >= 0 && group.bias >= 0;
  }
  Machine machine(m.graph, m.plan, m.lowered, leaves, order);
  machine.run();
  const auto compare = [](const std::string& what, const Array& expected, const Array& got) -> std::string {
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const bool same = expected[k] == got[k] || (expected[k] != expected[k] && got[k] != got[k]);
      if (!same)
        return what + " element " + std::to_string(k) + ": " + std::to_string(got[k]) + ", expected " +
               std::to_string(expected[k]);
    }
    return "";
  };
  for (int k = 0; k < traced.outputs.size(); ++k) {
    const std::string d = compare("output " + std::to_string(k),
                                  values[static_cast<std::size_t>(traced.outputs[k])], machine.output(k));
    if (!d.empty()) return d;
  }
  std::vector<Array> after = leaves.slots;
  for (const ir::Assign& a : traced.assigns)
    after[static_cast<std::size_t>(a.slot)] = values[static_cast<std::size_t>(a.node)];
  for (std::size_t s = 0; s < after.size(); ++s) {
    const std::string d = compare("slot " + std::to_string(s), after[s], machine.slot(static_cast<int>(s)));
    if (!d.empty()) return d;
  }
  return "";
}

int failures(u32 first, u32 count, RandomGraphOptions options) {
  int failed = 0;
  for (u32 seed = first; seed < first + count; ++seed) {
    std::string d;
    try {
      const RandomGraph random(seed, options);
      d = difference(random.graph(), random.leaves, seed);
    } catch (const Error& e) {
      d = e.what();
    }
    if (d.empty()) continue;
    if (++failed <= 5) MESSAGE("seed ", seed, ": ", d);
  }
  return failed;
}

}  // namespace

TEST_CASE("random graphs: small graphs lower to the same values") {
  CHECK(failures(0, 3000, {.steps = 8}) == 0);
}
TEST_CASE("random graphs: longer graphs lower to the same values") {
  CHECK(failures(10000, 1500, {.steps = 24}) == 0);
}
TEST_CASE("random graphs: a reduction over all of a value with more axes than its kernel's space") {
  CHECK(failures(200368, 1, {.steps = 24}) == 0);
}
TEST_CASE("random graphs: state read and assigned") {
  CHECK(failures(20000, 1500, {.steps = 12, .state = true}) == 0);
}
TEST_CASE("random graphs: sizes that are cut into chunks") {
  CHECK(failures(30000, 200, {.steps = 10, .size = 40000}) == 0);
}
TEST_CASE("random graphs: products with what is added to them") {
  absorbed = {};
  CHECK(failures(40000, 3000, {.steps = 8, .products = 12}) == 0);
  CHECK(failures(50000, 1500, {.steps = 12, .state = true, .products = 12}) == 0);
  CHECK(absorbed.added > 500);
  CHECK(absorbed.bias > 250);
  CHECK(absorbed.both > 100);
}
TEST_CASE("random graphs: products over many axes in other orders than in memory") {
  CHECK(failures(80000, 3000, {.steps = 5, .products = 15, .many_axes = true}) == 0);
}
TEST_CASE("random graphs: convolutions among other arithmetic") {
  CHECK(failures(60000, 2000, {.steps = 8, .convolutions = true}) == 0);
  CHECK(failures(70000, 1000, {.steps = 12, .state = true, .convolutions = true}) == 0);
}
TEST_CASE("random graphs: loops among other arithmetic, and loops in loops") {
  CHECK(failures(90000, 2000, {.steps = 8, .loops = 1}) == 0);
  CHECK(failures(100000, 1000, {.steps = 12, .state = true, .loops = 1}) == 0);
  CHECK(failures(110000, 1000, {.steps = 8, .loops = 2}) == 0);
  CHECK(failures(120000, 50, {.steps = 8, .size = 20000, .loops = 1}) == 0);
}
