// Random numbers of other distributions and draws from what a program computes: distribution.hpp,
// sampling.hpp. Bounds are five standard errors wide, of chi-square tests the 1e-6 quantile.

#include "weft/ops/random/distribution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/exec/function.hpp"
#include "weft/ops/random/sampling.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;

namespace {

constexpr double count = 40000;

// Mean and variance of the numbers lie where those of their distribution are.
template <class V>
void check_moments(const char* what, const V& numbers, double mean, double variance, double fourth) {
  double sum = 0, squares = 0;
  for (const auto v : numbers) sum += static_cast<double>(v);
  const double average = sum / count;
  for (const auto v : numbers) squares += std::pow(static_cast<double>(v) - average, 2);
  INFO(what, ": mean ", average, ", variance ", squares / count);
  CHECK(std::fabs(average - mean) < 5 * std::sqrt(variance / count));
  CHECK(std::fabs(squares / count - variance) < 5 * std::sqrt((fourth - variance * variance) / count));
}
// The part of the numbers below each place is the part that lies there.
template <class V>
void check_parts(const char* what, const V& numbers, const std::vector<std::pair<double, double>>& below) {
  for (const auto& [place, part] : below) {
    double n = 0;
    for (const auto v : numbers) n += static_cast<double>(v) < place ? 1 : 0;
    INFO(what, " below ", place, ": ", n / count);
    CHECK(std::fabs(n / count - part) < 5 * std::sqrt(part * (1 - part) / count));
  }
}
double chi_square(const std::vector<double>& found, const std::vector<double>& wanted) {
  double total = 0;
  for (std::size_t k = 0; k < found.size(); ++k)
    total += (found[k] - wanted[k]) * (found[k] - wanted[k]) / wanted[k];
  return total;
}

constexpr auto drawn = [](auto x) {
  return std::tuple{normal<f32, 200, 200>(2, 3),   log_normal<f32, 200, 200>(0, 0.25),
                    exponential<f32, 200, 200>(4), cauchy<f32, 200, 200>(1, 2),
                    geometric<i64, 200, 200>(0.3), bernoulli<u8, 200, 200>(0.2),
                    bernoulli(sigmoid(x)),         normal(x, 0.5f),
                    randint_like(x, -1, 3),        normal<f16, 200, 200>(),
                    exponential<f64, 200, 200>()};
};

}  // namespace

TEST_CASE("distribution: moments and parts are those of the distributions") {
  auto f = compile(Cpu{1}, drawn, in<f32, 200, 200>);
  const std::vector<f32> x(40000, 1.0f);
  const auto [normals, logs, waits, wide, trials, coins, bent, moved, whole, halves, doubles] = f(x);
  check_moments("normal", normals, 2, 9, 3 * 81);
  check_moments("normal(x, 0.5)", moved, 1, 0.25, 3 * 0.0625);
  check_moments("normal of f16", std::vector<f32>(halves.begin(), halves.end()), 0, 1, 3);
  const double s = 0.0625, grown = std::exp(s);  // variance of the logarithm
  check_moments(
      "log_normal", logs, std::exp(s / 2), (grown - 1) * grown,
      std::pow((grown - 1) * grown, 2) * (std::exp(4 * s) + 2 * std::exp(3 * s) + 3 * std::exp(2 * s) - 3));
  check_moments("exponential", waits, 0.25, 1.0 / 16, 9.0 / 256);
  check_moments("exponential of f64", doubles, 1, 1, 9);
  check_parts("exponential", waits,
              {{0.25, 1 - std::exp(-1)}, {0.5, 1 - std::exp(-2)}, {0.05, 1 - std::exp(-0.2)}});
  CHECK(*std::min_element(waits.begin(), waits.end()) > 0);
  check_parts("cauchy", wide,
              {{-1, 0.25}, {1, 0.5}, {3, 0.75}, {1 + 2 * std::tan(1.2), 0.5 + 1.2 / 3.141592653589793}});
  const double p = 0.3, q = 0.7, spread = q / (p * p);
  check_moments("geometric", trials, 1 / p, spread, spread * spread * (9 + p * p / q));
  CHECK(*std::min_element(trials.begin(), trials.end()) == 1);
  check_parts("geometric", trials, {{1.5, 0.3}, {2.5, 0.51}, {5.5, 1 - std::pow(0.7, 5)}});
  check_parts("bernoulli", coins, {{0.5, 0.8}});
  check_parts("bernoulli(x)", bent, {{0.5, 1 - 1 / (1 + std::exp(-1))}});
  CHECK(std::all_of(bent.begin(), bent.end(), [](f32 v) { return v == 0 || v == 1; }));
  check_parts("randint_like", whole, {{-0.5, 0.25}, {0.5, 0.5}, {1.5, 0.75}});
}

