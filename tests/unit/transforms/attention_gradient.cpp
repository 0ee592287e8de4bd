#include "weft/transforms/attention_gradient.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "weft/interpreter.hpp"
#include "weft/transforms/prune.hpp"
#include "weft/weft.hpp"

using namespace weft;
using ir::Op;

namespace {

struct Traced {
  ir::Builder b;
  List<int> inputs;
  Traced() { b.graph.scalar_count = 4; }
  template <i64... D>
  Expr<f32, Shape<D...>> input() {
    inputs.push(b.leaf(Op::input, DType::f32, Shape<D...>::value, static_cast<u64>(inputs.size())));
    b.graph.inputs.push(inputs.back());
    return {ir::Value{&b, inputs.back()}};
  }
};
int count(const ir::Graph& g, Op op) {
  int n = 0;
  for (const ir::Node& node : g.nodes) n += node.op == op;
  return n;
}

// The gradient of the squared gradient of attention by q, k, v and a bias, in T.
constexpr auto second = [](auto q, auto k, auto v, auto bias) {
  const auto loss = [](auto a, auto b, auto c, auto m) {
    const auto y = scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(a, b, c, m);
    return sum<>(y * y);
  };
  return grad<0, 1, 2, 3>([=](auto a, auto b, auto c, auto m) {
    const auto [da, db, dc, dm] = grad<0, 1, 2, 3>(loss)(a, b, c, m);
    return sum<>(da * da) + sum<>(db * db) + sum<>(dc * dc) + sum<>(dm * dm);
  })(q, k, v, bias);
};

}  // namespace

TEST_CASE("attention gradient: one region of what is needed, and nothing of what is not") {
  Traced t;
  const auto q = t.input<2, 3, 5, 4>();
  const auto k = t.input<2, 3, 5, 4>();
  const auto m = t.input<5, 5>();
  const ir::Value y = scaled_dot_product_attention(q, k, k, m).value;
  List<int> wrt;
  wrt.push(t.inputs[0]);
  transforms::differentiate(y, ir::constant_like(y, 1), wrt);
  REQUIRE(count(t.b.graph, Op::attention_gradient) == 1);
  for (int i = 0; i < t.b.graph.nodes.size(); ++i)
    if (t.b.graph.nodes[i].op == Op::attention_gradient) CHECK(ir::captured_gradients(t.b.graph, i) == 0);
  wrt.push(t.inputs[2]);
  const List<ir::Value> both = transforms::differentiate(y, ir::constant_like(y, 1), wrt);
  CHECK((both[0] && both[1]));
  CHECK(!ir::verify(t.b.graph));
}

TEST_CASE("attention gradient: the composition of both shares its scores") {
  Traced t;
  const auto q = t.input<2, 3, 5, 4>();
  const auto k = t.input<2, 3, 5, 4>();
  const auto v = t.input<2, 3, 5, 4>();
  const ir::Value y = scaled_dot_product_attention(q, k, v).value;
  t.b.graph.outputs.push(y.id);
  for (const ir::Value& g : transforms::differentiate(y, ir::constant_like(y, 1), t.inputs))
    t.b.graph.outputs.push(g.id);
  const ir::Graph composed = transforms::decompose_attention(ir::Graph(t.b.graph));
  CHECK(!ir::verify(composed));
  CHECK(!transforms::needs_composition(composed));
  const ir::Graph pruned = transforms::prune(composed);
  CHECK(count(pruned, Op::dot) == 6);  // two forward, four of the gradient
  CHECK(count(pruned, Op::exp) == 1);
}

TEST_CASE("attention gradient: its own gradient is that of the composition") {
  constexpr auto query = in<f32, 1, 2, 70, 4>, key = in<f32, 1, 2, 70, 4>;
  auto fast = compile(Cpu{2}, second, query, key, key, in<f32, 70, 70>);
  auto exact = compile(Interpreter{}, second, in<f64, 1, 2, 70, 4>, in<f64, 1, 2, 70, 4>,
                       in<f64, 1, 2, 70, 4>, in<f64, 70, 70>);
  std::vector<std::vector<f64>> x;
  for (int k = 0; k < 4; ++k) {
    x.emplace_back();
    for (int i = 0; i < (k == 3 ? 4900 : 560); ++i)
      x.back().push_back(static_cast<f32>(std::sin(0.9 * i * (k + 1) + k)));
  }
  const auto narrow = [&](std::size_t k) { return std::vector<f32>(x[k].begin(), x[k].end()); };
  const auto got = fast(narrow(0), narrow(1), narrow(2), narrow(3));
  const auto expected = exact(x[0], x[1], x[2], x[3]);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto compare = [](const auto& a, const auto& b) {
      double largest = 0, apart = 0;
      for (i64 i = 0; i < b.size(); ++i) {
        largest = std::fmax(largest, std::fabs(b[i]));
        apart = std::fmax(apart, std::fabs(static_cast<double>(a[i]) - b[i]));
      }
      CHECK(largest > 1e-3);
      CHECK(apart < 2e-5 * largest);
    };
    (compare(std::get<K>(got), std::get<K>(expected)), ...);
  }
  (std::make_index_sequence<4>{});
}
