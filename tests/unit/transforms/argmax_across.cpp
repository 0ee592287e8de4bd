#include "weft/transforms/argmax_across.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

// The first of the best of n values, NaN before everything.
template <class At>
i64 best_of(At at, i64 n, bool greatest) {
  i64 best = 0;
  for (i64 i = 1; i < n; ++i) {
    const auto a = at(best), b = at(i);
    if (a != a) break;
    if (b != b || (greatest ? b > a : b < a)) best = i;
  }
  return best;
}

// Many equal values; of floats rows of infinities, NaNs and zeros of both signs.
template <class T>
std::vector<T> numbers(i64 rows, i64 cols) {
  std::mt19937 random(5);
  std::vector<T> v(static_cast<std::size_t>(rows * cols));
  for (T& x : v) x = static_cast<T>(static_cast<int>(random() % 41) - (std::is_unsigned_v<T> ? 0 : 20));
  if constexpr (std::is_floating_point_v<T>) {
    const auto row = [&](i64 r) { return v.begin() + r * cols; };
    for (i64 r = 3; r < rows; r += 3)
      row(r)[random() % static_cast<unsigned>(cols)] = std::numeric_limits<T>::quiet_NaN();
    std::fill(row(1), row(2), -std::numeric_limits<T>::infinity());
    std::fill(row(2) + cols / 2, row(3), std::numeric_limits<T>::infinity());
    for (i64 c = 0; c < cols; ++c) row(0)[c] = c % 2 == 0 ? T(0) : -T(0);
  }
  return v;
}

template <class T, i64 R, i64 C>
struct Table {
  using dtype = T;
  static constexpr i64 rows = R, cols = C;
};

}  // namespace

TEST_CASE_TEMPLATE("argmax_across: along rows, across them, and over all", S, Table<f32, 9, 5>,
                   Table<f32, 20, 100>, Table<f64, 20, 100>, Table<i32, 33, 64>, Table<i64, 7, 77>,
                   Table<f32, 5, 1000>, Table<u8, 6, 50>, Table<f64, 40, 3>) {
  using T = typename S::dtype;
  constexpr i64 R = S::rows, C = S::cols;
  const auto v = numbers<T>(R, C);
  const auto at = [&](i64 r, i64 c) { return v[static_cast<std::size_t>(r * C + c)]; };
  for (const int threads : {1, 2}) {
    auto f = compile(
        Cpu{threads},
        [](auto p) {
          return std::tuple{argmax<1>(p), argmin<1>(p), argmax<0>(p), argmin<0>(p), argmax<>(p), argmin<>(p)};
        },
        in<T, R, C>);
    const auto [most, least, most_across, least_across, most_of_all, least_of_all] = f(v);
    int wrong = 0;
    for (i64 r = 0; r < R; ++r) {
      const auto row = [&](i64 c) { return at(r, c); };
      wrong += most.to_vector()[static_cast<std::size_t>(r)] != best_of(row, C, true);
      wrong += least.to_vector()[static_cast<std::size_t>(r)] != best_of(row, C, false);
    }
    for (i64 c = 0; c < C; ++c) {
      const auto column = [&](i64 r) { return at(r, c); };
      wrong += most_across.to_vector()[static_cast<std::size_t>(c)] != best_of(column, R, true);
      wrong += least_across.to_vector()[static_cast<std::size_t>(c)] != best_of(column, R, false);
    }
    const auto all = [&](i64 i) { return v[static_cast<std::size_t>(i)]; };
    CHECK(wrong == 0);
    CHECK(most_of_all.item() == best_of(all, R * C, true));
    CHECK(least_of_all.item() == best_of(all, R * C, false));
  }
}

TEST_CASE("argmax_across: of half precision, between other axes, in a loop") {
  const auto v = numbers<f32>(6, 4 * 7);
  auto f = compile(
      Cpu{},
      [](auto p) {
        const auto x = reshape<6, 4, 7>(p);
        const auto places = loop<3>([&](auto c) { return c + argmax<1>(x); }, argmax<1>(x) * 0);
        return std::tuple{argmax<1>(cast<bf16>(x)), argmin<1>(cast<f16>(x), keepdim), places};
      },
      in<f32, 6, 28>);
  const auto [most, least, summed] = f(v);
  int wrong = 0;
  for (i64 r = 0; r < 6; ++r)
    for (i64 c = 0; c < 7; ++c) {
      const auto line = [&](i64 k) { return v[static_cast<std::size_t>(r * 28 + k * 7 + c)]; };
      const auto i = static_cast<std::size_t>(r * 7 + c);
      wrong += most.to_vector()[i] != best_of(line, 4, true);
      wrong += least.to_vector()[i] != best_of(line, 4, false);
      wrong += summed.to_vector()[i] != 3 * best_of(line, 4, true);
    }
  CHECK(wrong == 0);
}
