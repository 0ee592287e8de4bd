// Blocks whose place is known at run time: what is known earlier becomes part of the node, and what a node
// must not be.
#include "weft/ir/dynamic_slice.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weft;
using ir::BlockPlace;
using ir::Op;
using ir::Value;

namespace {

constexpr Dims dims(std::initializer_list<i64> extents) {
  return ir::make_dims(static_cast<int>(extents.size()), extents.begin());
}
Value input(ir::Builder& b, DType t, const Dims& d) { return {&b, b.leaf(Op::input, t, d, 0)}; }
Value number(ir::Builder& b, i64 x) { return ir::constant(b, DType::i64, Dims{}, static_cast<double>(x)); }

const Dims whole = dims({6, 8}), block = dims({2, 3});

}  // namespace

TEST_CASE("dynamic slice: a constant offset inside is an attribute, any other an operand") {
  for (const i64 at : {-1, 0, 4, 5, 100}) {
    ir::Builder b;
    BlockPlace place;
    ir::set_offset(place, whole, block, 0, number(b, at));
    const bool inside = at >= 0 && at <= ir::last_offset(whole, block, 0);
    CHECK(place.offsets.size() == (inside ? 0 : 1));
    CHECK(place.begin[0] == (inside ? at : BlockPlace::dynamic));
  }
}

TEST_CASE("dynamic slice: places that are all known make an ordinary slice") {
  ir::Builder b;
  const Value x = input(b, DType::f32, whole);
  BlockPlace place;
  ir::set_offset(place, whole, block, 0, number(b, 4));
  ir::set_offset(place, whole, block, 1, number(b, 5));
  const Value y = ir::dynamic_slice(x, block, place);
  CHECK(y.op() == Op::slice);
  CHECK(y.dims() == block);
  CHECK(b.graph.attribute(y.id, 0) == 4);
  CHECK(b.graph.attribute(y.id, 2) == 5);
  const Value z = ir::constant(b, DType::f32, whole, 7);
  BlockPlace open;
  ir::set_offset(open, whole, block, 0, input(b, DType::i64, Dims{}));
  CHECK(ir::dynamic_slice(z, block, open).is(7));  // the same everywhere
}

TEST_CASE("dynamic slice: a node keeps its place") {
  ir::Builder b;
  const Value x = input(b, DType::f32, whole), at = input(b, DType::i64, Dims{});
  BlockPlace place;
  ir::set_offset(place, whole, block, 0, number(b, 3));
  ir::set_offset(place, whole, block, 1, at);
  const Value y = ir::dynamic_slice(x, block, place);
  REQUIRE(y.op() == Op::dynamic_slice);
  CHECK(ir::dynamic_slice_fault(b.graph, y.id) == nullptr);
  const BlockPlace kept = ir::block_place(y);
  CHECK(kept.batch == 0);
  CHECK(kept.begin[0] == 3);
  CHECK(kept.begin[1] == BlockPlace::dynamic);
  REQUIRE(kept.offsets.size() == 1);
  CHECK(kept.offsets[0].id == at.id);
  CHECK(ir::whole_dims(b.graph, y.id) == whole);
  CHECK(ir::block_dims(b.graph, y.id) == block);
  const Value u = ir::dynamic_update_slice(x, y, place);
  CHECK(u.dims() == whole);
  CHECK(ir::dynamic_slice_fault(b.graph, u.id) == nullptr);
  CHECK(ir::block_dims(b.graph, u.id) == block);
}

TEST_CASE("dynamic slice: an update of all is the block, and of nothing the tensor") {
  ir::Builder b;
  const Value x = input(b, DType::f32, whole), y = input(b, DType::f32, whole);
  CHECK(ir::dynamic_update_slice(x, y, BlockPlace{}).id == y.id);
  const Value none = input(b, DType::f32, dims({0, 8}));
  BlockPlace open;
  open.begin[0] = BlockPlace::dynamic;
  open.offsets.push(input(b, DType::i64, Dims{}));
  CHECK(ir::dynamic_update_slice(x, none, open).id == x.id);
}

TEST_CASE("dynamic slice: planted faults are found") {
  const auto fault = [](auto spoil) {
    ir::Builder b;
    const Value x = input(b, DType::f32, whole);
    BlockPlace place;
    ir::set_offset(place, whole, block, 0, number(b, 3));
    ir::set_offset(place, whole, block, 1, input(b, DType::i64, Dims{}));
    const Value y = ir::dynamic_slice(x, block, place);
    spoil(b, y);
    const char* const said = ir::dynamic_slice_fault(b.graph, y.id);
    return std::string(said == nullptr ? "nothing" : said);
  };
  const auto attribute = [](int k, i64 to) {
    return [k, to](ir::Builder& b, Value y) {
      b.graph.list_data[b.graph.lists[b.graph.nodes[y.id].list].begin + k] = to;
    };
  };
  CHECK(fault([](ir::Builder&, Value) {}) == "nothing");
  CHECK(fault([](ir::Builder& b, Value y) { b.graph.nodes[y.id].dtype = DType::f64; }) ==
        "a dynamic slice keeps the dtype");
  CHECK(fault([](ir::Builder& b, Value y) {
          b.graph.nodes[y.id].shape = b.shape(dims({7, 3}));
        }) == "a dynamic slice: the block is larger than the tensor");
  CHECK(fault([](ir::Builder& b, Value y) { b.graph.nodes[b.graph.in(y.id, 1)].dtype = DType::f32; }) ==
        "a dynamic slice: an offset is no i32 or i64");
  CHECK(fault(attribute(0, 3)) == "a dynamic slice: no such batch axes");
  CHECK(fault(attribute(0, 1)) == "a dynamic slice: a batch axis is whole");
  CHECK(fault(attribute(1, 5)) == "a dynamic slice: a begin lies outside");
  CHECK(fault(attribute(1, -1)) == "a dynamic slice: one offset for each axis that has none");
  CHECK(fault(attribute(2, 0)) == "a dynamic slice: one offset for each axis that has none");
}
