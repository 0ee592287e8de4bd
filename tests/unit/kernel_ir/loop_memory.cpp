#include "weft/kernel_ir/loop_memory.hpp"

#include <doctest/doctest.h>

#include "support/compile_verified.hpp"
#include "support/random_graph.hpp"

using namespace weft;
using kernel_ir::LoopMemory;

TEST_CASE("loop_memory: a carry has two buffers, one, or its history, and none lies over another") {
  int loops = 0, histories = 0, pairs = 0, singles = 0;
  for (u32 seed = 0; seed < 1200; ++seed) {
    const testing::RandomGraph random(seed, {.steps = 12, .loops = 1, .blocks = seed >= 400});
    const compiler::Module m = testing::compile_verified(random.graph());
    for (int k = 0; k < m.fusion.kernels.size(); ++k) {
      const int node = m.fusion.kernels[k].opaque;
      if (node < 0 || m.graph.nodes[node].op != ir::Op::loop) continue;
      const LoopMemory memory(m.graph, m.fusion, m.plan, k);
      CAPTURE(seed);
      ++loops;
      i64 end = memory.plan.workspace_bytes;  // the body's own comes first
      for (int c = 0; c < memory.shape.carries; ++c) {
        const bool history = memory.result[memory.shape.history_of(c)] >= 0;
        const bool is_result = memory.result[memory.shape.final_of(c)] >= 0;
        histories += history;
        pairs += memory.primary[c] >= 0 && memory.second[c] >= 0;
        if (history) {
          REQUIRE(memory.primary[c] < 0);
          REQUIRE(memory.second[c] < 0);
          continue;
        }
        // the result's own memory is one of the two
        REQUIRE((memory.primary[c] >= 0) == !is_result);
        singles += memory.stays(c);
        REQUIRE((memory.second[c] >= 0) == (memory.shape.trips > 1 && !memory.stays(c)));
        const i64 bytes = kernel_ir::align_up(kernel_ir::bytes_of(m.graph, m.graph.in(node, c)));
        for (const i64 at : {memory.primary[c], memory.second[c]}) {
          if (at < 0) continue;
          REQUIRE(at == end);
          end += bytes;
        }
      }
      REQUIRE(memory.scratch_bytes == end);
      REQUIRE(kernel_ir::loop_scratch_bytes(m.graph, m.fusion, m.plan, k) == end);
    }
  }
  CHECK(loops > 50);
  CHECK(histories > 5);
  CHECK(pairs > 5);
  CHECK(singles > 5);
}
