#include "weft/compiler/lower/attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/compile_verified.hpp"
#include "support/interpret_lowered.hpp"
#include "support/leaves.hpp"
#include "weft/ops.hpp"
#include "weft/transforms/differentiate.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// A program that is traced at run time: attention's value, and the gradients of sum(y * y) by all floating
// inputs, evaluated launch by launch and as the composition.
struct Program {
  ir::Builder b;
  Leaves leaves;
  List<int> floats;

  Program() {
    b.graph.scalar_count = 4;
    leaves.seed = 7;
    leaves.step = 3;
  }
  template <class T, i64... D>
  Expr<T, Shape<D...>> input() {
    const int node =
        b.leaf(ir::Op::input, dtype_of<T>, Shape<D...>::value, static_cast<u64>(b.graph.inputs.size()));
    Array values;
    for (i64 i = 0; i < Shape<D...>::size; ++i) {
      const double x = std::sin(0.7 * static_cast<double>(i * (b.graph.inputs.size() + 2)));
      values.push_back(std::is_same_v<T, bool> ? x > -0.5
                       : is_float(dtype_of<T>) ? rounded(dtype_of<T>, x)
                                               : std::floor(3 + 2 * x));
    }
    leaves.inputs.push_back(values);
    b.graph.inputs.push(node);
    if (is_float(dtype_of<T>)) floats.push(node);
    return {ir::Value{&b, node}};
  }
  // The largest difference, relative to the largest value of each result.
  double difference(ir::Value y) {
    b.graph.outputs.push(y.id);
    const ir::Value wide = ir::cast(y, DType::f32), weights = ir::constant_like(wide, 0.5) + wide;
    const ir::Value loss =
        ir::reshape(ir::reduce(ir::Op::reduce_sum, wide * weights, ir::all_axes(y.dims().rank)), Dims{});
    for (const ir::Value& v : transforms::differentiate(loss, ir::constant_like(loss, 1), floats))
      if (v) b.graph.outputs.push(v.id);
    REQUIRE(b.graph.outputs.size() >= 4);
    REQUIRE(!ir::verify(b.graph));
    const std::vector<Array> expected = interpret(b.graph, leaves);
    const compiler::Module m = compile_verified(b.graph);
    int launched = 0;
    for (const compiler::Step& s : m.lowered.steps)
      launched += s.kind == compiler::StepKind::attention || s.kind == compiler::StepKind::attention_gradient;
    CHECK(launched == 2);
    Machine machine(m.graph, m.plan, m.lowered, leaves, 1);
    machine.run();
    double worst = 0;
    for (int k = 0; k < b.graph.outputs.size(); ++k) {
      const Array got = machine.output(k), &want = expected[static_cast<std::size_t>(k)];
      double largest = 1e-3, apart = 0;
      for (std::size_t i = 0; i < want.size(); ++i) {
        REQUIRE(std::isfinite(got[i]));
        largest = std::fmax(largest, std::fabs(want[i]));
        apart = std::fmax(apart, std::fabs(want[i] - got[i]));
      }
      worst = std::fmax(worst, apart / largest);
    }
    return worst;
  }
};

constexpr AttentionOptions causal{.is_causal = true}, grouped{.is_causal = true, .enable_gqa = true};

}  // namespace

