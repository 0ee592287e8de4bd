#include "weft/ir/checked_index.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace weft;
using ir::Op;
using ir::Value;

namespace {

struct Checked {
  int operand;
  i64 least, most;
  bool operator==(const Checked&) const = default;
};
std::vector<Checked> checked(Value v) {
  std::vector<Checked> found;
  ir::each_checked_index(v.builder->graph, v.id, [&](int k, i64 least, i64 most) {
    found.push_back({k, least, most});
  });
  return found;
}
using Found = std::vector<Checked>;

Value input(ir::Builder& b, DType t, const Dims& d, u64 number) {
  return {&b, b.leaf(Op::input, t, d, number)};
}

}  // namespace

TEST_CASE("checked_index: rows count from 0, places along an axis from either end") {
  ir::Builder b;
  const Value x = input(b, DType::f32, make_dims<5, 7>(), 0);
  CHECK(checked(ir::take_rows(x, input(b, DType::i64, make_dims<3>(), 1))) == Found{{1, 0, 4}});
  const Value along = input(b, DType::i64, make_dims<5, 2>(), 2);
  CHECK(checked(ir::take_along_axis(x, along, 1)) == Found{{1, -7, 6}});
  CHECK(checked(x + x).empty());
}

TEST_CASE("checked_index: what may lie outside is not looked at") {
  ir::Builder b;
  const Value x = input(b, DType::f32, make_dims<5, 7>(), 0);
  const Value along = input(b, DType::i64, make_dims<5, 2>(), 1);
  CHECK(checked(ir::take_along_axis(x, along, 1, true)).empty());
  const Value updates = input(b, DType::f32, make_dims<5, 2>(), 2);
  CHECK(checked(ir::scatter_reduce(along, updates, 1, 7, ir::Fold::sum)).empty());
}

TEST_CASE("checked_index: every offset of a block, not the axes whose begin is known") {
  ir::Builder b;
  const Value x = input(b, DType::f32, make_dims<5, 7, 9>(), 0);
  const Value first = input(b, DType::i64, make_dims<>(), 1), last = input(b, DType::i64, make_dims<>(), 2);
  ir::BlockPlace place;
  const Dims block = make_dims<2, 7, 4>();
  ir::set_offset(place, x.dims(), block, 0, first);
  place.begin[1] = 0;
  ir::set_offset(place, x.dims(), block, 2, last);
  CHECK(checked(ir::dynamic_slice(x, block, place)) == Found{{1, 0, 3}, {2, 0, 5}});
  const Value y = input(b, DType::f32, block, 3);
  CHECK(checked(ir::dynamic_update_slice(x, y, place)) == Found{{2, 0, 3}, {3, 0, 5}});
}
