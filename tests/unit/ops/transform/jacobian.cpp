#include "weft/ops/transform/jacobian.hpp"

#include "support/parity.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/reduce/scan.hpp"

using namespace weft;
using weft::testing::check_group;
using weft::testing::test_device;

TEST_CASE("jacrev, jacfwd, hessian: of vectors, agree with torch.func") {
  check_group(
      "func_jacobian",
      [](auto w, auto v) {
        const auto f = [&](auto z) { return tanh(matmul(w, z)) * sum(z); };
        const auto g = [&](auto z) { return sum(square(f(z))); };
        return std::tuple{jacrev(f)(v), jacfwd(f)(v), hessian(g)(v)};
      },
      in<f64, 3, 4>, in<f64, 4>);
}

TEST_CASE("jacrev, jacfwd, hessian: of matrices, by a later argument, of each sample and nested, too") {
  check_group(
      "func_jacobian_shapes",
      [](auto a, auto b, auto samples) {
        const auto f = [](auto x, auto y) { return tanh(matmul(x, y)) * sum<1>(x, keepdim); };
        const auto net = [&](auto x) { return cumsum<0>(tanh(matmul(a, x))); };
        const auto first = select<0, 0>(samples);
        return std::tuple{jacrev(f)(a, b),
                          jacfwd<1>(f)(a, b),
                          hessian(f)(a, b),
                          hessian<1>(f)(a, b),
                          vmap(jacrev(net))(samples),
                          jacfwd(hessian([&](auto x) { return sum(exp(net(x))); }))(first),
                          grad([&](auto x) { return sum(square(jacfwd(net)(x))); })(first)};
      },
      in<f64, 2, 3>, in<f64, 3, 2>, in<f64, 5, 3>);
}

TEST_CASE("jacrev, jacfwd: of 64 and more elements, and of one") {
  auto f = compile(
      test_device(),
      [](auto x) {
        const auto cubes = [](auto v) { return v * v * v; };
        const auto total = [](auto v) { return sum(v * v); };
        return std::tuple{jacrev(cubes)(x), jacfwd(cubes)(x), jacrev(total)(x), jacfwd(total)(x)};
      },
      in<f64, 8, 9>);
  std::vector<f64> x(72);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.25 * static_cast<f64>(i) - 7;
  const auto [back, forward, slope, along] = f(x);
  static_assert(std::is_same_v<decltype(back)::shape, Shape<8, 9, 8, 9>>);
  static_assert(std::is_same_v<decltype(slope)::shape, Shape<8, 9>>);
  for (std::size_t i = 0; i < 72; ++i) {
    for (std::size_t j = 0; j < 72; ++j) {
      const f64 right = i == j ? 3 * x[i] * x[i] : 0;
      CHECK(back.data()[72 * i + j] == right);
      CHECK(forward.data()[72 * i + j] == right);
    }
    CHECK(slope.data()[i] == 2 * x[i]);
    CHECK(along.data()[i] == 2 * x[i]);
  }
}

namespace {
// A program's own function of that name.
template <class F>
constexpr auto hessian(const F& f) {
  return [f](auto x) { return f(x) + 1; };
}
}  // namespace

TEST_CASE("hessian: a program's own function of the name comes first") {
  auto f = compile(
      test_device(), [](auto x) { return hessian([](auto v) { return v * 2; })(x); }, in<f64, 2>);
  CHECK(f(std::vector<f64>{1, 2})(1) == 5);
}
