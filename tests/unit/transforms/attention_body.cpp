#include "weft/transforms/attention_body.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>

#include "weft/ir/verify.hpp"
#include "weft/ops.hpp"

using namespace weft;
using ir::Op;

namespace {

struct Traced {
  ir::Builder b;
  template <class T, i64... D>
  Expr<T, Shape<D...>> input() {
    const int node =
        b.leaf(Op::input, dtype_of<T>, Shape<D...>::value, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    return {ir::Value{&b, node}};
  }
  // The one attention of the graph.
  int region() const {
    int found = -1;
    for (int i = 0; i < b.graph.nodes.size(); ++i)
      if (b.graph.nodes[i].op == Op::attention) {
        CHECK(found < 0);
        found = i;
      }
    REQUIRE(found >= 0);
    CHECK(!ir::verify(b.graph));
    return found;
  }
  Dims captured(int k) const { return b.graph.dims(b.graph.in(region(), 3 + k)); }
  int count() const { return ir::attention_shape(b.graph, region()).captured; }
  int count(Op op) const {
    int n = 0;
    for (const ir::Node& node : b.graph.nodes) n += node.op == op;
    return n;
  }
};

constexpr AttentionOptions causal{.is_causal = true};

}  // namespace

TEST_CASE("attention body: masks are captured along the axes along which they vary") {
  Traced t;
  const auto q = t.input<f32, 2, 3, 5, 4>();
  const auto k = t.input<f32, 2, 3, 7, 4>();
  const auto mask = t.input<bool, 2, 1, 1, 7>();
  scaled_dot_product_attention<causal>(q, k, k, mask);
  REQUIRE(t.count() == 1);
  CHECK(t.captured(0) == Dims{4, {2, 1, 1, 7}});
}

TEST_CASE("attention body: axes in another order, and one tensor along two of them") {
  Traced t;
  const auto q = t.input<f32, 2, 3, 5, 4>();
  const auto bias = t.input<f32, 5, 3>();  // (L, H)
  const auto documents = t.input<i32, 2, 5>();
  attention(
      q, q, q, [](auto s, auto, auto h, auto i, auto, auto table, auto) { return s + table[i][h]; },
      [](auto b, auto, auto i, auto j, auto, auto doc) { return doc[b][i] == doc[b][j]; }, bias, documents);
  REQUIRE(t.count() == 3);
  CHECK(t.captured(0) == Dims{4, {2, 1, 5, 1}});
  CHECK(t.captured(1) == Dims{4, {2, 1, 1, 5}});
  CHECK(t.captured(2) == Dims{4, {1, 3, 5, 1}});
}

TEST_CASE("attention body: what depends on no score is computed once outside, what is larger inside") {
  Traced t;
  const auto q = t.input<f32, 2, 3, 5, 4>();
  const auto slopes = t.input<f32, 3>();
  const auto rows = t.input<f32, 5>();
  attention(
      q, q, q,
      [](auto s, auto, auto h, auto i, auto, auto slope, auto row) { return s + exp(slope[h]) * row[i]; },
      slopes, rows);
  // exp of three numbers stands outside, the product of (3, 5) in the body
  REQUIRE(t.count() == 2);
  CHECK(t.captured(0).size() + t.captured(1).size() == 8);
  const ir::Graph body = ir::attention_body(t.b.graph, t.region());
  for (const ir::Node& n : body.nodes) CHECK(n.op != Op::exp);
}

TEST_CASE("attention body: more than a kernel takes is composed") {
  const auto captured = [](auto count) {
    Traced t;
    const auto q = t.input<f32, 1, 1, 5, 4>();
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      const std::array inputs{(static_cast<void>(K), t.input<f32, 5>())...};
      attention(
          q, q, q, [](auto s, auto, auto, auto i, auto, auto... row) { return (s + ... + row[i]); },
          inputs[K]...);
      return t.count(Op::attention);
    }
    (std::make_index_sequence<decltype(count)::value>{});
  };
  constexpr int most = transforms::AttentionBody::most_captured;
  CHECK(captured(std::integral_constant<int, most>{}) == 1);
  CHECK(captured(std::integral_constant<int, most + 1>{}) == 0);
}
