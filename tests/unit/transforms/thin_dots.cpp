#include "weft/transforms/thin_dots.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

std::vector<f32> numbers(i64 count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<f32> normal;
  std::vector<f32> v(static_cast<std::size_t>(count));
  for (f32& x : v) x = normal(random);
  return v;
}
std::size_t nth(i64 i) { return static_cast<std::size_t>(i); }

// Whether a program runs no product.
template <class F>
bool has_no_dot(const F& f) {
  return f.explain().find("dot ") == std::string::npos;
}

}  // namespace

TEST_CASE("thin_dots: two vectors, many pairs of them, and axes in any order") {
  const auto x = numbers(100000, 1), y = numbers(100000, 2), p = numbers(50 * 3 * 40, 3),
             q = numbers(50 * 3 * 40, 4);
  auto f = compile(
      Cpu{},
      [](auto a, auto b, auto c, auto d) {
        return std::tuple{dot(a, b), einsum<"abk,bak->ab">(c, d), einsum<"abk,bak->">(c, d),
                          einsum<"abk,bak->ba">(cast<bf16>(c), cast<bf16>(d)),
                          matmul(reshape<150, 1, 40>(c), reshape<150, 40, 1>(d))};
      },
      in<f32, 100000>, in<f32, 100000>, in<f32, 50, 3, 40>, in<f32, 3, 50, 40>);
  CHECK(has_no_dot(f));
  const auto [of_two, pairs, all, half, products] = f(x, y, p, q);
  double sum = 0, size = 0, total = 0, off = 0, off_half = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double product = static_cast<double>(x[i]) * y[i];
    sum += product;
    size += std::abs(product);
  }
  CHECK(std::abs(of_two.item() - sum) < 1e-6 * size);
  for (i64 i = 0; i < 50; ++i)
    for (i64 j = 0; j < 3; ++j) {
      double wanted = 0, straight = 0;
      for (i64 k = 0; k < 40; ++k) {
        wanted += static_cast<double>(p[nth((i * 3 + j) * 40 + k)]) * q[nth((j * 50 + i) * 40 + k)];
        straight += static_cast<double>(p[nth((i * 3 + j) * 40 + k)]) * q[nth((i * 3 + j) * 40 + k)];
      }
      total += wanted;
      off = std::max(off, std::abs(wanted - pairs.to_vector()[nth(i * 3 + j)]));
      off = std::max(off, std::abs(straight - products.to_vector()[nth(i * 3 + j)]));
      off_half =
          std::max(off_half, std::abs(wanted - static_cast<double>(half.to_vector()[nth(j * 50 + i)])));
    }
  CHECK(off < 1e-5);
  CHECK(off_half < 0.2);  // of numbers up to 20 in eight bits
  CHECK(std::abs(all.item() - total) < 1e-3);
}

