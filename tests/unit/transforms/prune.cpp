#include "weft/transforms/prune.hpp"

#include <doctest/doctest.h>

#include "support/interpret_graph.hpp"
#include "weft/exec/explain.hpp"
#include "weft/exec/trace.hpp"
#include "weft/ir/print.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;

namespace {

struct Traced {
  ir::Builder b;
  ir::Value input(Dims d, DType t = DType::f32) {
    const int node = b.leaf(ir::Op::input, t, d, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    return {&b, node};
  }
};

constexpr Dims matrix(i64 rows, i64 cols) { return {2, {rows, cols}}; }
ir::Value product(const ir::Value& a, const ir::Value& b) {
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = 1;
  axes.contracted_b[0] = 0;
  return ir::dot(a, b, axes, a.dtype());
}

int launches(const ir::Graph& traced) { return static_cast<int>(exec::explain_graph(traced).steps.size()); }

// What node `id`, a sum, adds: the names of its operands' primitives.
std::string sum_of(const ir::Graph& g, int id) {
  if (g.nodes[id].op != ir::Op::add) return ir::info(g.nodes[id].op).name;
  return "(" + sum_of(g, g.in(id, 0)) + " + " + sum_of(g, g.in(id, 1)) + ")";
}

struct Residual {
  Traced t;
  ir::Value x, sum, result;
  explicit Residual(DType dtype) {
    const ir::Value a = t.input(matrix(8, 4), dtype), b = t.input(matrix(4, 6), dtype);
    const ir::Value bias = t.input(Dims{1, {6}}, dtype);
    x = t.input(matrix(8, 6), dtype);
    sum = product(a, b) + ir::broadcast(bias, matrix(8, 6));
    result = x + sum;
    t.b.graph.outputs.push(result.id);
  }
};

constexpr auto loss = [](auto x) {
  const auto n = layer_norm(x);
  return sum<>(n * n * x);
};

constexpr auto squares = [](auto x) { return sum<>(tanh(matmul(x, x))); };

}  // namespace

TEST_CASE("prune: a bias is added to a product after a residual") {
  const Residual r(DType::f32);
  const ir::Graph g = transforms::prune(r.t.b.graph);
  CHECK(sum_of(g, g.outputs[0]) == "((dot + input) + broadcast)");
  CHECK(launches(r.t.b.graph) == 1);
}

TEST_CASE("prune: the order stays where something reads the sum with the bias, and in other types") {
  Residual r(DType::f32);
  r.t.b.graph.outputs.push(r.sum.id);
  const ir::Graph read = transforms::prune(r.t.b.graph);
  CHECK(sum_of(read, read.outputs[0]) == "(input + (dot + broadcast))");
  CHECK(launches(r.t.b.graph) == 2);
  for (const DType t : {DType::f64, DType::bf16, DType::f16, DType::i32}) {
    const Residual other(t);
    const ir::Graph g = transforms::prune(other.t.b.graph);
    CHECK(sum_of(g, g.outputs[0]) == "(input + (dot + broadcast))");
    CHECK(launches(other.t.b.graph) == 2);
  }
}

TEST_CASE("prune: a function and its gradient in one program share the forward pass") {
  using In = Input<f32, Shape<64, 256>>;
  const ir::Graph both = exec::FunctionSource<decltype([](auto x) {
                                                return std::tuple{loss(x), grad(loss)(x)};
                                              }),
                                              In>::graph();
  const ir::Graph once =
      exec::FunctionSource<decltype([](auto x) { return value_and_grad(loss)(x); }), In>::graph();
  CHECK(transforms::prune(both).nodes.size() == transforms::prune(once).nodes.size());
  CHECK(launches(both) == launches(once));
  CHECK(launches(both) == 1);
}

TEST_CASE("prune: shared products run once") {
  using In = Input<f32, Shape<64, 64>>;
  const ir::Graph both = exec::FunctionSource<decltype([](auto x) {
                                                return std::tuple{squares(x), grad(squares)(x)};
                                              }),
                                              In>::graph();
  int products = 0;
  const ir::Graph g = transforms::prune(both);
  for (const ir::Node& n : g.nodes) products += n.op == ir::Op::dot;
  CHECK(products == 3);  // forward, and a gradient to each factor
}
