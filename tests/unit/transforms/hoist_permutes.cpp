#include "weft/transforms/hoist_permutes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "weft/exec/explain.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

std::vector<f32> wave(i64 count, double speed) {
  std::vector<f32> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<f32>(std::sin(speed * static_cast<double>(i) + speed));
  return x;
}

template <class F, class... I>
std::vector<std::string> steps(F, I...) {
  std::vector<std::string> out;
  for (const auto& s : exec::explain_graph(exec::program_graph<exec::FunctionSource<F, I...>>()).steps)
    out.push_back(s.kernel + " " + s.shape);
  return out;
}

constexpr i64 batch = 3, heads = 4, length = 70, width = 16;

// (B, H, T, D), computed, as a layer's (B, T, H D).
constexpr auto together = [](auto a, auto b, auto c) {
  return reshape<batch, length, heads * width>(permute<0, 2, 1, 3>(2.0f * a * b + c));
};

constexpr auto loss = [](auto x, auto w) {
  const auto qkv = permute<2, 0, 3, 1, 4>(
      reshape<batch, length, 3, heads, width>(reshape<batch, length, 3 * heads * width>(matmul(x, w))));
  const auto mixed = scaled_dot_product_attention(select<0, 0>(qkv), select<0, 1>(qkv), select<0, 2>(qkv));
  return sum(mixed * mixed);
};
constexpr auto gradient_of_weight = [](auto x, auto w) { return grad<1>(loss)(x, w); };

}  // namespace

TEST_CASE("hoist permutes: what is wanted in another order is computed in it") {
  constexpr auto in_heads = in<f32, batch, heads, length, width>;
  CHECK(steps(together, in_heads, in_heads, in_heads).size() == 1);  // no copy behind it
  const i64 n = batch * heads * length * width;
  const auto a = wave(n, 0.37), b = wave(n, 0.71), c = wave(n, 1.3);
  auto f = compile(Cpu{}, together, in_heads, in_heads, in_heads);
  std::vector<f32> y(static_cast<std::size_t>(n));
  f.into(y)(a, b, c);
  std::size_t at = 0, wrong = 0;
  for (i64 i = 0; i < batch; ++i)
    for (i64 t = 0; t < length; ++t)
      for (i64 h = 0; h < heads; ++h)
        for (i64 d = 0; d < width; ++d, ++at) {
          const auto from = static_cast<std::size_t>(((i * heads + h) * length + t) * width + d);
          wrong += std::abs(y[at] - (2 * a[from] * b[from] + c[from])) > 1e-6f;
        }
  CHECK(wrong == 0);
}

TEST_CASE("hoist permutes: of operands that are permuted themselves, back to where they lie, too") {
  constexpr auto x = in<f32, 4, 6, 16>;
  auto back = compile(
      Cpu{}, [](auto a) { return reshape<24, 16>(permute<1, 0, 2>(exp(permute<1, 0, 2>(a)))); }, x);
  auto f = compile(
      Cpu{},
      [](auto a) {
        return reshape<24, 16>(
            permute<0, 2, 1, 3>(reshape<2, 3, 4, 16>(permute<1, 0, 2>(a)) + reshape<2, 3, 4, 16>(a)));
      },
      x);
  const auto values = wave(4 * 6 * 16, 0.37);
  std::vector<f32> same(values.size()), sums(values.size());
  back.into(same)(values);
  f.into(sums)(values);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += std::abs(same[i] - std::exp(values[i])) > 1e-6f;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t c = 0; c < 16; ++c) {
          const std::size_t row = (i * 3 + j) * 4 + k;  // of (6, 4)
          const f32 expected = values[(row % 4 * 6 + row / 4) * 16 + c] + values[row * 16 + c];
          wrong += std::abs(sums[((i * 4 + k) * 3 + j) * 16 + c] - expected) > 1e-6f;
        }
  CHECK(wrong == 0);
}

TEST_CASE("hoist permutes: in the gradient of a layer whose heads one product makes") {
  constexpr auto x = in<f64, batch * length, 8>;
  constexpr auto w = in<f64, 8, 3 * heads * width>;
  for (const std::string& step :
       steps(gradient_of_weight, in<f32, batch * length, 8>, in<f32, 8, 3 * heads * width>))
    CHECK(step.find("map (3, 3, 4, 70, 16)") == std::string::npos);  // in the order of the heads
  std::vector<f64> of_x, of_w;
  for (const f32 v : wave(batch * length * 8, 0.37)) of_x.push_back(static_cast<f64>(v));
  for (const f32 v : wave(8 * 3 * heads * width, 0.71)) of_w.push_back(static_cast<f64>(v));
  auto value = compile(Cpu{}, loss, x, w);
  auto f = compile(Cpu{}, gradient_of_weight, x, w);
  std::vector<f64> g(of_w.size());
  f.into(g)(of_x, of_w);
  for (const std::size_t k : {std::size_t{0}, std::size_t{200}, std::size_t{777}, of_w.size() - 1}) {
    const f64 step = 1e-5, at = of_w[k];
    of_w[k] = at + step;
    const f64 above = value(of_x, of_w);
    of_w[k] = at - step;
    const f64 below = value(of_x, of_w);
    of_w[k] = at;
    CHECK(g[k] == doctest::Approx((above - below) / (2 * step)).epsilon(1e-6));
  }
}

TEST_CASE(
    "hoist permutes: not where rows are cut up, numbers are drawn, or something else reads the values") {
  constexpr auto x = in<f32, 4, 6, 16>;
  const auto count = [](auto f, auto... i) { return steps(f, i...).size(); };
  CHECK(count([](auto a) { return reshape<64, 6>(permute<0, 2, 1>(a * 2.0f)); }, x) == 2);
  CHECK(count([](auto a) { return reshape<24, 16>(permute<1, 0, 2>(a * 2.0f)); }, x) == 1);
  const auto read_twice = [](auto a) {
    const auto y = exp(a);
    return std::tuple{reshape<24, 16>(permute<1, 0, 2>(y)), y};
  };
  auto f = compile(Cpu{}, read_twice, x);
  const auto values = wave(4 * 6 * 16, 0.37);
  std::vector<f32> turned(values.size()), y(values.size());
  f.into(turned, y)(values);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j) CHECK(turned[(j * 4 + i) * 16 + 3] == y[(i * 6 + j) * 16 + 3]);
}
