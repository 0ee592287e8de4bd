// Every pass is near-linear in the graph: twice the nodes cost at most 2.3 times the work. Work is counted,
// not timed: the file is compiled so that each basic block that runs calls a counter
// (-fsanitize-coverage=trace-pc).

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "weft/compiler/pipeline.hpp"
#include "weft/transforms/differentiate.hpp"
#include "weft/transforms/precision.hpp"

// Basic blocks of this file that have run (count.cpp).
extern unsigned long long blocks_run;

using namespace weft;

namespace {

constexpr i64 rows = 64, width = 96;

ir::Value product(ir::Value x, ir::Value w) {
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = 1;
  axes.contracted_b[0] = 0;
  return ir::dot(x, w, axes, DType::f32);
}

struct Traced {
  bool updates = true;  // state is assigned, else the gradients are results
  ir::Graph graph;
  int loss = -1;
  List<int> wrt;
};

ir::Value input(ir::Builder& b) {
  b.graph.scalar_count = 4;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {rows, width}}, 0)};
  b.graph.inputs.push(x.id);
  return x;
}
ir::Value slot(ir::Builder& b, const Dims& d) {
  const int s = b.graph.slots.size();
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(d), -1, b.graph.model_bytes});
  b.graph.model_bytes += (4 * d.size() + 255) / 256 * 256;
  return {&b, b.leaf(ir::Op::state, DType::f32, d, static_cast<u64>(s))};
}

// A residual network: of each block a normalisation, a product with a bias, tanh, and the residual.
Traced network(int depth) {
  Traced t;
  ir::Builder b;
  ir::Value x = input(b);
  for (int k = 0; k < depth; ++k) {
    const ir::Value w = slot(b, Dims{2, {width, width}}), bias = slot(b, Dims{1, {width}});
    t.wrt.push(w.id);
    t.wrt.push(bias.id);
    const ir::Value mean = ir::reduce(ir::Op::reduce_sum, x, 0b10) * (1.0 / width);
    const ir::Value centred = x - ir::broadcast(mean, x.dims());
    const ir::Value variance = ir::reduce(ir::Op::reduce_sum, centred * centred, 0b10) * (1.0 / width);
    const ir::Value normal = centred * ir::broadcast(ir::unary(ir::Op::rsqrt, variance + 1e-5), x.dims());
    x = x + ir::unary(ir::Op::tanh, product(normal, w) + ir::broadcast(bias, x.dims()));
  }
  const ir::Value loss = ir::reduce(ir::Op::reduce_sum, x * x, 0b11);
  t.loss = loss.id;
  t.graph = static_cast<ir::Graph&&>(b.graph);
  return t;
}
// One long chain of arithmetic.
Traced chain(int length) {
  Traced t;
  ir::Builder b;
  ir::Value x = input(b);
  t.wrt.push(x.id);
  for (int k = 0; k < 4 * length; ++k) x = ir::unary(ir::Op::sin, x) * (1 + 0.01 * k);
  t.loss = ir::reduce(ir::Op::reduce_sum, x, 0b11).id;
  t.graph = static_cast<ir::Graph&&>(b.graph);
  return t;
}
// Many parameters that meet in one sum of products, each with a gradient of its own.
Traced wide(int count) {
  Traced t;
  ir::Builder b;
  const ir::Value x = input(b);
  ir::Value sum;
  for (int k = 0; k < count; ++k) {
    const ir::Value w = slot(b, Dims{2, {width, width}});
    t.wrt.push(w.id);
    const ir::Value y = ir::unary(ir::Op::tanh, product(x, w));
    sum = sum ? sum + y : y;
  }
  t.loss = ir::reduce(ir::Op::reduce_sum, sum, 0b11).id;
  t.graph = static_cast<ir::Graph&&>(b.graph);
  return t;
}

// A chain of scales by row vectors, each with a gradient: a sum over the rows of what all others multiply.
Traced scales(int count) {
  Traced t;
  ir::Builder b;
  ir::Value x = input(b);
  for (int k = 0; k < count; ++k) {
    const ir::Value w = slot(b, Dims{1, {width}});
    t.wrt.push(w.id);
    x = x * ir::broadcast(w, x.dims());
  }
  t.loss = ir::reduce(ir::Op::reduce_sum, x, 0b11).id;
  t.graph = static_cast<ir::Graph&&>(b.graph);
  return t;
}

struct Work {
  std::string names[16];
  unsigned long long blocks[16]{};
  int nodes = 0;
  int passes = 0;
  void add(std::string_view name, unsigned long long before) {
    names[passes] = std::string(name);
    blocks[passes++] = blocks_run - before;
  }
};

// Differentiates, updates by the gradient, and walks the list.
Work work_of(const Traced& t) {
  Work work;
  ir::Graph started = t.graph;
  ir::Builder b(static_cast<ir::Graph&&>(started));
  const ir::Value loss{&b, t.loss};
  unsigned long long before = blocks_run;
  const List<ir::Value> gradients = transforms::differentiate(loss, ir::constant_like(loss, 1), t.wrt);
  work.add("differentiate", before);
  b.graph.outputs.push(loss.id);
  for (int k = 0; k < t.wrt.size(); ++k) {
    const ir::Node& node = b.graph.nodes[t.wrt[k]];
    const ir::Value updated = ir::Value{&b, t.wrt[k]} - gradients[k] * 0.1;
    if (!t.updates)
      b.graph.outputs.push(gradients[k].id);
    else if (node.op == ir::Op::state)
      b.graph.assigns.push({static_cast<int>(node.imm), updated.id});
    else
      b.graph.outputs.push(updated.id);
  }
  before = blocks_run;
  const ir::Graph low = transforms::apply_precision(b.graph, precision::BF16::rule);
  work.add("precision", before);
  work.nodes = low.nodes.size();
  before = blocks_run;
  compiler::compile_graph(low, [&](auto pass, const compiler::Module&) {
    work.add(pass.name, before);
    before = blocks_run;
  });
  return work;
}

void check_linear(const char* family, Traced (*make)(int), int size) {
  const Work one = work_of(make(size)), two = work_of(make(2 * size));
  CHECK(two.nodes > 1.8 * one.nodes);
  for (int k = 0; k < one.passes; ++k) {
    REQUIRE(one.blocks[k] > 0);
    const double ratio = static_cast<double>(two.blocks[k]) / static_cast<double>(one.blocks[k]);
    CHECK_MESSAGE(ratio <= 2.3, family, ", ", one.names[k], ": ", one.nodes, " nodes ", one.blocks[k], ", ",
                  two.nodes, " nodes ", two.blocks[k], ": ", ratio, " times");
  }
}

}  // namespace

TEST_CASE("passes: a residual network of twice the depth") { check_linear("network", network, 24); }
TEST_CASE("passes: a chain of twice the length") { check_linear("chain", chain, 100); }
TEST_CASE("passes: twice the factors of a product that is summed") {
  const auto made = [](int count) {
    Traced t = scales(count);
    ir::Builder b(static_cast<ir::Graph&&>(t.graph));
    const ir::Value loss{&b, t.loss};
    const unsigned long long before = blocks_run;
    transforms::differentiate(loss, ir::constant_like(loss, 1), t.wrt);
    return std::pair{b.graph.nodes.size(), blocks_run - before};
  };
  const auto one = made(128), two = made(256);
  CHECK(two.first <= 2.3 * one.first);
  CHECK(static_cast<double>(two.second) <= 2.3 * static_cast<double>(one.second));
}
TEST_CASE("passes: twice the parameters in one sum") { check_linear("wide", wide, 60); }
