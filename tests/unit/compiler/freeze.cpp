#include "weft/compiler/freeze.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/random_graph.hpp"
#include "weft/compiler/print.hpp"

using namespace weft;

TEST_CASE("freeze: lowered programs come back from their words, loops among them") {
  for (u32 seed = 0; seed < 300; ++seed) {
    const testing::RandomGraph random(seed, {.steps = 24, .state = true, .loops = seed % 2 == 0 ? 1 : 0});
    const compiler::Module m = compiler::compile_graph(random.graph());
    std::vector<u64> words(1 << 16);
    WordWriter w(words.data(), 1 << 16);
    compiler::write(w, m.lowered);
    REQUIRE(w.size() < 1 << 16);
    CAPTURE(seed);
    const compiler::Lowered read = compiler::thaw_lowered(words.data());
    REQUIRE(compiler::disassemble(read) == compiler::disassemble(m.lowered));
    REQUIRE(read.steps.size() == m.lowered.steps.size());
    for (int s = 0; s < read.steps.size(); ++s) {
      REQUIRE(read.steps[s].bytes == m.lowered.steps[s].bytes);
      REQUIRE(read.steps[s].flops == m.lowered.steps[s].flops);
    }
    REQUIRE(read.bindings.size() == m.lowered.bindings.size());
    for (int b = 0; b < read.bindings.size(); ++b) {
      REQUIRE(read.bindings[b].base == m.lowered.bindings[b].base);
      REQUIRE(read.bindings[b].stride == m.lowered.bindings[b].stride);
    }
  }
}
