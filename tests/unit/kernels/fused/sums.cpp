#include "weft/kernels/fused/sums.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/same_bits.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::testing::normal_numbers;
using weft::testing::same_bits;

// The order of every sum depends on its own extents and dtype alone: the same sum has the same bits alone,
// beside other work over the same elements, of a view and of a copy, and of values that the kernel makes
// itself.

namespace {

template <class T, int R, int C>
struct Table {
  static constexpr auto X = in<T, R, C>;
  static constexpr auto Z = in<T, C, R>;
  static constexpr auto B = in<T, C>;
  static constexpr auto V = in<T, R, 1>;
  Tensor<T, Shape<R, C>> x{normal_numbers<T>(R * C, 1)}, y{normal_numbers<T>(R * C, 2)};
  Tensor<T, Shape<C, R>> z{normal_numbers<T>(R * C, 3)};
  Tensor<T, Shape<C>> b{normal_numbers<T>(C, 4)};
};

constexpr auto total = [](auto p, auto q) { return sum<>(p * q); };
constexpr auto along_rows = [](auto p, auto q) { return sum<1>(p * q); };
constexpr auto along_columns = [](auto p, auto q) { return sum<0>(p * q); };
constexpr auto of_squares = [](auto p) { return sum<>(p * p); };
constexpr auto product = [](auto p) { return prod<>(p * 0.25f + 1.0f); };

constexpr auto sums = [](auto v) {
  return std::tuple{sum<2, 3>(v * v), sum<>(v * v), sum<0, 1>(v * v), sum<1, 2>(v), sum<0, 2, 3>(v)};
};

}  // namespace

// Shapes: rows that are whole values and that are not, one chunk and several, rows longer than a tile,
// sums of blocks within rows, across them and of columns.
TEST_CASE_TEMPLATE("sums: a sum has one order, whatever its kernel does besides", S, Table<f32, 64, 10>,
                   Table<f32, 300, 77>, Table<f64, 300, 96>, Table<f32, 17, 2000>, Table<f32, 4, 5000>,
                   Table<f32, 9, 3001>, Table<f32, 7000, 3>) {
  constexpr auto X = S::X;
  S s;
  const auto t = compile(Cpu{}, total, X, X)(s.x, s.y);
  SUBCASE("the three sums in one program, and beside a softmax") {
    const auto r = compile(Cpu{}, along_rows, X, X)(s.x, s.y);
    const auto c = compile(Cpu{}, along_columns, X, X)(s.x, s.y);
    auto f = compile(
        Cpu{},
        [](auto p, auto q) {
          return std::tuple{total(p, q), along_rows(p, q), along_columns(p, q)};
        },
        X, X);
    const auto [ft, fr, fc] = f(s.x, s.y);
    CHECK(same_bits(ft, t));
    CHECK(same_bits(fr, r));
    CHECK(same_bits(fc, c));
    auto g = compile(
        Cpu{},
        [](auto p, auto q) {
          return std::tuple{total(p, q), along_columns(p, q), along_rows(p, q), softmax<1>(p * q)};
        },
        X, X);
    const auto [total_again, columns_again, rows_again, soft] = g(s.x, s.y);
    CHECK(same_bits(total_again, t));
    CHECK(same_bits(columns_again, c));
    CHECK(same_bits(rows_again, r));
  }
  SUBCASE("in a walk that is not flat") {
    auto f = compile(
        Cpu{},
        [](auto p, auto q, auto z, auto b) {
          return std::tuple{total(p, q), p * q * transpose<0, 1>(z) + b};
        },
        X, X, S::Z, S::B);
    const auto [ft, fz] = f(s.x, s.y, s.z, s.b);
    CHECK(same_bits(ft, t));
    auto g = compile(
        Cpu{},
        [](auto p, auto q) {
          return std::tuple{total(p, q), pad<1, 2>(p * q)};
        },
        X, X);
    const auto [total_again, padded] = g(s.x, s.y);
    CHECK(same_bits(total_again, t));
  }
  SUBCASE("of what the kernel makes itself") {
    auto f = compile(
        Cpu{},
        [](auto p) {
          const auto soft = softmax<1>(p);
          return std::tuple{soft, of_squares(soft), sum<0>(soft), product(soft)};
        },
        X);
    const auto [soft, squares, columns, factors] = f(s.x);
    CHECK(same_bits(squares, compile(Cpu{}, of_squares, X)(soft)));
    CHECK(same_bits(columns, compile(
                                 Cpu{}, [](auto p) { return sum<0>(p); }, X)(soft)));
    CHECK(same_bits(factors, compile(Cpu{}, product, X)(soft)));
  }
  SUBCASE("of one number a row") {
    auto f = compile(
        Cpu{},
        [](auto p) {
          const auto most = amax<1>(p, keepdim);
          return std::tuple{most, of_squares(most), product(most)};
        },
        X);
    const auto [most, squares, factors] = f(s.x);
    CHECK(same_bits(squares, compile(Cpu{}, of_squares, S::V)(most)));
    CHECK(same_bits(factors, compile(Cpu{}, product, S::V)(most)));
    auto alone = compile(
        Cpu{}, [](auto p) { return of_squares(amax<1>(p, keepdim)); }, X);
    CHECK(same_bits(alone(s.x), squares));
  }
}

