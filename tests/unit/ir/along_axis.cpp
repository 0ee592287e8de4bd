// Primitives along one axis: the pieces of a scan's lines, their memory, and what a node must not be.
#include "weft/ir/along_axis.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weft;
using ir::Op;
using ir::Value;

namespace {

constexpr Dims dims(std::initializer_list<i64> extents) {
  return ir::make_dims(static_cast<int>(extents.size()), extents.begin());
}
Value input(ir::Builder& b, DType t, const Dims& d) { return {&b, b.leaf(Op::input, t, d, 0)}; }

}  // namespace

TEST_CASE("along axis: extents in front, along and behind") {
  const Dims d = dims({2, 3, 4, 5});
  for (int axis = 0; axis < 4; ++axis) {
    const ir::AxisExtents e = ir::extents_along(d, axis);
    CHECK(e.extent == d.extent[axis]);
    CHECK(e.outer * e.extent * e.inner == d.size());
    i64 behind = 1;
    for (int k = axis + 1; k < 4; ++k) behind *= d.extent[k];
    CHECK(e.inner == behind);
  }
}

TEST_CASE("along axis: pieces of a scan's lines are few, cover them, and are of one size") {
  for (const i64 outer : {1, 3, 400})
    for (const i64 inner : {1, 31, 32, 20000})
      for (const i64 extent : {1, 4095, 4096, 100000, 3000000, 2000000000}) {
        const ir::AxisExtents e{outer, extent, inner};
        const i64 chunk = ir::scan_chunk(e), pieces = (extent + chunk - 1) / chunk;
        CHECK(chunk >= 1);
        CHECK(chunk <= extent);
        CHECK(pieces <= 512);
        // many lines fill a GPU by themselves
        if (outer * inner >= (inner >= 32 ? 16384 : 256)) CHECK(pieces == 1);
      }
}

TEST_CASE("along axis: memory of sorts and scans") {
  ir::Builder b;
  const Value shortest = ir::argsort(input(b, DType::f32, dims({4, 2048})), 1, false, 5);
  CHECK(ir::scratch_bytes(b.graph, shortest.id) == 0);
  // two rows of items, a key and a place each, and the counts of digits
  const Value narrow = ir::argsort(input(b, DType::f32, dims({4, 2049})), 1, false, 5);
  CHECK(ir::scratch_bytes(b.graph, narrow.id) == 4 * 2049 * 16 + radix_sort_bytes(4 * 2049));
  const Value wide = ir::argsort(input(b, DType::i64, dims({4, 2049})), 1, true, 2049);
  CHECK(ir::scratch_bytes(b.graph, wide.id) == 4 * 2049 * 32 + radix_sort_bytes(4 * 2049));
  // small floats are sorted as f32
  const Value small = ir::argsort(input(b, DType::bf16, dims({4, 2049})), 1, false, 5);
  CHECK(b.graph.nodes[b.graph.in(small.id, 0)].dtype == DType::f32);
  const Value whole = ir::scan(input(b, DType::f32, dims({300, 100000})), 1, false, Fold::sum);
  CHECK(ir::scratch_bytes(b.graph, whole.id) == 0);
  const Value cut = ir::scan(input(b, DType::f32, dims({2, 100000})), 1, false, Fold::sum);
  CHECK(ir::scratch_bytes(b.graph, cut.id) == 2 * ((100000 + 2047) / 2048) * 8);
}

TEST_CASE("along axis: a scan of one element is that, and small floats are summed in f32") {
  ir::Builder b;
  const Value one = input(b, DType::f32, dims({4, 1}));
  CHECK(ir::scan(one, 1, true, Fold::prod).id == one.id);
  const Value sums = ir::scan(input(b, DType::f16, dims({4, 6})), 1, false, Fold::sum);
  CHECK(sums.dtype() == DType::f16);
  CHECK(sums.op() == Op::cast);
  CHECK(sums.in(0).op() == Op::scan);
  CHECK(sums.in(0).dtype() == DType::f32);
}

TEST_CASE("along axis: planted faults are found") {
  const auto fault = [](auto build, auto spoil) {
    ir::Builder b;
    const Value y = build(b);
    REQUIRE(ir::along_axis_fault(b.graph, y.id) == nullptr);
    spoil(b, y);
    const char* const said = ir::along_axis_fault(b.graph, y.id);
    return std::string(said == nullptr ? "nothing" : said);
  };
  const auto scan = [](ir::Builder& b) {
    return ir::scan(input(b, DType::f32, dims({4, 6})), 1, false, Fold::sum);
  };
  const auto sort = [](ir::Builder& b) {
    return ir::argsort(input(b, DType::f32, dims({4, 6})), 1, false, 3);
  };
  const auto take = [](ir::Builder& b) {
    return ir::take_along_axis(input(b, DType::f32, dims({4, 6})), input(b, DType::i64, dims({4, 2})), 1);
  };
  const auto add = [](ir::Builder& b) {
    return ir::scatter_reduce(input(b, DType::i32, dims({4, 6})), input(b, DType::f32, dims({4, 6})), 1, 9,
                              Fold::sum);
  };
  const auto search = [](ir::Builder& b) {
    return ir::searchsorted(input(b, DType::f32, dims({4, 6})), input(b, DType::f32, dims({4, 2})), true);
  };
  const auto shape = [](const Dims& d) {
    return [d](ir::Builder& b, Value y) { b.graph.nodes[y.id].shape = b.shape(d); };
  };
  const auto dtype = [](DType t) { return [t](ir::Builder& b, Value y) { b.graph.nodes[y.id].dtype = t; }; };
  const auto attribute = [](int k, i64 to) {
    return [k, to](ir::Builder& b, Value y) {
      b.graph.list_data[b.graph.lists[b.graph.nodes[y.id].list].begin + k] = to;
    };
  };
  CHECK(fault(scan, shape(dims({4, 5}))) == "scan keeps dtype and shape");
  CHECK(fault(scan, dtype(DType::f64)) == "scan keeps dtype and shape");
  CHECK(fault(scan, attribute(2, 99)) == "scan: no such fold");
  CHECK(fault(scan, attribute(0, 2)).find("the axis is out of range") != std::string::npos);
  CHECK(fault(sort, dtype(DType::i32)) == "argsort gives places in i64");
  CHECK(fault(sort, shape(dims({4, 7}))) == "argsort gives places in i64");
  CHECK(fault(sort, shape(dims({3, 3}))) == "argsort: wrong result shape");
  CHECK(fault(take, dtype(DType::f64)) == "take_along_axis keeps the dtype");
  CHECK(fault(take, shape(dims({4, 3}))) == "take_along_axis: wrong result shape");
  CHECK(fault(add, attribute(1, static_cast<i64>(Fold::logaddexp))) == "scatter_reduce: no such fold");
  CHECK(fault(add, shape(dims({5, 9}))) == "scatter_reduce: wrong result shape");
  CHECK(fault(search, dtype(DType::i32)) == "searchsorted: operands of one dtype, places in i64");
  CHECK(fault(search, shape(dims({4, 3}))) == "searchsorted: wrong result shape");
}
