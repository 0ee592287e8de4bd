// Convolutions on tensor cores against the host's. Operands are small multiples of 1/8, whose products and
// sums f32 holds exactly, whatever their order: results are equal, not nearly so.
#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include "weft/cuda.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/conv.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/movement.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;

namespace {

template <class T>
std::vector<T> eighths(i64 count, u32 seed) {
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<T>(static_cast<f32>(static_cast<int>(seed >> 27) - 16) / 8);
  }
  return x;
}

// f(x, w) and the gradients of the sum of its products with g.
template <class F>
struct WithGradients {
  constexpr auto operator()(auto x, auto w, auto g) const {
    const auto [dx, dw] =
        grad<0, 1>([](auto x_, auto w_, auto g_) { return sum(F{}(x_, w_) * g_); })(x, w, g);
    return std::tuple{F{}(x, w), dx, dw};
  }
};

template <class T, class F, class X, class W>
using Y = typename decltype(F{}(std::declval<Expr<T, X>>(), std::declval<Expr<T, W>>()))::shape;

template <class T, class Out, class Device, class F, i64... X, i64... W, i64... G, class... Options>
std::vector<std::vector<f64>> run(const Device& device, F, Shape<X...> x, Shape<W...> w, Shape<G...> g,
                                  Options... options) {
  auto f = compile(device, WithGradients<F>{}, in<T, X...>, in<T, W...>, in<T, G...>, options...);
  std::vector<Out> y(static_cast<std::size_t>(decltype(g)::value.size())),
      dx(static_cast<std::size_t>(decltype(x)::value.size())),
      dw(static_cast<std::size_t>(decltype(w)::value.size()));
  f.into(y, dx, dw)(eighths<T>(static_cast<i64>(dx.size()), 1), eighths<T>(static_cast<i64>(dw.size()), 2),
                    eighths<T>(static_cast<i64>(y.size()), 3));
  std::vector<std::vector<f64>> all;
  for (const auto& result : {y, dx, dw}) {
    all.emplace_back();
    for (const Out v : result) all.back().push_back(static_cast<f64>(static_cast<f32>(v)));
  }
  return all;
}

// No element of a result differs from the wanted one, rounded to Out.
template <class Out>
void compare(const std::vector<std::vector<f64>>& wanted, const std::vector<std::vector<f64>>& got) {
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < wanted[r].size(); ++i)
      if (got[r][i] != static_cast<f64>(static_cast<f32>(static_cast<Out>(static_cast<f32>(wanted[r][i])))))
        ++wrong;
    CAPTURE(r);
    CHECK(wrong == 0);
  }
}

// Under a policy, which rounds some gradients.
template <class F, class X, class W, class Policy>
void check_under(Policy policy, F f, X x, W w) {
  const Y<f32, F, X, W> g;
  compare<f32>(run<f32, f32>(Cpu{}, f, x, w, g, policy), run<f32, f32>(Cuda{0}, f, x, w, g, policy));
}
// Of operands and results of T.
template <class T, class F, class X, class W>
void check_of(F f, X x, W w) {
  const Y<T, F, X, W> g;
  compare<T>(run<f64, f64>(Cpu{}, f, x, w, g), run<T, T>(Cuda{0}, f, x, w, g));
}

template <ConvOptions Options>
struct Conv {
  constexpr auto operator()(auto x, auto w) const { return conv2d<Options>(x, w); }
};

}  // namespace

TEST_CASE("conv: edges, strides, dilations and groups that fill no tile, in bf16") {
  check_under(precision::bf16, Conv<ConvOptions{.padding = 1}>{}, Shape<3, 20, 13, 11>{},
              Shape<70, 20, 3, 3>{});
  check_under(precision::bf16,
              Conv<ConvOptions{.stride = {2, 1}, .padding = {2, 0}, .dilation = {1, 2}, .groups = 2}>{},
              Shape<2, 24, 14, 17>{}, Shape<18, 12, 5, 3>{});
  check_under(precision::bf16, Conv<ConvOptions{.stride = 2, .padding = 3}>{}, Shape<2, 3, 31, 30>{},
              Shape<64, 3, 7, 7>{});
  check_under(precision::bf16, Conv<ConvOptions{}>{}, Shape<4, 130, 8, 8>{}, Shape<65, 130, 1, 1>{});
}

TEST_CASE("conv: long sums over few results are cut, and added up in order") {
  check_under(precision::bf16, Conv<ConvOptions{.padding = 1}>{}, Shape<1, 600, 4, 4>{},
              Shape<16, 600, 3, 3>{});
  check_under(precision::bf16, Conv<ConvOptions{.padding = 1}>{}, Shape<33, 8, 16, 16>{},
              Shape<16, 8, 3, 3>{});
}

TEST_CASE("conv: one and three spatial axes, transposed ones, channels last") {
  check_under(
      precision::bf16, [](auto x, auto w) { return conv1d<ConvOptions{.stride = 3, .padding = 2}>(x, w); },
      Shape<4, 12, 50>{}, Shape<24, 12, 7>{});
  check_under(
      precision::bf16, [](auto x, auto w) { return conv3d<ConvOptions{.padding = 1}>(x, w); },
      Shape<2, 9, 5, 6, 7>{}, Shape<10, 9, 3, 3, 3>{});
  check_under(
      precision::bf16,
      [](auto x, auto w) { return conv_transpose2d<ConvTransposeOptions{.stride = 2, .padding = 1}>(x, w); },
      Shape<3, 16, 7, 6>{}, Shape<16, 9, 3, 4>{});
  check_under(
      precision::bf16,
      [](auto x, auto w) { return conv2d<ConvOptions{.padding = 1}>(permute<0, 3, 1, 2>(x), w); },
      Shape<2, 9, 10, 24>{}, Shape<16, 24, 3, 3>{});
}

TEST_CASE("conv: f16, and bf16 from end to end; f32 by tf32") {
  check_of<f16>(Conv<ConvOptions{.padding = 1}>{}, Shape<2, 16, 9, 9>{}, Shape<12, 16, 3, 3>{});
  check_of<bf16>(Conv<ConvOptions{.padding = "same"}>{}, Shape<3, 8, 9, 9>{}, Shape<12, 8, 3, 3>{});
  check_under(precision::tf32, Conv<ConvOptions{.stride = 2, .padding = 1}>{}, Shape<3, 18, 13, 12>{},
              Shape<20, 18, 3, 3>{});
}
