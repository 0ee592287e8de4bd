#include "support/lowered_difference.hpp"

#include <doctest/doctest.h>

#include "support/compile_verified.hpp"
#include "support/interpret_lowered.hpp"
#include "support/random_graph.hpp"

namespace weft::testing {

std::string difference(const ir::Graph& traced, const Leaves& leaves, u32 order) {
  const std::vector<Array> values = GraphInterpreter(traced).run(leaves);
  const compiler::Module m = compile_verified(traced);
  for (const kernel_ir::Kernel& kernel : m.fusion.kernels) {
    absorbed.added += kernel.added >= 0;
    absorbed.bias += kernel.bias >= 0;
    absorbed.both += kernel.added >= 0 && kernel.bias >= 0;
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

}  // namespace weft::testing
