#include "weft/ir/builder.hpp"

#include <doctest/doctest.h>

#include "weft/ir/value.hpp"

using namespace weft;
using ir::Op;
using ir::Value;

namespace {
Dims dims(std::initializer_list<i64> extents) {
  Dims d;
  for (i64 e : extents) d.extent[d.rank++] = e;
  return d;
}
}  // namespace

TEST_CASE("builder: the same node twice is one node, through every growth of the table") {
  ir::Builder b(1);
  const Value x{&b, b.leaf(Op::input, DType::f32, dims({4, 8}), 0)};
  List<int> first;
  for (int i = 0; i < 500; ++i) first.push((x + static_cast<double>(i + 1)).id);
  for (int i = 0; i < 500; ++i) CHECK((x + static_cast<double>(i + 1)).id == first[i]);
  for (int i = 1; i < 500; ++i) CHECK(first[i] != first[i - 1]);
}

TEST_CASE("builder: a graph that is continued may have many leaves") {
  ir::Builder b;
  for (int i = 0; i < 3000; ++i) ir::constant(b, DType::f32, dims({}), i);
  const int nodes = b.graph.nodes.size();
  ir::Builder further(static_cast<ir::Graph&&>(b.graph), ir::Sharing::leaves);
  for (int i = 0; i < 3000; ++i) CHECK(ir::constant(further, DType::f32, dims({}), i).id == i);
  CHECK(further.graph.nodes.size() == nodes);
}

TEST_CASE("builder: a control edge keeps a node apart") {
  ir::Builder b;
  const Value x{&b, b.leaf(Op::input, DType::f32, dims({4}), 0)}, y = x + 1.0;
  const Value later = ir::add_dependency(x, y);
  CHECK(ir::add_dependency(x, y).id == later.id);
  CHECK(ir::unary(Op::exp, later).id != ir::unary(Op::exp, x).id);
}

TEST_CASE("value: what changes nothing adds nothing") {
  ir::Builder b;
  const Value x{&b, b.leaf(Op::input, DType::f32, dims({4, 8}), 0)};
  CHECK((x + 0.0).id == x.id);
  CHECK((x * 1.0).id == x.id);
  CHECK((x / 1.0).id == x.id);
  CHECK((-(-x)).id == x.id);
  CHECK(ir::cast(x, DType::f32).id == x.id);
  CHECK(ir::reshape(ir::reshape(x, dims({32})), dims({4, 8})).id == x.id);
  const i64 turn[]{1, 0};
  CHECK(ir::permute(ir::permute(x, turn), turn).id == x.id);
}

TEST_CASE("value: constants fold as f32 rounds") {
  ir::Builder b;
  const Value third = ir::constant(b, DType::f32, dims({2}), 1.0f / 3.0f);
  const Value product = third * 3.0;
  REQUIRE(product.is_constant());
  CHECK(product.constant() == static_cast<double>((1.0f / 3.0f) * 3.0f));
  const Value zero = ir::constant_like(third, 0);
  CHECK_FALSE((third / zero).is_constant());
}
