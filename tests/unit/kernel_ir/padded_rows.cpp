#include "weft/kernel_ir/padded_rows.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/compile_verified.hpp"
#include "support/leaves.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr i64 words = 261;  // no multiple of 16 bytes in any dtype

// A head over many words, its loss and gradients: logits are made by a product, and what their gradient is
// goes into two.
struct Head {
  constexpr auto operator()(auto x, auto weight, auto bias, auto target) const {
    return value_and_grad<0, 1, 2>([](auto a, auto w, auto b, auto t) {
      return cross_entropy(reshape<-1, decltype(w)::shape::dims[0]>(linear(a, w, b)), flatten<0>(t));
    })(x, weight, bias, target);
  }
};
// What reads such rows in other ways: as they are turned, in blocks, one of a row alone, behind a window,
// with other rows.
struct Turned {
  constexpr auto operator()(auto x, auto weight) const {
    const auto y = tanh(matmul(x, weight));  // (6, 48, words)
    const auto z = exp(-abs(y));
    return std::tuple{matmul(y, transpose<1, 2>(slice<1, 3, 40>(z))),
                      matmul(transpose<1, 2>(y), z),
                      matmul(slice<2, 5, 200>(z), transpose<1, 2>(slice<2, 10, 205>(y))),
                      matmul(permute<1, 0, 2>(y), permute<1, 2, 0>(z)),
                      sum<0>(matmul(y, transpose<1, 2>(y))),
                      pad<0, 0, 0, 0, 2, 3>(z) * 2,
                      select<2, 7>(z),
                      sum(y * z),
                      flip<2>(y)};
  }
};
// A product of rows that are put together cannot walk them with one stride.
struct Joined {
  constexpr auto operator()(auto x, auto weight) const {
    const auto y = exp(-abs(matmul(x, weight)));  // (6, 48, words)
    return matmul(reshape<6, 48 * words>(y), transpose<0, 1>(reshape<6, 48 * words>(y * y)));
  }
};

template <class F, class... I>
ir::Graph graph_of(F, I...) {
  return exec::program_graph<exec::FunctionSource<F, I...>>();
}

int padded(const ir::Graph& g) {
  const compiler::Module m = testing::compile_verified(g);
  int count = 0;
  for (int i = 0; i < m.graph.nodes.size(); ++i) count += m.fusion.stored[i] == kernel_ir::stored_padded;
  return count;
}

// Whether the lowered program has the values of the graph.
void same_values(const ir::Graph& g) {
  testing::Leaves leaves;
  for (int input : g.inputs) {
    const DType t = g.nodes[input].dtype;
    testing::Array x(static_cast<std::size_t>(g.dims(input).size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = is_float(t) ? testing::rounded(t, std::sin(static_cast<double>(7 * i % 1009)) / 4)
                         : static_cast<double>(i * 37 % words);
    leaves.inputs.push_back(x);
  }
  const auto expected = testing::interpret(g, leaves);
  const auto found = testing::interpret_lowered(g, leaves).outputs;
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    REQUIRE(found[k].size() == expected[k].size());
    double apart = 0, largest = 0;  // sums have another order
    for (std::size_t i = 0; i < found[k].size(); ++i) {
      apart = std::fmax(apart, std::fabs(found[k][i] - expected[k][i]));
      largest = std::fmax(largest, std::fabs(expected[k][i]));
    }
    INFO(k);
    CHECK(largest > 0);
    CHECK(apart <= 1e-5 * largest);
  }
}

}  // namespace

TEST_CASE("padded_rows: logits and their gradient begin at multiples of 16 bytes in every row") {
  const auto f32_head =
      graph_of(Head{}, in<f32, 4, 16, 24>, in<f32, words, 24>, in<f32, words>, in<i32, 4, 16>);
  CHECK(padded(f32_head) >= 2);
  same_values(f32_head);
  const auto bf16_head =
      graph_of(Head{}, in<bf16, 4, 16, 24>, in<bf16, words, 24>, in<bf16, words>, in<i32, 4, 16>);
  CHECK(padded(bf16_head) >= 2);
  same_values(bf16_head);
}

TEST_CASE("padded_rows: views of padded rows are read through strides, outputs are not padded") {
  const auto turned = graph_of(Turned{}, in<f64, 6, 48, 24>, in<f64, 24, words>);
  CHECK(padded(turned) >= 1);
  same_values(turned);
}

TEST_CASE("padded_rows: a product that walks rows as one keeps them as they are") {
  const auto joined = graph_of(Joined{}, in<f64, 6, 48, 24>, in<f64, 24, words>);
  same_values(joined);
}

TEST_CASE("padded_rows: rows that are even or short are left alone") {
  CHECK(padded(graph_of(Head{}, in<f32, 4, 16, 24>, in<f32, 264, 24>, in<f32, 264>, in<i32, 4, 16>)) == 0);
  CHECK(kernel_ir::padded_row(50257, DType::bf16) == 50264);
  CHECK(kernel_ir::padded_row(264, DType::f32) == 264);
  CHECK(kernel_ir::padded_row(261, DType::f64) == 262);
}

TEST_CASE("padded_rows: compiled programs read padded rows through views") {
  constexpr auto all = [](auto x, auto w, auto v) {
    const auto y = matmul(x, w);  // (65, words)
    return std::tuple{matmul(narrow<0, 3, 32>(y), v), matmul(transpose<0, 1>(reshape<5, 13, words>(y)), v),
                      sum<1>(y)};
  };
  auto f = compile(Cpu{1}, all, in<f64, 65, 17>, in<f64, 17, words>, in<f64, words, 9>);
  auto g = compile(Interpreter{}, all, in<f64, 65, 17>, in<f64, 17, words>, in<f64, words, 9>);
  std::vector<double> x(65 * 17), w(17 * words), v(words * 9);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 7) - 3;
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<double>(i % 5) - 2;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i % 3) - 1;
  const auto [a, b, c] = f(x, w, v);
  const auto [p, q, r] = g(x, w, v);
  CHECK(a.to_vector() == p.to_vector());  // whole numbers, exact in any order
  CHECK(b.to_vector() == q.to_vector());
  CHECK(c.to_vector() == r.to_vector());
}