TEST_CASE("thin_dots: a matrix times one vector, where its rows lie along what is contracted") {
  const i64 n = 71, k = 133;
  const auto m = numbers(n * k, 9), v = numbers(k, 10), b = numbers(n, 12);
  auto f = compile(
      Cpu{},
      [](auto a, auto x, auto c) {
        const auto row = unsqueeze<0>(x);
        return std::tuple{matmul(a, x),
                          matmul(row, transpose<0, 1>(a)) + c,
                          matmul(x, transpose<0, 1>(a)),
                          einsum<"hnk,hk->hn">(reshape<1, 71, 133>(a), row),
                          einsum<"nab,ba->n">(reshape<71, 7, 19>(a), transpose<0, 1>(reshape<7, 19>(x))),
                          cast<f32>(matmul(cast<bf16>(a), cast<bf16>(x))),
                          cast<f32>(matmul(cast<i32>(a * 4.0f), cast<i32>(x * 4.0f))),
                          grad<0>([](auto t, auto u) { return sum(square(matmul(t, u))); })(a, x)};
      },
      in<f32, 71, 133>, in<f32, 133>, in<f32, 71>);
  CHECK(has_no_dot(f));
  auto across = compile(
      Cpu{}, [](auto a, auto y) { return matmul(y, a); }, in<f32, 71, 133>, in<f32, 71>);
  CHECK_FALSE(has_no_dot(across));  // its rows lie along what is left: a product
  const auto [plain, with_bias, turned, batched, parted, half, whole, slopes] = f(m, v, b);
  double off = 0, off_half = 0, off_gradient = 0;
  int wrong = 0;
  for (i64 i = 0; i < n; ++i) {
    double wanted = 0, of_bf16 = 0;
    i32 integer = 0;
    for (i64 j = 0; j < k; ++j) {
      wanted += static_cast<double>(m[nth(i * k + j)]) * v[nth(j)];
      of_bf16 += static_cast<double>(bf16(m[nth(i * k + j)])) * bf16(v[nth(j)]);
      integer += static_cast<i32>(m[nth(i * k + j)] * 4.0f) * static_cast<i32>(v[nth(j)] * 4.0f);
    }
    for (const double found : {plain(i), turned(i), batched(0, i), parted(i)})
      off = std::max(off, std::abs(wanted - found));
    off = std::max(off, std::abs(wanted + b[nth(i)] - with_bias(0, i)));
    off_half = std::max(off_half, std::abs(of_bf16 - half(i)) / (1 + std::abs(of_bf16)));
    wrong += whole(i) != static_cast<f32>(integer);
    for (i64 j = 0; j < k; ++j)
      off_gradient = std::max(off_gradient, std::abs(2 * wanted * v[nth(j)] - slopes(i, j)));
  }
  CHECK(off < 1e-4);
  CHECK(off_half < 0.005);  // rounded once, to eight bits
  CHECK(off_gradient < 1e-3);
  CHECK(wrong == 0);
}

TEST_CASE("thin_dots: one element is contracted, so nothing is added up") {
  const auto x = numbers(100, 5), y = numbers(100, 6);
  auto f = compile(
      Cpu{},
      [](auto a, auto b) {
        return std::tuple{
            outer(a, b), matmul(reshape<50, 2, 1>(a), reshape<50, 1, 2>(b)),
            einsum<"abc,dbe->aced">(reshape<5, 1, 20>(a), reshape<2, 1, 50>(b)),
            matmul(cast<i32>(reshape<100, 1>(a * 10.0f)), cast<i32>(reshape<1, 100>(b * 10.0f)))};
      },
      in<f32, 100>, in<f32, 100>);
  CHECK(has_no_dot(f));
  const auto [square, pairs, mixed, whole] = f(x, y);
  int wrong = 0;
  for (i64 i = 0; i < 100; ++i)
    for (i64 j = 0; j < 100; ++j) {
      wrong += square.to_vector()[nth(i * 100 + j)] != x[nth(i)] * y[nth(j)];
      wrong += whole.to_vector()[nth(i * 100 + j)] !=
               static_cast<i32>(x[nth(i)] * 10.0f) * static_cast<i32>(y[nth(j)] * 10.0f);
    }
  for (i64 k = 0; k < 50; ++k)
    for (i64 i = 0; i < 2; ++i)
      for (i64 j = 0; j < 2; ++j)
        wrong += pairs.to_vector()[nth(k * 4 + i * 2 + j)] != x[nth(k * 2 + i)] * y[nth(k * 2 + j)];
  for (i64 a = 0; a < 5; ++a)
    for (i64 c = 0; c < 20; ++c)
      for (i64 e = 0; e < 50; ++e)
        for (i64 d = 0; d < 2; ++d)
          wrong += mixed.to_vector()[nth(((a * 20 + c) * 50 + e) * 2 + d)] !=
                   x[nth(a * 20 + c)] * y[nth(d * 50 + e)];
  CHECK(wrong == 0);
}

TEST_CASE("thin_dots: gradients are maps") {
  const auto x = numbers(1000, 7), y = numbers(1000, 8);
  auto f = compile(
      Cpu{}, [](auto a, auto b) { return grad<0, 1>([](auto s, auto t) { return dot(s, t); })(a, b); },
      in<f32, 1000>, in<f32, 1000>);
  CHECK(has_no_dot(f));
  const auto [da, db] = f(x, y);
  CHECK(da.to_vector() == y);
  CHECK(db.to_vector() == x);
}
