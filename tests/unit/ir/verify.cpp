#include "weft/ir/verify.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
#include "weft/transforms/prune.hpp"

using namespace weft;
using ir::Op;
using ir::Value;

namespace {

constexpr Dims dims(int rank, i64 a = 0, i64 b = 0, i64 c = 0) {
  const i64 extent[3]{a, b, c};
  return ir::make_dims(rank, extent);
}

// A graph with a node of every class, nothing left over.
struct Sample {
  ir::Builder b;
  Value x, w, label, table, product, hit, most, picked, flat, piece, row, cut, wide, turned, added, root;

  constexpr Sample() {
    b.graph.scalar_count = 5;
    b.graph.model_bytes = 1024;
    b.graph.optimizer_bytes = 1024;
    b.graph.slots.push({ir::Space::model, DType::f32, b.shape(dims(2, 3, 4)), -1, 0});
    b.graph.slots.push({ir::Space::optimizer, DType::f32, b.shape(dims(1, 24)), 0, 0});
    b.graph.param_groups.push({0, 1});
    b.graph.ranges.push({0, 24});
    b.graph.presets.push({4, 2.0f});
    x = input(DType::f32, dims(2, 8, 4));
    label = input(DType::i32, dims(1, 8));
    w = Value{&b, b.leaf(Op::state, DType::f32, dims(2, 3, 4), 0)};
    ir::DotAxes axes;
    axes.contracted = 1;
    axes.contracted_a[0] = axes.contracted_b[0] = 1;
    product = ir::dot(x, w, axes, DType::f32);  // (8, 3)
    const Value bits{&b, b.leaf(Op::random, DType::u32, dims(2, 8, 3), static_cast<u64>(b.graph.streams++))};
    const Value scalar{&b, b.leaf(Op::scalar, DType::f32, dims(0), 4)};
    const Value column{&b, b.leaf(Op::iota, DType::i32, dims(2, 8, 3), 1)};
    hit = ir::binary(Op::eq, column, ir::cast(bits, DType::i32));
    root = ir::unary(Op::sqrt, product);
    added = root + scalar;
    picked = ir::select(hit, added, ir::constant_like(added, 0));
    most = ir::reduce(Op::reduce_max, picked, 2u);  // (8, 1)
    const ir::Slice axis[]{{7, -1}, {0, 1}};
    cut = ir::slice(most, axis, dims(2, 4, 1));
    const i64 widths[]{1, 3, 0, 2};
    wide = ir::pad(cut, widths, 0);  // (8, 3)
    const i64 order[]{1, 0};
    turned = ir::permute(wide, order);           // (3, 8)
    table = ir::take_rows(turned, label - 1.0);  // (8, 8)
    row = ir::scatter_add(label, table, 3);      // (3, 8)
    List<int> operands;
    List<i64> offsets;
    operands.push(row.id);
    offsets.push(0);
    flat = ir::flat_concat(b, DType::f32, 24, operands, offsets, 0);
    piece = ir::flat_slice(flat, 12, dims(2, 3, 4));
    b.graph.outputs.push(ir::reduce(Op::reduce_sum, piece, 3u).id);
    b.graph.assigns.push({1, (flat * 2.0).id});
    b.graph.assigns.push({0, (piece + w).id});
  }
  constexpr Value input(DType t, const Dims& d) {
    const int node = b.leaf(Op::input, t, d, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    return {&b, node};
  }
};

// What verify says of the sample after `damage`.
template <class Damage>
std::string after(Damage damage, ir::Stage stage = ir::Stage::pruned) {
  Sample s;
  damage(s, s.b.graph);
  return ir::to_text(ir::verify(s.b.graph, stage), s.b.graph);
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("verify: a sound graph has no fault, at run time and in constant evaluation") {
  CHECK(after([](Sample&, ir::Graph&) {}) == "");
  static_assert([] {
    Sample s;
    return !ir::verify(s.b.graph, ir::Stage::pruned);
  }());
  static_assert([] {
    Sample s;
    s.b.graph.nodes[s.root.id].dtype = DType::i32;
    return ir::verify(s.b.graph).node == s.root.id;
  }());
}

#define EXPECT(text, damage)                                                              \
  do {                                                                                    \
    const std::string said =                                                              \
        after([]([[maybe_unused]] Sample& s, [[maybe_unused]] ir::Graph& g) { damage; }); \
    CHECK_MESSAGE(has(said, text), said);                                                 \
  } while (false)

TEST_CASE("verify: order, arity and tables") {
  EXPECT("does not come before it", g.edges[g.nodes[s.added.id].first] = s.added.id);
  EXPECT("does not come before it", g.edges[g.nodes[s.added.id].first] = -1);
  EXPECT("wrong number of operands", g.nodes[s.added.id].arity = 1);
  EXPECT("outside the edges", g.nodes[s.added.id].first = g.edges.size());
  EXPECT("shape does not exist", g.nodes[s.added.id].shape = g.shapes.size());
  EXPECT("attribute list does not exist", g.nodes[s.most.id].list = g.lists.size());
  EXPECT("no such primitive", g.nodes[s.added.id].op = static_cast<Op>(ir::op_count));
  EXPECT("no such dtype", g.nodes[s.added.id].dtype = static_cast<DType>(dtype_count));
  EXPECT("list lies outside its data", g.lists[0].size = 1000);
  EXPECT("negative extent", g.shapes[0].extent[0] = -1);
  EXPECT("preset run-time scalar does not exist", g.presets[0].scalar = 5);
}

TEST_CASE("verify: leaves") {
  EXPECT("no such input", g.nodes[s.label.id].imm = 2);
  EXPECT("is not that input", g.inputs[0] = g.inputs[1]);
  EXPECT("another dtype than the slot", g.nodes[s.w.id].dtype = DType::f16);
  EXPECT("another shape than the slot", g.nodes[s.w.id].shape = g.nodes[s.x.id].shape);
  EXPECT("no such slot", g.nodes[s.w.id].imm = 9);
  EXPECT("never handed out", g.streams = 0);
  EXPECT("no such run-time scalar", (g.scalar_count = 4, g.presets.clear()));
  EXPECT("an index along an axis", g.nodes[g.in(s.hit.id, 0)].imm = 2);
}

TEST_CASE("verify: dtypes and shapes of arithmetic") {
  EXPECT("another shape", g.nodes[s.added.id].shape = g.nodes[s.x.id].shape);
  EXPECT("dtype does not follow", g.nodes[s.added.id].dtype = DType::f16);
  EXPECT("dtype does not follow", g.nodes[s.hit.id].dtype = DType::i32);
  EXPECT("operands of two dtypes", g.edges[g.nodes[s.added.id].first] = s.hit.id);
  EXPECT("condition is not boolean", g.edges[g.nodes[s.picked.id].first] = s.added.id);
  EXPECT("function of floats",
         (g.nodes[s.root.id].dtype = DType::i32, g.edges[g.nodes[s.root.id].first] = g.in(s.hit.id, 0)));
}

TEST_CASE("verify: movement, reductions, products, indexing, arenas") {
  EXPECT("outside its operand", g.list_data[g.lists[g.nodes[s.cut.id].list].begin] = 2);
  EXPECT("negative width", g.list_data[g.lists[g.nodes[s.wide.id].list].begin] = -1);
  EXPECT("pad: wrong result shape", g.list_data[g.lists[g.nodes[s.wide.id].list].begin] = 2);
  EXPECT("not an order of the axes", g.list_data[g.lists[g.nodes[s.turned.id].list].begin] = 0);
  EXPECT("permute: wrong result shape", g.nodes[s.turned.id].shape = g.nodes[s.wide.id].shape);
  EXPECT("add_dependency changes a shape",
         (g.nodes[s.turned.id].op = Op::add_dependency, g.nodes[s.turned.id].arity = 2,
          g.nodes[s.turned.id].list = -1, g.nodes[s.turned.id].first = g.nodes[s.added.id].first));
  EXPECT("movement changes a dtype", g.nodes[s.cut.id].dtype = DType::f16);
  EXPECT("axes are missing, out of range or twice there",
         g.list_data[g.lists[g.nodes[s.most.id].list].begin] = 2);
  EXPECT("a reduction's shape", g.list_data[g.lists[g.nodes[s.most.id].list].begin] = 0);
  EXPECT("extents of joined axes differ", g.list_data[g.lists[g.nodes[s.product.id].list].begin + 2] = 0);
  EXPECT("out of range or twice there", g.list_data[g.lists[g.nodes[s.product.id].list].begin + 2] = 3);
  EXPECT("dot: wrong result shape", g.nodes[s.product.id].shape = g.nodes[s.x.id].shape);
  EXPECT("an index is not an integer", g.edges[g.nodes[s.table.id].first + 1] = s.x.id);
  EXPECT("scatter_add: wrong result shape", g.nodes[s.row.id].shape = g.nodes[s.wide.id].shape);
  EXPECT("beyond the vector", g.nodes[s.piece.id].imm = 13);
  EXPECT("reaches beyond the vector", g.list_data[g.lists[g.nodes[s.flat.id].list].begin] = 1);
  EXPECT("no such parameter group", g.nodes[s.flat.id].imm = 1);
}

TEST_CASE("verify: primitives along one axis") {
  struct Along {
    ir::Builder b;
    Value x, i, total, places, taken, put, found;
    constexpr Along() {
      const auto input = [&](DType t, const Dims& d) {
        const int node = b.leaf(Op::input, t, d, static_cast<u64>(b.graph.inputs.size()));
        b.graph.inputs.push(node);
        return Value{&b, node};
      };
      x = input(DType::f32, dims(2, 8, 4));
      i = input(DType::i32, dims(2, 8, 3));
      total = ir::scan(x, 0, false, ir::Fold::sum);
      places = ir::argsort(x, 1, false, 3);
      taken = ir::take_along_axis(x, i, 1);
      put = ir::scatter_reduce(i, taken, 1, 5, ir::Fold::max);
      found = ir::searchsorted(total, taken, false);
      for (const Value v : {total, places, taken, put, found}) b.graph.outputs.push(v.id);
    }
  };
  const auto after_damage = [](auto damage) {
    Along s;
    damage(s, s.b.graph);
    return ir::to_text(ir::verify(s.b.graph, ir::Stage::traced), s.b.graph);
  };
  const auto list = [](ir::Graph& g, Value v, int k) -> i64& {
    return g.list_data[g.lists[g.nodes[v.id].list].begin + k];
  };
  CHECK(after_damage([](Along&, ir::Graph&) {}) == "");
  const auto expect = [&](const char* text, auto damage) {
    const std::string said = after_damage(damage);
    CHECK_MESSAGE(has(said, text), said);
  };
  expect("the axis is out of range", [&](Along& s, ir::Graph& g) { list(g, s.total, 0) = 2; });
  expect("scan: no such fold", [&](Along& s, ir::Graph& g) { list(g, s.total, 2) = 5; });
  expect("scan keeps dtype and shape",
         [](Along& s, ir::Graph& g) { g.nodes[s.total.id].shape = g.nodes[s.i.id].shape; });
  expect("works in wide dtypes",
         [](Along& s, ir::Graph& g) { g.nodes[s.x.id].dtype = g.nodes[s.total.id].dtype = DType::f16; });
  expect("argsort gives places in i64",
         [](Along& s, ir::Graph& g) { g.nodes[s.places.id].dtype = DType::i32; });
  expect("argsort: wrong result shape", [&](Along& s, ir::Graph& g) { list(g, s.places, 0) = 0; });
  expect("an index is not an integer", [](Along& s, ir::Graph& g) { g.nodes[s.i.id].dtype = DType::f32; });
  expect("take_along_axis keeps the dtype",
         [](Along& s, ir::Graph& g) { g.nodes[s.taken.id].dtype = DType::f64; });
  expect("take_along_axis: wrong result shape",
         [](Along& s, ir::Graph& g) { g.nodes[s.taken.id].shape = g.nodes[s.x.id].shape; });
  expect("scatter_reduce: no such fold", [&](Along& s, ir::Graph& g) { list(g, s.put, 1) = 4; });
  expect("scatter_reduce: wrong result shape", [&](Along& s, ir::Graph& g) { list(g, s.put, 0) = 0; });
  expect("searchsorted: operands of one dtype",
         [](Along& s, ir::Graph& g) { g.nodes[s.found.id].dtype = DType::i32; });
  expect("wrong number of attributes",
         [](Along& s, ir::Graph& g) { g.nodes[s.found.id].list = g.nodes[s.total.id].list; });
}

TEST_CASE("verify: blocks whose place is known at run time") {
  struct Blocks {
    ir::Builder b;
    Value x, y, i, k, each, part, written, sampled;
    constexpr Blocks() {
      const auto input = [&](DType t, const Dims& d) {
        const int node = b.leaf(Op::input, t, d, static_cast<u64>(b.graph.inputs.size()));
        b.graph.inputs.push(node);
        return Value{&b, node};
      };
      x = input(DType::f32, dims(2, 8, 4));
      y = input(DType::f32, dims(2, 3, 2));
      i = input(DType::i32, dims(0));
      k = input(DType::i32, dims(0));
      each = input(DType::i32, dims(1, 8));
      ir::BlockPlace place;
      ir::set_offset(place, x.dims(), y.dims(), 0, i);
      ir::set_offset(place, x.dims(), y.dims(), 1, k);
      part = ir::dynamic_slice(x, y.dims(), place);
      written = ir::dynamic_update_slice(x, y, place);
      ir::BlockPlace one;
      one.batch = 1;
      one.begin[1] = ir::BlockPlace::dynamic;
      one.offsets.push(each);
      sampled = ir::dynamic_slice(x, dims(2, 8, 3), one);
      for (const Value v : {part, written, sampled}) b.graph.outputs.push(v.id);
    }
  };
  const auto expect = [](const char* text, auto damage) {
    Blocks s;
    damage(s, s.b.graph);
    const std::string said = ir::to_text(ir::verify(s.b.graph, ir::Stage::traced), s.b.graph);
    CHECK_MESSAGE((*text == 0 ? said.empty() : has(said, text)), said);
  };
  const auto list = [](ir::Graph& g, Value v, int n) -> i64& {
    return g.list_data[g.lists[g.nodes[v.id].list].begin + n];
  };
  const auto operand = [](ir::Graph& g, Value v, int n) -> int& { return g.edges[g.nodes[v.id].first + n]; };
  expect("", [](Blocks&, ir::Graph&) {});
  expect("without operands", [](Blocks& s, ir::Graph& g) { g.nodes[s.written.id].arity = 1; });
  expect("one begin an axis",
         [](Blocks& s, ir::Graph& g) { g.nodes[s.part.id].shape = g.nodes[s.each.id].shape; });
  expect("keeps the dtype", [](Blocks& s, ir::Graph& g) { g.nodes[s.y.id].dtype = DType::f64; });
  expect("keeps the shape",
         [](Blocks& s, ir::Graph& g) { g.nodes[s.written.id].shape = g.nodes[s.y.id].shape; });
  expect("no such batch axes", [&](Blocks& s, ir::Graph& g) { list(g, s.sampled, 0) = 3; });
  expect("larger than the tensor", [&](Blocks& s, ir::Graph& g) {
    operand(g, s.written, 0) = s.y.id, operand(g, s.written, 1) = s.x.id,
                          g.nodes[s.written.id].shape = g.nodes[s.y.id].shape;
  });
  expect("a batch axis is whole", [&](Blocks& s, ir::Graph& g) { list(g, s.part, 0) = 1; });
  expect("a begin lies outside", [&](Blocks& s, ir::Graph& g) { list(g, s.part, 2) = 3; });
  expect("one offset for each axis", [&](Blocks& s, ir::Graph& g) { list(g, s.part, 2) = 1; });
  expect("no i32 or i64", [](Blocks& s, ir::Graph& g) { g.nodes[s.i.id].dtype = DType::u8; });
  expect("offsets of two dtypes", [](Blocks& s, ir::Graph& g) { g.nodes[s.k.id].dtype = DType::i64; });
  expect("the extents of the batch axes",
         [&](Blocks& s, ir::Graph& g) { operand(g, s.sampled, 1) = s.i.id; });
}

TEST_CASE("verify: slots and results") {
  EXPECT("assigned twice", g.assigns.push(g.assigns[0]));
  EXPECT("value of another shape", g.assigns[0].node = s.piece.id);
  EXPECT("value of another dtype", (g.slots[1].dtype = DType::i32, g.slots[0].dtype = DType::f32));
  EXPECT("leaf in memory", g.outputs[0] = s.x.id);
  EXPECT("result's node does not exist", g.outputs[0] = g.nodes.size());
  EXPECT("beyond its block", g.model_bytes = 47);
  EXPECT("aligned to its dtype", g.slots[0].offset = 2);
  EXPECT("group's length", g.ranges[0].length = 25);
  EXPECT("out of order", (g.param_groups[0].size = 2, g.ranges.push({8, 4})));
  EXPECT("two assigned slots overlap", (g.slots[1].space = ir::Space::model));
  EXPECT("a node that nothing uses", (s.b.leaf(Op::constant, DType::f32, dims(0), 1)));
  EXPECT("stop_gradient after pruning", (g.nodes[s.root.id].op = Op::stop_gradient));
  // what is left over is legal before pruning
  CHECK(after([](Sample& s, ir::Graph&) { s.b.leaf(Op::constant, DType::f32, dims(0), 1); },
              ir::Stage::traced) == "");
}

TEST_CASE("verify: convolutions") {
  const auto after_damage = [](auto damage) {
    ir::Builder b;
    const auto input = [&](const Dims& d) {
      const int node = b.leaf(Op::input, DType::f32, d, static_cast<u64>(b.graph.inputs.size()));
      b.graph.inputs.push(node);
      return Value{&b, node};
    };
    ir::ConvAxes axes;
    axes.spatial = 1;
    axes.axis[0] = {2, 1, 1, 1, 1};
    const i64 images[]{2, 3, 4, 9}, window[]{2, 5, 4, 3};
    const Value x = input(ir::make_dims(4, images)), w = input(ir::make_dims(4, window));
    const Value y = ir::conv(x, w, axes, DType::f32);
    b.graph.outputs.push(y.id);
    i64* attributes = b.graph.list_data.data() + b.graph.lists[b.graph.nodes[y.id].list].begin;
    damage(b.graph, y.id, attributes);
    return ir::to_text(ir::verify(b.graph, ir::Stage::pruned), b.graph);
  };
  using Graph = ir::Graph;
  CHECK(after_damage([](Graph&, int, i64*) {}) == "");
  CHECK(has(after_damage([](Graph&, int, i64* a) { a[3] = 0; }), "a stride or a dilation below 1"));
  CHECK(has(after_damage([](Graph&, int, i64* a) { a[4] = 4; }), "conv: wrong result shape"));
  CHECK(after_damage([](Graph& g, int y, i64*) { g.nodes[y].imm = ir::dot_tf32; }) == "");
  CHECK(has(after_damage([](Graph& g, int y, i64*) { g.nodes[y].imm = ir::dot_f8; }), "rounded to tf32"));
  CHECK(has(after_damage([](Graph&, int, i64* a) { a[0] = 1; }), "no order of the result's axes"));
  CHECK(has(after_damage([](Graph& g, int y, i64*) { g.lists[g.nodes[y].list].size = 7; }),
            "wrong number of attributes"));
  CHECK(has(after_damage([](Graph& g, int y, i64*) { g.nodes[y].dtype = DType::i32; }),
            "dtype does not follow"));
  CHECK(has(after_damage([](Graph& g, int y, i64*) { g.shapes[g.nodes[g.in(y, 1)].shape].extent[2] = 3; }),
            "groups or channels of the operands differ"));
  CHECK(has(after_damage([](Graph& g, int y, i64*) { g.nodes[y].op = Op::surrogate; }),
            "a marker after pruning"));
}

TEST_CASE("verify: what rounds to 8 bits") {
  const auto said = [](auto damage, ir::Stage stage) {
    ir::Builder b;
    const auto input = [&](const Dims& d) {
      const int node = b.leaf(Op::input, DType::f32, d, static_cast<u64>(b.graph.inputs.size()));
      b.graph.inputs.push(node);
      return Value{&b, node};
    };
    const Value x = input(dims(2, 4, 4)), scale = input(Dims{});
    ir::DotAxes axes;
    axes.contracted = 1;
    axes.contracted_a[0] = 1;
    const Value product = ir::dot(x, x, axes, DType::f32, ir::dot_f8),
                marked = ir::f8_gradient(product, scale);
    b.graph.outputs.push((marked * 2.0).id);
    damage(b.graph, product.id, marked.id);
    return ir::to_text(ir::verify(b.graph, stage), b.graph);
  };
  const auto traced = [&](auto damage) { return said(damage, ir::Stage::traced); };
  CHECK(traced([](ir::Graph&, int, int) {}) == "");
  CHECK(has(said([](ir::Graph&, int, int) {}, ir::Stage::pruned), "the mark of 8-bit factors"));
  CHECK(has(traced([](ir::Graph& g, int dot, int) { g.nodes[dot].imm = 3; }), "rounded to tf32"));
  CHECK(has(traced([](ir::Graph& g, int, int marked) { g.edges[g.nodes[marked].first + 1] = 0; }),
            "f8_gradient: the value is f32, and its scale one f32"));
}

TEST_CASE("verify: a region leaves each of its results once") {
  using Rows = Input<f32, Shape<1, 1, 4, 2>>;
  const auto f = [](auto q, auto k, auto v) { return scaled_dot_product_attention(q, k, v); };
  ir::Graph g = transforms::prune(exec::FunctionSource<decltype(f), Rows, Rows, Rows>::graph());
  REQUIRE(ir::verify(g, ir::Stage::pruned).what == nullptr);
  int result = 0;
  while (g.nodes[result].op != Op::result) ++result;
  ir::Node again = g.nodes[result];
  again.first = g.edges.size();
  g.edges.push(g.in(result, 0));
  g.nodes.push(again);
  g.outputs.push(g.nodes.size() - 1);
  CHECK(ir::verify(g, ir::Stage::traced).what == nullptr);
  const ir::Fault fault = ir::verify(g, ir::Stage::pruned);
  CHECK(std::string(fault.what) == "a region leaves one result twice");
  CHECK(fault.node == g.nodes.size() - 1);
}
