#include "weft/ops/index/sort.hpp"

#include <algorithm>

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("sort: values and places, NaN greatest, ties in order") {
  check_group(
      "sort",
      [](auto z, auto s, auto n) {
        const auto [sorted, places] = sort<1>(z);
        const auto [special, special_at] = sort<1>(s);
        const auto [down, down_at] = sort<1>(s, descending);
        const auto [whole, whole_at] = sort<1>(n);
        const auto [top, top_at] = topk<3, 1>(z);
        const auto [low, low_at] = topk<2>(z, smallest);
        const auto [kth, kth_at] = kthvalue<3, 1>(z);
        const auto [middle, middle_at] = median<1>(z);
        return std::tuple{sorted,
                          places,
                          special,
                          special_at,
                          down,
                          down_at,
                          whole,
                          whole_at,
                          argsort<0>(z),
                          argsort<1>(n, descending),
                          msort(z),
                          top,
                          top_at,
                          low,
                          low_at,
                          kth,
                          kth_at,
                          std::get<0>(kthvalue<2, 0>(z, keepdim)),
                          middle,
                          middle_at,
                          median(z),
                          std::get<0>(median<1>(s)),
                          std::get<0>(nanmedian<1>(s)),
                          std::get<0>(median<0>(z)),
                          quantile<1>(z, 0.3),
                          quantile(z, 0.75),
                          quantile<1>(slice<1, 0, 2>(s), 0.5),
                          nanquantile<1>(slice<0, 0, 2>(slice<1, 0, 1>(s)), 0.5),
                          quantile<2>(z, 0.5, keepdim)};
      },
      in<f32, 2, 7, 3>, in<f32, 4, 4>, in<i64, 3, 6>);
}

TEST_CASE("sort: gradients reach the elements that were chosen") {
  check_group(
      "sort_gradient",
      [](auto z) {
        return std::tuple{weighted<0>([](auto v) { return std::get<0>(sort<1>(v)); })(z),
                          weighted<0>([](auto v) { return std::get<0>(topk<2, 2>(v)); })(z),
                          weighted<0>([](auto v) { return std::get<0>(kthvalue<3, 1>(v)); })(z),
                          weighted<0>([](auto v) { return std::get<0>(median<1>(v)); })(z),
                          weighted<0>([](auto v) { return quantile<1>(v, 0.3); })(z)};
      },
      in<f32, 2, 7, 3>);
}

TEST_CASE("sort: where values belong in sorted lines") {
  check_group(
      "search",
      [](auto s, auto v, auto lines, auto w) {
        return std::tuple{searchsorted(s, v), searchsorted(s, v, right_side), searchsorted(lines, w),
                          bucketize(v, s),    bucketize(v, s, right_side),    isin(v, s)};
      },
      in<f32, 6>, in<f32, 2, 3>, in<f32, 2, 5>, in<f32, 2, 3>);
}

namespace {
// Every length that another way of sorting is used for, against the C++ library.
template <class T, i64 N>
void check_length() {
  auto f = compile(
      Cpu{2},
      [](auto x) {
        return std::tuple{argsort(x), std::get<1>(topk<(N + 8) / 9>(x))};
      },
      Input<T, Shape<3, N>>{});
  std::vector<T> x(static_cast<std::size_t>(3 * N));
  u64 state = 1;
  for (T& v : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<T>(static_cast<i64>(state >> 40) % (N < 100 ? 20 : 5000) - 10);
  }
  const auto [places, top] = f(x);
  for (i64 row = 0; row < 3; ++row) {
    std::vector<i64> order(static_cast<std::size_t>(N));
    for (i64 i = 0; i < N; ++i) order[static_cast<std::size_t>(i)] = i;
    const auto at = [&](i64 i) { return x[static_cast<std::size_t>(row * N + i)]; };
    std::stable_sort(order.begin(), order.end(), [&](i64 i, i64 j) { return at(i) < at(j); });
    const auto got = places.to_vector();
    CHECK(std::equal(order.begin(), order.end(), got.begin() + row * N));
    std::stable_sort(order.begin(), order.end(), [&](i64 i, i64 j) { return at(i) > at(j); });
    const auto first = top.to_vector();
    CHECK(std::equal(order.begin(), order.begin() + (N + 8) / 9, first.begin() + row * ((N + 8) / 9)));
  }
}
}  // namespace

TEST_CASE("sort: lines of every length") {
  check_length<f32, 1>();
  check_length<f32, 100>();
  check_length<f64, 1500>();
  check_length<i32, 5000>();
  check_length<i64, 3000>();
}

TEST_CASE("sort: views are sorted where they lie, values come by one more kernel") {
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return argsort<0>(transpose<0, 1>(x)); }, in<f32, 6, 9>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return std::get<0>(topk<2>(x)); }, in<f32, 6, 9>))::launches() == 2);
}
