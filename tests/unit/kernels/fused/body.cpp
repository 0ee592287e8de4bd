#include "weft/kernels/fused/body.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/same_bits.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::testing::normal_numbers;
using weft::testing::same_bits;

// Batches of rows with sums of their own: reductions along axes between others.

namespace {

// f over the middle of (outer, middle, inner), element by element.
template <class T, class F>
std::vector<double> along_middle(const std::vector<T>& x, i64 outer, i64 middle, i64 inner, double start,
                                 F f) {
  std::vector<double> r(static_cast<std::size_t>(outer * inner), start);
  for (i64 o = 0; o < outer; ++o)
    for (i64 m = 0; m < middle; ++m)
      for (i64 i = 0; i < inner; ++i) {
        double& to = r[static_cast<std::size_t>(o * inner + i)];
        to = f(to, static_cast<double>(x[static_cast<std::size_t>((o * middle + m) * inner + i)]));
      }
  return r;
}
template <class R>
double worst(const R& result, const std::vector<double>& wanted) {
  const auto got = result.to_vector();
  REQUIRE(got.size() == wanted.size());
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double off = std::abs(static_cast<double>(got[i]) - wanted[i]) / std::max(1.0, std::abs(wanted[i]));
    if (!(off <= most)) most = off;
  }
  return most;
}

// Shapes: batches of one chunk and of several, chunks of several batches, rows narrower than a value and
// wider than a tile, parts of unequal length, sums that count what rounding loses.
template <class T, i64 O, i64 M, i64 I>
struct Box {
  using dtype = T;
  static constexpr i64 outer = O, middle = M, inner = I;
};

constexpr auto middle = [](auto p, auto q) { return sum<1>(p * q); };

}  // namespace

TEST_CASE_TEMPLATE("body: reductions along an axis between others", S, Box<f32, 32, 17, 40>,
                   Box<f32, 1000, 3, 5>, Box<f32, 3, 5000, 33>, Box<f32, 5, 901, 3>, Box<f32, 2, 100003, 2>,
                   Box<f32, 4, 7, 5003>, Box<f32, 40, 300, 65>, Box<f64, 6, 129, 31>, Box<i32, 9, 40, 20>,
                   Box<i64, 3, 77, 10>) {
  using T = typename S::dtype;
  constexpr i64 O = S::outer, M = S::middle, I = S::inner;
  const auto v = normal_numbers<T>(O * M * I, 3);
  const Tensor<T, Shape<O, M, I>> x(v);
  const double rounding = std::is_same_v<T, f32> ? 2e-5 : 1e-12;
  for (const int threads : {1, 2}) {
    auto f = compile(
        Cpu{threads},
        [](auto p) {
          return std::tuple{sum<1>(p), amax<1>(p), amin<1>(p), sum<1>(p * p)};
        },
        in<T, O, M, I>);
    const auto [all, most, least, squares] = f(x);
    CHECK(worst(all, along_middle(v, O, M, I, 0, [](double a, double b) { return a + b; })) <= rounding * 8);
    CHECK(worst(most, along_middle(v, O, M, I, -1e300, [](double a, double b) { return std::max(a, b); })) ==
          0);
    CHECK(worst(least, along_middle(v, O, M, I, 1e300, [](double a, double b) { return std::min(a, b); })) ==
          0);
    CHECK(worst(squares, along_middle(v, O, M, I, 0, [](double a, double b) { return a + b * b; })) <=
          rounding);
  }
}

TEST_CASE("body: products, booleans, and several axes at once") {
  const auto v = normal_numbers<f32>(3 * 4 * 5 * 6 * 7, 5);
  const Tensor<f32, Shape<3, 4, 5, 6, 7>> x(v);
  auto f = compile(
      Cpu{},
      [](auto p) {
        return std::tuple{sum<1, 2>(p), sum<2, 3>(p),  sum<1, 2, 3>(p),      prod<3>(p),
                          sum<1>(p),    any<2>(p > 2), all<1, 2>(p > -2.5f), mean<2, 3>(cast<bf16>(p))};
      },
      in<f32, 3, 4, 5, 6, 7>);
  const auto [a, b, c, d, sums, g, h, k] = f(x);
  const auto plus = [](double s, double t) { return s + t; };
  CHECK(worst(a, along_middle(v, 3, 20, 42, 0, plus)) < 1e-5);
  CHECK(worst(b, along_middle(v, 12, 30, 7, 0, plus)) < 1e-5);
  CHECK(worst(c, along_middle(v, 3, 120, 7, 0, plus)) < 1e-5);
  CHECK(worst(d, along_middle(v, 60, 6, 7, 1, [](double s, double t) { return s * t; })) < 1e-5);
  CHECK(worst(sums, along_middle(v, 3, 4, 210, 0, plus)) < 1e-5);
  CHECK(worst(g, along_middle(v, 12, 5, 42, 0, [](double s, double t) { return s != 0 || t > 2; })) == 0);
  CHECK(worst(h, along_middle(v, 3, 20, 42, 1, [](double s, double t) { return s != 0 && t > -2.5f; })) == 0);
  std::vector<double> means = along_middle(v, 12, 30, 7, 0, plus);
  for (double& m : means) m /= 30;
  CHECK(worst(k, means) < 0.01);
}

