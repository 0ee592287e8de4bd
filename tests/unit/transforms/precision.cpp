#include "weft/transforms/precision.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "../../../benchmarks/compile/gpt2.hpp"

using namespace weft;

namespace {

using Tiny = gpt2::Gpt2<8, 16, 2, 32, 1>;
template <class... O>
ir::Graph step(O...) {
  return train::StepSource<Tiny, gpt2::NextToken, train::Options<optim::AdamW, O...>, true,
                           Input<i32, Shape<2, 8>>, Input<i32, Shape<2, 8>>>::graph();
}

std::vector<u64> streams(const ir::Graph& g) {
  std::vector<u64> all;
  for (const ir::Node& n : g.nodes)
    if (n.op == ir::Op::random) all.push_back(n.imm);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("precision: bf16 lowers every product's operands and nothing else") {
  const ir::Graph plain = transforms::prune(step(precision::f32)),
                  low = transforms::prune(step(precision::bf16));
  int products = 0;
  for (int i = 0; i < low.nodes.size(); ++i) {
    if (low.nodes[i].op != ir::Op::dot) continue;
    ++products;
    CHECK(low.nodes[low.in(i, 0)].dtype == DType::bf16);
    CHECK(low.nodes[low.in(i, 1)].dtype == DType::bf16);
  }
  int before = 0;
  for (const ir::Node& n : plain.nodes) before += n.op == ir::Op::dot;
  CHECK(products == before);
  for (const ir::Node& n : low.nodes)
    if (n.op != ir::Op::dot && n.op != ir::Op::cast && ir::is_pointwise(n.op)) CHECK(n.dtype != DType::bf16);
}

TEST_CASE("precision: data moves in the dtype that it has, and is rounded before it moves") {
  const ir::Graph low = transforms::prune(step(precision::bf16));
  List<int> reads(low.nodes.size(), 0);
  for (int i = 0; i < low.nodes.size(); ++i)
    for (int k = 0; k < low.nodes[i].arity; ++k) ++reads[low.in(i, k)];
  int views = 0;
  for (int i = 0; i < low.nodes.size(); ++i) {
    const ir::Node& n = low.nodes[i];
    if (transforms::rearranges(n.op)) {
      views += n.dtype == DType::bf16;
      const int x = low.in(i, 0);
      const bool widened = low.nodes[x].op == ir::Op::cast && low.nodes[low.in(x, 0)].dtype == DType::bf16;
      CHECK_MESSAGE(!widened, "node ", i);
    }
    if (n.op == ir::Op::cast && n.dtype == DType::bf16) {
      const int x = low.in(i, 0);
      CHECK_MESSAGE((!transforms::rearranges(low.nodes[x].op) || reads[x] > 1), "node ", i);
    }
  }
  CHECK(views > 10);  // of attention's queries, keys and values, and their gradients
}

TEST_CASE("precision: policies leave the random streams, and so the masks, unchanged") {
  const std::vector<u64> plain = streams(step(precision::f32));
  CHECK(plain.size() > 3);
  CHECK(streams(step(precision::bf16)) == plain);
  CHECK(streams(step(precision::f16)) == plain);
  CHECK(streams(step(clip::norm(1.0f))) == plain);
  // one stream a call of dropout
  for (std::size_t i = 0; i + 1 < plain.size(); ++i) CHECK(plain[i] != plain[i + 1]);
}

namespace {

struct Residual {
  nn::Linear<8, 24> up{};
  nn::Linear<24, 8> down{};
  constexpr auto operator()(auto x) const { return x + down(relu(up(x))); }
};

double rounded(double x) { return static_cast<double>(bf16(static_cast<float>(x))); }

// x times a weight of so many rows, both rounded to bf16, in f64.
std::vector<double> product(const std::vector<double>& x, const std::vector<float>& weight,
                            std::size_t outputs) {
  const std::size_t inputs = weight.size() / outputs, rows = x.size() / inputs;
  std::vector<double> y(rows * outputs);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t i = 0; i < inputs; ++i)
        y[r * outputs + o] +=
            rounded(x[r * inputs + i]) * rounded(static_cast<double>(weight[o * inputs + i]));
  return y;
}

}  // namespace

TEST_CASE("precision: the product that is added to a residual keeps its f32 sums, others are rounded") {
  constexpr std::size_t rows = 5;
  auto f = compile<Residual>(
      Cpu{1}, [](const auto& m, auto x) { return m(x); }, in<f32, rows, 8>, precision::bf16);
  std::vector<float> x(rows * 8);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(7 * i + 1));
  const std::vector<float> y = f(x).to_vector();
  const auto& m = f.model();
  const std::vector<float> bias = m.template get<"up.bias">().to_vector(),
                           other = m.template get<"down.bias">().to_vector();
  std::vector<double> h = product({x.begin(), x.end()}, m.template get<"up.weight">().to_vector(), 24);
  for (std::size_t i = 0; i < h.size(); ++i)
    h[i] = std::max(0.0, rounded(h[i]) + static_cast<double>(bias[i % 24]));
  const std::vector<double> sums = product(h, m.template get<"down.weight">().to_vector(), 8);
  double off = 0, off_if_rounded = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double rest = static_cast<double>(other[i % 8]) + static_cast<double>(x[i]);
    off = std::max(off, std::abs(static_cast<double>(y[i]) - (sums[i] + rest)));
    off_if_rounded =
        std::max(off_if_rounded, std::abs(static_cast<double>(y[i]) - (rounded(sums[i]) + rest)));
  }
  CHECK(off < 2e-6);
  CHECK(off_if_rounded > 1e-4);
}