// A tenth added up a million times one after another is off by a thousandth. Wide columns add up to 256 rows
// so.
TEST_CASE_TEMPLATE("sums: long ones keep their digits", S, Shape<200003, 3>, Shape<3, 100000>,
                   Shape<20000, 64>, Shape<4, 30001, 2>, Shape<600000>) {
  constexpr auto X = []<i64... E>(Shape<E...>) { return in<f32, E...>; }
  (S{});
  Tensor<f32, S> x(std::vector<float>(static_cast<std::size_t>(S::size), 0.1f));
  const auto means = [](auto p) {
    if constexpr (S::rank == 1)
      return std::tuple{mean<>(p), mean<>(p * p), sum<>(p)};
    else if constexpr (S::rank == 2)
      return std::tuple{mean<>(p), mean<0>(p), mean<1>(p), mean<>(amax<1>(p)), var<0>(p)};
    else
      return std::tuple{mean<>(p), mean<1>(p), mean<1, 2>(p), mean<0, 2>(p), mean<0, 1>(p)};
  };
  const double tenth = 0.1f;
  constexpr double within = std::is_same_v<S, Shape<20000, 64>> ? 5e-6 : 1e-6;
  const auto check = [&](const auto& result) {
    int wrong = 0;
    for (const float v : result.to_vector()) {
      const double wanted = v > 1 ? tenth * S::size : v > 0.05f ? tenth : v > 0.005f ? tenth * tenth : 0;
      if (!(std::abs(v - wanted) <= within * wanted + 1e-11)) ++wrong;
    }
    CHECK(wrong == 0);
  };
  std::apply([&](const auto&... results) { (check(results), ...); }, compile(Cpu{}, means, X)(x));
}

TEST_CASE("sums: long ones of infinities and NaNs are what short ones are") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr auto X = in<f32, 3000, 3>;
  auto f = compile(
      Cpu{},
      [](auto p) {
        return std::tuple{sum<>(p), sum<0>(p), sum<1>(transpose<0, 1>(p))};
      },
      X);
  const auto sums_of = [&](std::initializer_list<std::pair<int, float>> special) {
    std::vector<float> v(9000, 1.0f);
    for (const auto& [at, value] : special) v[static_cast<std::size_t>(at)] = value;
    const auto [all_of_it, columns, rows] = f(Tensor<f32, Shape<3000, 3>>(v));
    return std::array{all_of_it.item(), columns.to_vector()[1], rows.to_vector()[1]};
  };
  const auto all = [](float v) { return std::array{v, v, v}; };
  CHECK(sums_of({{4, inf}}) == all(inf));
  CHECK(sums_of({{4000, -inf}}) == all(-inf));
  CHECK(sums_of({{4, 3e38f}, {7, 3e38f}}) == all(inf));  // overflow
  CHECK(sums_of({{8998, inf}}) == all(inf));             // in the last block
  for (const float v : sums_of({{4, inf}, {4000, -inf}})) CHECK(std::isnan(v));
  for (const float v : sums_of({{4, std::nanf("")}})) CHECK(std::isnan(v));
}

// What ranks that have pieces of a total do (decision 30).
TEST_CASE("sums: a total is the sum along the rows of its chunks") {
  const auto check = []<i64 R, i64 C, i64 Chunks>(std::integer_sequence<i64, R, C, Chunks>) {
    const Tensor<f32, Shape<R, C>> x(normal_numbers<f32>(R * C, 6));
    auto whole = compile(
        Cpu{}, [](auto p) { return sum<>(p); }, in<f32, R, C>);
    auto parts = compile(
        Cpu{}, [](auto p) { return sum<1>(p); }, in<f32, Chunks, R * C / Chunks>);
    auto all = compile(
        Cpu{}, [](auto p) { return select<0, 0>(sum<0>(expand<Chunks, 2>(reshape<Chunks, 1>(p)))); },
        in<f32, Chunks>);
    const Tensor<f32, Shape<Chunks, R * C / Chunks>> y(x.to_vector());
    CHECK(same_bits(whole(x), all(parts(y))));
  };
  check(std::integer_sequence<i64, 2048, 64, 8>{});
  check(std::integer_sequence<i64, 20480, 64, 80>{});
  check(std::integer_sequence<i64, 76800, 64, 300>{});
  check(std::integer_sequence<i64, 12288, 64, 48>{});
}

TEST_CASE("sums: those over several axes of views are those of copies") {
  constexpr auto X = in<f32, 8, 16, 14, 9>;
  constexpr auto Z = in<f32, 8, 16, 9, 14>;
  const Tensor<f32, Shape<8, 16, 9, 14>> z(normal_numbers<f32>(8 * 16 * 14 * 9, 5));
  auto copy = compile(
      Cpu{}, [](auto v) { return transpose<2, 3>(v); }, Z);
  const Tensor<f32, Shape<8, 16, 14, 9>> x(copy(z).to_vector());
  const auto [a, b, c, d, e] = compile(Cpu{}, sums, X)(x);
  auto of_view = compile(
      Cpu{}, [](auto v) { return sums(transpose<2, 3>(v)); }, Z);
  const auto [va, vb, vc, vd, ve] = of_view(z);
  CHECK(same_bits(va, a));
  CHECK(same_bits(vb, b));
  CHECK(same_bits(vc, c));
  CHECK(same_bits(vd, d));
  CHECK(same_bits(ve, e));
}
