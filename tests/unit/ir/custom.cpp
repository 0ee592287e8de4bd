// A custom primitive says all that it is: its number, its name, and whether it stands for a gradient that is
// not defined.
#include "weft/ir/custom.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weft;
using ir::Value;

namespace {

std::string name_of_node(const ir::Graph& g, int node) {
  std::string name;
  ir::custom_name(g, node, [&](char c) { name += c; });
  return name;
}

}  // namespace

TEST_CASE("custom: a name of any length is kept") {
  for (const std::string& name :
       {std::string(), std::string("s"), std::string("swish"), std::string("eightchr"),
        std::string("a name of several words"), std::string("\xc3\xbc")}) {
    ir::Builder b;
    const i64 extent[]{4};
    const Dims d = ir::make_dims(1, extent);
    const int x = b.leaf(ir::Op::input, DType::f32, d, 0);
    const Value y = ir::custom(b, 77, name, false, DType::f64, d, List<int>(1, x));
    CHECK(name_of_node(b.graph, y.id) == name);
    CHECK(y.node().imm == 77);
    CHECK(y.dtype() == DType::f64);
    CHECK(b.graph.attribute(y.id, 0) == 0);
    const Value undefined = ir::custom(b, 77, name, true, DType::f64, d, List<int>(1, x));
    CHECK(b.graph.attribute(undefined.id, 0) == 1);
    CHECK(name_of_node(b.graph, undefined.id) == name);
    CHECK(undefined.id != y.id);
  }
}

TEST_CASE("custom: a gradient that no trace has told of is an Error") {
  ir::Builder b;
  const i64 extent[]{4};
  const Dims d = ir::make_dims(1, extent);
  const int x = b.leaf(ir::Op::input, DType::f32, d, 0);
  const Value y = ir::custom(b, 77, "swish", false, DType::f32, d, List<int>(1, x));
  CHECK_THROWS_WITH(ir::custom_gradient(b, y.id, x), doctest::Contains("ir/custom"));
}