namespace {

// f's two results under a policy.
template <class F, class P>
std::array<std::vector<float>, 2> results_under(F, P policy) {
  constexpr i64 n = 70, d = 16;
  auto f = compile(Cpu{2}, F{}, in<f32, 1, 2, n, d>, in<f32, 1, 2, n, d>, in<f32, 1, 2, n, d>, policy);
  std::vector<std::vector<float>> x(3, std::vector<float>(2 * n * d));
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < x[k].size(); ++i)
      x[k][i] = 2 * std::sin(static_cast<float>((7 * i + 1) * (k + 1)));
  const auto [a, b] = f(x[0], x[1], x[2]);
  return {a.to_vector(), b.to_vector()};
}
template <class F>
void agrees_under_all_policies(F f) {
  const auto plain = results_under(f, precision::f32);
  const auto check = [&](double tolerance, const auto& low) {
    for (std::size_t k = 0; k < 2; ++k) {
      REQUIRE(low[k].size() == plain[k].size());
      double off = 0, largest = 0;
      for (std::size_t i = 0; i < low[k].size(); ++i) {
        off = std::max(off, std::abs(static_cast<double>(low[k][i]) - static_cast<double>(plain[k][i])));
        largest = std::max(largest, std::abs(static_cast<double>(plain[k][i])));
      }
      CHECK(largest > 0);
      CHECK(off < tolerance * largest);
    }
  };
  check(0.2, results_under(f, precision::bf16));  // slopes are sums of what nearly cancels
  check(0.03, results_under(f, precision::f16));
}

// Of q: a value of attention, and the gradient of one that depends on all of it.
struct OfAttention {
  static constexpr auto value(auto q, auto k, auto v) { return scaled_dot_product_attention(q, k, v); }
  static constexpr auto slope(auto q, auto k, auto v) {
    return grad([=](auto x) { return sum<>(square(value(x, k, v))); })(q);
  }
};
struct ValueAndSlope : OfAttention {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return std::tuple{value(q, k, v), slope(q, k, v)};
  }
};
struct SlopeTwice : OfAttention {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return std::tuple{slope(q, k, v), tanh(slope(q, k, v))};
  }
};
struct InsideALoop : OfAttention {
  constexpr auto operator()(auto q, auto k, auto v) const {
    const auto [last, each] = loop<3>(
        [=](auto x) {
          return std::pair{x - 0.01f * slope(x, k, v), value(x, k, v)};
        },
        q);
    return std::tuple{last, each};
  }
};

}  // namespace

TEST_CASE("precision: an attention whose gradient is computed beside it is one, and each result is written") {
  agrees_under_all_policies(ValueAndSlope{});
  agrees_under_all_policies(SlopeTwice{});
  agrees_under_all_policies(InsideALoop{});
}