// What makes the operand, and what else the kernel stores, does not change a sum's order.
TEST_CASE_TEMPLATE("body: a sum of a batch has one order, whatever its kernel does besides", S,
                   Box<f32, 3, 700, 40>, Box<f32, 50, 9, 21>, Box<f32, 2, 3, 6000>) {
  constexpr i64 O = S::outer, M = S::middle, I = S::inner;
  constexpr auto X = in<f32, O, M, I>;
  const Tensor<f32, Shape<O, M, I>> x(normal_numbers<f32>(O * M * I, 1)),
      y(normal_numbers<f32>(O * M * I, 2));
  const auto alone = compile(Cpu{}, middle, X, X)(x, y);
  auto beside = compile(
      Cpu{},
      [](auto p, auto q) {
        return std::tuple{middle(p, q), p * q, sum<2>(p * q), sum<0>(p * q), sum<>(p * q), softmax<1>(p * q)};
      },
      X, X);
  const auto [again, products, rows, columns, total, soft] = beside(x, y);
  CHECK(same_bits(again, alone));
  auto of_memory = compile(
      Cpu{},
      [](auto p) {
        return std::tuple{sum<1>(p), sum<2>(p), sum<0>(p), sum<>(p)};
      },
      X);
  const auto [memory, memory_rows, memory_columns, memory_total] = of_memory(products);
  CHECK(same_bits(memory, alone));
  CHECK(same_bits(memory_rows, rows));
  CHECK(same_bits(memory_columns, columns));
  CHECK(same_bits(memory_total, total));
  const auto ones = compile(
      Cpu{}, [](auto p) { return sum<1>(p); }, X)(soft);
  double off = 0;
  for (const float v : ones.to_vector()) off = std::max(off, std::abs(static_cast<double>(v) - 1));
  CHECK(off < 1e-5);
}

TEST_CASE("body: long sums of batches keep their digits") {
  const Tensor<f32, Shape<3, 300000, 2>> narrow(std::vector<float>(1800000, 0.1f));
  const Tensor<f32, Shape<40, 3000, 8>> rows(std::vector<float>(960000, 0.1f));
  const auto mean_of = [](auto p) { return mean<1>(p); };
  const double tenth = 0.1f;
  for (const float v : compile(Cpu{}, mean_of, in<f32, 3, 300000, 2>)(narrow).to_vector())
    CHECK(std::abs(v - tenth) < 1e-7);
  for (const float v : compile(Cpu{}, mean_of, in<f32, 40, 3000, 8>)(rows).to_vector())
    CHECK(std::abs(v - tenth) < 1e-7);
}

// Rows of which several are one value, in every way that they are read and written: neighbours or not, with
// windows and indices, in numbers that fill no value, and of every size of element.
TEST_CASE_TEMPLATE("body: maps of narrow rows", S, Box<f32, 7, 33, 2>, Box<f32, 3, 50, 3>, Box<f64, 5, 17, 8>,
                   Box<bf16, 2, 100, 5>, Box<i32, 4, 31, 4>, Box<u8, 3, 70, 2>, Box<i64, 2, 9, 7>,
                   Box<f32, 300, 301, 2>, Box<f32, 1, 5, 6>) {
  using T = typename S::dtype;
  constexpr i64 O = S::outer, M = S::middle, I = S::inner;
  constexpr auto maps = [](auto p, auto q) {
    const auto parts = select<-1, 0>(p);
    return std::tuple{stack<-1>(parts, select<-1, 1>(q)),
                      p + select<0, 0>(q),
                      transpose<0, 1>(p) + transpose<0, 1>(q),
                      flip<-1>(p) + p,
                      pad<1, 2>(p),
                      roll<1, -1>(p) + q,
                      p * slice<-1, 0, 1>(q) + transpose<1, 2>(reshape<O, I, M>(q)),
                      where(p > q, p, q * 2),
                      cast<f32>(p) + cast<f32>(arange<i32, 0, I>()),
                      transpose<1, 2>(reshape<O, I, M>(p)) + p,
                      cat<-1>(p, slice<-1, 0, 1>(q)),
                      stack<-1>(reshape<O * M * I>(p), reshape<O * M * I>(q))};
  };
  const auto v = normal_numbers<T>(O * M * I, 7), w = normal_numbers<T>(O * M * I, 8);
  const Tensor<T, Shape<O, M, I>> x(v), y(w);
  const auto interpreted = compile(Interpreter{}, maps, in<T, O, M, I>, in<T, O, M, I>)(x, y);
  for (const int threads : {1, 2}) {
    const auto computed = compile(Cpu{threads}, maps, in<T, O, M, I>, in<T, O, M, I>)(x, y);
    int wrong = 0;
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      ((wrong += !same_bits(std::get<K>(computed), std::get<K>(interpreted))), ...);
    }
    (std::make_index_sequence<12>{});
    CHECK(wrong == 0);
  }
}