TEST_CASE("distribution: the same numbers for the same seed, others at the next call") {
  auto f = compile(Cpu{1}, drawn, in<f32, 200, 200>);
  auto g = compile(Cpu{2}, drawn, in<f32, 200, 200>);
  const std::vector<f32> x(40000, 1.0f);
  f.set_seed(5), g.set_seed(5);
  const auto first = std::get<2>(f(x)).to_vector();
  CHECK(first == std::get<2>(g(x)).to_vector());
  CHECK(std::get<4>(f(x)).to_vector() == std::get<4>(g(x)).to_vector());
  CHECK(first != std::get<2>(f(x)).to_vector());
}

TEST_CASE("distribution: certain outcomes, and no gradient to the parameters") {
  auto f = compile(
      Cpu{1},
      [](auto x) {
        const auto sure = full_like(x, 1), never = full_like(x, 0);
        return std::tuple{bernoulli(sure), bernoulli(never), geometric<f32, 50>(1), normal<f32, 50>(3, 0),
                          grad([](auto v) { return sum(normal(v, v)) + sum(bernoulli(v)) + sum(v); })(x)};
      },
      in<f32, 50>);
  const auto [one, none, first, three, ones] = f(std::vector<f32>(50, 0.5f));
  const auto all = [](const auto& v, f32 wanted) { return std::count(v.begin(), v.end(), wanted) == 50; };
  CHECK(all(one, 1));
  CHECK(all(none, 0));
  CHECK(all(first, 1));
  CHECK(all(three, 3));
  CHECK(all(ones, 1));
}

TEST_CASE("sampling: multinomial, with and without replacement") {
  constexpr i64 rows = 20000;
  auto f = compile(
      Cpu{1},
      [](auto w) {
        const auto all = expand<rows, 5>(w);
        return std::tuple{multinomial<2>(all, replacement), multinomial<3>(all),
                          multinomial<4>(reshape<5>(w)), multinomial<1>(cast<f16>(w), replacement)};
      },
      in<f32, 1, 5>);
  const std::vector<f32> weights{2, 0, 1, 4, 1};
  const auto [with, without, line, half] = f(weights);
  std::vector<double> found(5), first(5), second(5), third(5);
  int repeated = 0;
  for (i64 r = 0; r < rows; ++r) {
    for (i64 k = 0; k < 2; ++k) found[static_cast<std::size_t>(with(r, k))] += 1;
    const std::size_t a = static_cast<std::size_t>(without(r, 0)),
                      b = static_cast<std::size_t>(without(r, 1)),
                      c = static_cast<std::size_t>(without(r, 2));
    repeated += a == b || b == c || a == c ? 1 : 0;
    first[a] += 1;
    second[b] += a == 3 ? 1 : 0;
    third[c] += 1;
  }
  CHECK(repeated == 0);
  CHECK(found[1] + first[1] + second[1] + third[1] == 0);
  const auto kept = [](std::vector<double> v) {
    v.erase(v.begin() + 1);
    return v;
  };
  CHECK(chi_square(kept(found), {rows * 0.5, rows * 0.25, rows * 1.0, rows * 0.25}) < 30.7);  // 3 degrees
  CHECK(chi_square(kept(first), {rows * 0.25, rows * 0.125, rows * 0.5, rows * 0.125}) < 30.7);
  second.erase(second.begin() + 3);
  const double n = first[3];  // the second where the first was 3
  CHECK(chi_square(kept(second), {n / 2, n / 4, n / 4}) < 27.7);
  std::vector<i64> order(line.begin(), line.end());
  std::sort(order.begin(), order.end());
  CHECK(order == std::vector<i64>{0, 2, 3, 4});
  CHECK(half(0, 0) != 1);
}

