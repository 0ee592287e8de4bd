#include "weft/ir/freeze.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/ir/value.hpp"

using namespace weft;

TEST_CASE("freeze: a graph comes back as it was") {
  ir::Builder b;
  Dims d;
  d.rank = 2;
  d.extent[0] = 4;
  d.extent[1] = 8;
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(d), -1, 512});
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, d, 0)},
      w{&b, b.leaf(ir::Op::state, DType::f32, d, 0)};
  const i64 turn[]{1, 0};
  const ir::Value y = ir::permute(x * w + 0.5, turn);
  b.graph.inputs.push(x.id);
  b.graph.outputs.push(ir::reduce(ir::Op::reduce_sum, y, 1u).id);
  b.graph.assigns.push({0, (w - 1.0).id});
  b.graph.presets.push({4, 0.25f});
  b.graph.param_groups.push({0, 1});
  b.graph.ranges.push({0, 64});
  b.graph.scalar_count = 5;
  b.graph.streams = 3;
  std::vector<u64> words(4096);
  WordWriter writer(words.data(), 4096);
  ir::write(writer, b.graph);
  const ir::Graph back = ir::thaw(words.data());
  std::vector<u64> again(4096);
  WordWriter second(again.data(), 4096);
  ir::write(second, back);
  CHECK(writer.size() == second.size());
  CHECK(words == again);
  CHECK(back.nodes.size() == b.graph.nodes.size());
  CHECK(back.slots[0].offset == 512);
  CHECK(back.presets[0].value == 0.25f);
}
