#include "weft/ops/index/scatter.hpp"

#include <limits>

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("scatter: sums, products, means and extrema as PyTorch has them") {
  check_group(
      "scatter",
      [](auto x, auto i, auto u, auto few, auto rows, auto v) {
        return std::tuple{
            scatter_add<1>(x, i, u),
            scatter_add<1>(x, few, u),
            scatter<1>(x, few, 2.5),
            scatter_reduce<1>(x, i, u, reduce::sum),
            scatter_reduce<1>(x, i, u, reduce::prod),
            scatter_reduce<1>(x, i, u, reduce::mean),
            scatter_reduce<1>(x, i, u, reduce::amax),
            scatter_reduce<1>(x, i, u, reduce::amin),
            scatter_reduce<1>(x, i, u, reduce::sum, exclude_self),
            scatter_reduce<1>(x, i, u, reduce::prod, exclude_self),
            scatter_reduce<1>(x, i, u, reduce::mean, exclude_self),
            scatter_reduce<1>(x, i, u, reduce::amax, exclude_self),
            index_add<1>(x, rows, v, 0.5),
            index_fill<1>(x, rows, -3),
            index_copy<1>(
                x, where(lt(arange<i32, 4>(), 1), 4, where(eq(arange<i32, 4>(), 1), 0, 4 - arange<i32, 4>())),
                v),
            index_reduce<1>(x, rows, v, reduce::amax),
            scatter_add<1>(i, fmod(i, 6), i)};
      },
      in<f32, 4, 5, 3>, in<i64, 4, 6, 3>, in<f32, 4, 6, 3>, in<i64, 3, 2, 2>, in<i32, 4>, in<f32, 4, 4, 3>);
}

TEST_CASE("scatter: values that are set, and the last of several") {
  check_group(
      "scatter_set",
      [](auto x, auto i, auto u) {
        return std::tuple{scatter<1>(x, i, u), scatter<1>(x, slice<1, 0, 2>(i), u),
                          scatter<1>(x > 0, slice<1, 0, 2>(i), u > 0)};
      },
      in<f32, 4, 5, 3>, in<i64, 4, 5, 3>, in<f32, 4, 5, 3>);
  auto f = compile(
      test_device(), [](auto x, auto i, auto u) { return scatter<0>(x, i, u); }, in<f32, 4>, in<i32, 5>,
      in<f32, 5>);
  CHECK(f(std::vector<f32>{1, 2, 3, 4}, std::vector<i32>{1, 1, -1, 9, 1}, std::vector<f32>{5, 6, 7, 8, 9})
            .to_vector() == std::vector<f32>{1, 9, 3, 7});
}

TEST_CASE("scatter: gradients as PyTorch has them") {
  check_group(
      "index_gradient",
      [](auto x, auto i, auto u, auto rows, auto p, auto w) {
        const auto [add_x, add_u] =
            weighted<0, 1>([i](auto t, auto v) { return scatter_add<1>(t, i, v); })(x, u);
        const auto [set_x, set_u] = weighted<0, 1>(
            [p](auto t, auto v) { return scatter<1>(t, slice<1, 0, 2>(p), slice<1, 0, 2>(v)); })(x, w);
        return std::tuple{
            weighted<0>([i](auto t) { return gather<1>(t, i); })(x),
            weighted<0>([rows](auto t) { return index_select<1>(t, rows); })(x),
            add_x,
            add_u,
            set_x,
            set_u,
            weighted<1>(
                [i](auto t, auto v) { return scatter_reduce<1>(t, i, v, reduce::amax, exclude_self); })(x, u),
            weighted<1>([i](auto t, auto v) { return scatter_reduce<1>(t, i, v, reduce::prod); })(x, u),
            weighted<1>([i](auto t, auto v) { return scatter_reduce<1>(t, i, v, reduce::mean); })(x, u),
            weighted<0>([i](auto t) { return take_along_dim<1>(t, slice<2, 0, 1>(slice<1, 0, 2>(i))); })(x)};
      },
      in<f32, 4, 5, 3>, in<i64, 4, 6, 3>, in<f32, 4, 6, 3>, in<i32, 4>, in<i64, 4, 5, 3>, in<f32, 4, 5, 3>);
}

TEST_CASE("scatter: means of integers are rounded down, as PyTorch's") {
  auto f = compile(
      Cpu{},
      [](auto x, auto i, auto u) {
        return std::tuple{scatter_reduce<0>(x, i, u, reduce::mean),
                          scatter_reduce<0>(x, i, u, reduce::mean, exclude_self)};
      },
      in<i32, 4>, in<i64, 5>, in<i32, 5>);
  const auto [with, without] =
      f(std::vector<i32>{-1, 7, -8, 5}, std::vector<i64>{0, 1, 1, 2, 2}, std::vector<i32>{-2, -2, 3, -1, -2});
  // torch.tensor([-1, 7, -8, 5]).scatter_reduce(0, i, u, "mean"), and with include_self=False
  CHECK(with.to_vector() == std::vector<i32>{-2, 2, -4, 5});
  CHECK(without.to_vector() == std::vector<i32>{-2, 0, -2, 5});
}

TEST_CASE("scatter: least and greatest of i64 leave what no index reaches as it is") {
  auto f = compile(
      Cpu{},
      [](auto x, auto i, auto u) {
        return std::tuple{scatter_reduce<0>(x, i, u, reduce::amin), scatter_reduce<0>(x, i, u, reduce::amax),
                          scatter_reduce<0>(x, i, u, reduce::amin, exclude_self)};
      },
      in<i64, 3>, in<i64, 2>, in<i64, 2>);
  constexpr i64 most = std::numeric_limits<i64>::max(), least = std::numeric_limits<i64>::min();
  const auto [low, high, own] =
      f(std::vector<i64>{most, least, 5}, std::vector<i64>{2, 2}, std::vector<i64>{7, most - 1});
  CHECK(low.to_vector() == std::vector<i64>{most, least, 5});
  CHECK(high.to_vector() == std::vector<i64>{most, least, most - 1});
  CHECK(own.to_vector() == std::vector<i64>{most, least, 7});
}