TEST_CASE("sampling: randperm gives every order alike") {
  auto f = compile(Cpu{1}, [] {
    return std::tuple{randperm<i64, 4>(), randperm<i32, 1000>(), randperm<i64, 1>()};
  });
  std::vector<double> found(24);
  int wrong = 0;
  for (int call = 0; call < 4800; ++call) {
    const auto [four, many, one] = f();
    std::vector<i64> order(four.begin(), four.end()), sorted = order;
    std::sort(sorted.begin(), sorted.end());
    wrong += sorted == std::vector<i64>{0, 1, 2, 3} && one(0) == 0 ? 0 : 1;
    int rank = 0;  // of the order among all
    for (std::size_t k = 0; k < 4; ++k) {
      int less = 0;
      for (std::size_t j = k + 1; j < 4; ++j) less += order[j] < order[k] ? 1 : 0;
      rank = rank * static_cast<int>(4 - k) + less;
    }
    found[static_cast<std::size_t>(rank)] += 1;
    if (call == 0) {
      std::vector<i32> all(many.begin(), many.end());
      CHECK_FALSE(std::is_sorted(all.begin(), all.end()));
      std::sort(all.begin(), all.end());
      int right = 0;
      for (int k = 0; k < 1000; ++k) right += all[static_cast<std::size_t>(k)] == k ? 1 : 0;
      CHECK(right == 1000);
    }
  }
  CHECK(wrong == 0);
  CHECK(chi_square(found, std::vector<double>(24, 200)) < 73.5);  // 23 degrees
}

TEST_CASE("sampling: gumbel_softmax draws classes by their probabilities, with the softmax's gradient") {
  constexpr i64 rows = 20000;
  auto f = compile(
      Cpu{1},
      [](auto x) {
        const auto all = expand<rows, 4>(x);
        return std::tuple{gumbel_softmax(all, 0.7), gumbel_softmax<-1, true>(all, 0.7)};
      },
      in<f32, 1, 4>);
  const std::vector<f32> logits{0, 1, -1, 0.5f};
  const auto [soft, hard] = f(logits);
  std::vector<double> found(4), probability(4);
  double total = 0;
  for (std::size_t k = 0; k < 4; ++k) total += probability[k] = std::exp(static_cast<double>(logits[k]));
  for (double& p : probability) p *= rows / total;
  int wrong = 0;
  for (i64 r = 0; r < rows; ++r) {
    f32 sum = 0, ones = 0;
    for (i64 k = 0; k < 4; ++k) {
      sum += soft(r, k);
      wrong += hard(r, k) == 0 || hard(r, k) == 1 ? 0 : 1;
      ones += hard(r, k);
      found[static_cast<std::size_t>(k)] += static_cast<double>(hard(r, k));
    }
    wrong += std::fabs(sum - 1) < 1e-5f && ones == 1 ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(chi_square(found, probability) < 30.7);

  // one call has one stream: the gradients of both are the same
  const auto gradient = []<bool Hard>(std::bool_constant<Hard>) {
    auto g = compile(
        Cpu{1},
        [](auto x) {
          return grad([](auto v) { return sum(gumbel_softmax<0, Hard>(v, 0.7) * arange<f32, 4>()); })(x);
        },
        in<f32, 4>);
    g.set_seed(3);
    return g(std::vector<f32>{0, 1, -1, 0.5f}).to_vector();
  };
  CHECK(gradient(std::true_type{}) == gradient(std::false_type{}));
}
