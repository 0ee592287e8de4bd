// The tables that nodes refer to: planted faults are found, each by its own sentence.
#include "weft/ir/verify_tables.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/ir/value.hpp"

using namespace weft;

namespace {

ir::Graph sound() {
  ir::Builder b;
  const i64 ten[]{10}, matrix[]{3, 4};
  b.graph.scalar_count = 2;
  b.graph.model_bytes = 1024;
  b.graph.optimizer_bytes = 512;
  b.graph.ranges.push({0, 4});
  b.graph.ranges.push({12, 6});
  b.graph.param_groups.push({0, 2});
  b.graph.presets.push({1, 2.0f});
  const i64 list[]{1, 2};
  b.list(list, 2);
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(ir::make_dims(2, matrix)), -1, 64});
  b.graph.slots.push({ir::Space::optimizer, DType::f64, b.shape(ir::make_dims(1, ten)), 0, 128});
  return b.graph;
}

template <class F>
std::string fault(F spoil) {
  ir::Graph g = sound();
  REQUIRE(ir::table_fault(g) == nullptr);
  spoil(g);
  const char* const said = ir::table_fault(g);
  return said == nullptr ? "nothing" : said;
}

}  // namespace

TEST_CASE("verify tables: shapes, lists and groups") {
  CHECK(fault([](ir::Graph& g) { g.shapes[0].rank = 9; }) == "a shape's rank is outside [0, 8]");
  CHECK(fault([](ir::Graph& g) { g.shapes[0].extent[0] = -1; }) == "a shape has a negative extent");
  CHECK(fault([](ir::Graph& g) { g.lists[0].size = 3; }) == "an attribute list lies outside its data");
  CHECK(fault([](ir::Graph& g) { g.param_groups[0].size = 3; }) ==
        "a parameter group lies outside its ranges");
  CHECK(fault([](ir::Graph& g) { g.ranges[1].offset = 3; }) ==
        "a parameter group's ranges overlap or are out of order");
  CHECK(fault([](ir::Graph& g) { g.ranges[0].length = 0; }) ==
        "a parameter group's ranges overlap or are out of order");
  CHECK(fault([](ir::Graph& g) { g.presets[0].scalar = 2; }) == "a preset run-time scalar does not exist");
}

TEST_CASE("verify tables: slots") {
  CHECK(fault([](ir::Graph& g) { g.slots[0].shape = 99; }) == "a slot's shape does not exist");
  CHECK(fault([](ir::Graph& g) { g.slots[1].segments = 1; }) == "a slot's parameter group does not exist");
  CHECK(fault([](ir::Graph& g) { g.ranges[1].length = 5; }) ==
        "a slot's extent is not its parameter group's length");
  CHECK(fault([](ir::Graph& g) { g.slots[0].offset = 66; }) == "a slot is not aligned to its dtype");
  CHECK(fault([](ir::Graph& g) { g.slots[0].offset = -4; }) == "a slot is not aligned to its dtype");
  CHECK(fault([](ir::Graph& g) { g.slots[0].offset = 1024 - 44; }) == "a slot reaches beyond its block");
  CHECK(fault([](ir::Graph& g) { g.slots[0].offset = 1024 - 48; }) == "nothing");
  // a flat view ends with its last range: at byte 128 + 18 * 8
  CHECK(fault([](ir::Graph& g) { g.optimizer_bytes = 271; }) == "a slot reaches beyond its block");
  CHECK(fault([](ir::Graph& g) { g.optimizer_bytes = 272; }) == "nothing");
}