TEST_CASE("attention: its steps compute what the composition does") {
  {
    Program p;
    const auto q = p.input<f32, 2, 3, 5, 4>();
    const auto k = p.input<f32, 2, 3, 7, 4>();
    const auto v = p.input<f32, 2, 3, 7, 4>();
    CHECK(p.difference(scaled_dot_product_attention(q, k, v).value) < 1e-5);
  }
  {
    Program p;  // one head of keys for three of queries, views, a mask
    const auto q = p.input<f32, 5, 2, 6, 4>();
    const auto k = p.input<f32, 2, 2, 5, 4>();
    const auto v = p.input<f32, 2, 2, 3, 5>();
    const auto m = p.input<bool, 2, 1, 1, 5>();
    CHECK(p.difference(
              scaled_dot_product_attention<grouped>(permute<1, 2, 0, 3>(q), k, transpose<2, 3>(v), m).value) <
          1e-5);
  }
  {
    Program p;  // fewer axes; dropped weights; an additive mask of which some is -infinity
    const auto q = p.input<f32, 6, 4>();
    const auto k = p.input<f32, 6, 4>();
    const auto v = p.input<f32, 6, 2>();
    const auto m = p.input<f32, 6, 6>();
    const auto mask = where(m > 0.9, -std::numeric_limits<double>::infinity(), m);
    CHECK(p.difference(scaled_dot_product_attention(q, k, v, mask, 0.4).value) < 1e-5);
  }
  {
    Program p;
    const auto q = p.input<bf16, 2, 2, 6, 4>();
    const auto k = p.input<bf16, 2, 2, 6, 4>();
    const auto v = p.input<bf16, 2, 2, 6, 4>();
    CHECK(p.difference(scaled_dot_product_attention<causal>(q, k, v).value) < 3e-2);
  }
}

TEST_CASE("attention: what functions of scores read is captured, and has gradients") {
  {
    Program p;
    const auto q = p.input<f32, 2, 3, 5, 4>();
    const auto k = p.input<f32, 2, 3, 5, 4>();
    const auto v = p.input<f32, 2, 3, 5, 4>();
    const auto slopes = p.input<f32, 3>();
    const auto documents = p.input<i32, 2, 5>();
    const auto y = attention(
        q, k, v,
        [](auto s, auto, auto h, auto i, auto j, auto slope, auto) {
          return s + slope[h] * cast<f32>(j - i);
        },
        [](auto b, auto, auto i, auto j, auto, auto doc) { return (j <= i) & (doc[b][i] == doc[b][j]); },
        slopes, documents);
    CHECK(p.difference(y.value) < 1e-5);
  }
  {
    Program p;  // a bias by relative place is looked up once for all samples
    const auto q = p.input<f32, 2, 3, 5, 4>();
    const auto k = p.input<f32, 2, 3, 5, 4>();
    const auto v = p.input<f32, 2, 3, 5, 4>();
    const auto bias = p.input<f32, 3, 9>();
    const auto y = attention(
        q, k, v, [](auto s, auto, auto h, auto i, auto j, auto table) { return s + table[h][i - j + 4]; },
        bias);
    CHECK(p.difference(y.value) < 1e-5);
  }
}

TEST_CASE("attention: what has no kernel is composed") {
  const auto has_region = [](const ir::Graph& g) { return transforms::needs_composition(g); };
  {
    Program p;  // a score that is looked up by its value
    const auto q = p.input<f32, 1, 1, 5, 4>();
    const auto k = p.input<f32, 1, 1, 5, 4>();
    const auto v = p.input<f32, 1, 1, 5, 4>();
    const auto table = p.input<f32, 8>();
    attention(
        q, k, v, [](auto s, auto, auto, auto, auto, auto t) { return t[clamp(cast<i32>(s), 0, 7)] * s; },
        table);
    CHECK(!has_region(p.b.graph));
  }
  {
    Program p;
    const auto q = p.input<f64, 5, 4>();
    const auto k = p.input<f64, 5, 4>();
    const auto v = p.input<f64, 5, 4>();
    scaled_dot_product_attention(q, k, v);
    CHECK(!has_region(p.b.graph));
  }
  {
    Program p;
    const auto q = p.input<f32, 2, 2, 2, 5, 4>();
    const auto k = p.input<f32, 2, 2, 2, 5, 4>();
    scaled_dot_product_attention(q, k, k);
    CHECK(!has_region(p.b.graph));
  }
  {
    Program p;
    const auto q = p.input<f32, 5, 4>();
    scaled_dot_product_attention(q, q, q);
    CHECK(has_region(p.b.graph));
  }
}
