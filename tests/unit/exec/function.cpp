#include "weft/exec/function.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "support/error_of.hpp"
#include "weft/weft.hpp"

using namespace weft;

TEST_CASE("function: several inputs of several dtypes, several results") {
  auto f = compile(
      Cpu{},
      [](auto x, auto n, auto k) {
        return std::tuple{x * n, sum<>(x), cast<i32>(x) + k};
      },
      in<f32, 2, 3>, in<f32>, in<i32, 3>);
  const float x[2][3]{{1, 2, 3}, {4, 5, 6}};
  auto [scaled, total, shifted] = f(x, 10.0f, std::vector<i32>{1, 2, 3});
  CHECK(scaled(1, 2) == 60.0f);
  CHECK(total.item() == 21.0f);
  CHECK(total.item<double>() == 21.0);
  CHECK(static_cast<float>(total) == 21.0f);
  CHECK(shifted(0, 2) == 6);
  CHECK(shifted(1, 0) == 5);
}

TEST_CASE("function: into() writes to the caller's memory and leaves the views alone") {
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{x + 1.0f, max<>(x)};
      },
      in<f32, 4>);
  float y[4]{}, most = 0;
  float *to = y, *to_most = &most;
  f.into(to, to_most)(std::array<float, 4>{1, 2, 3, 4});
  CHECK(y[3] == 5.0f);
  CHECK(most == 4.0f);
}

TEST_CASE("function: a container of the wrong length is an Error that says both") {
  auto f = compile(
      Cpu{}, [](auto x) { return x; }, in<f32, 2, 3>);
  try {
    f(std::vector<float>(5));
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.id() == "call/size");
    CHECK(std::string(e.what()).find("(2, 3)") != std::string::npos);
    CHECK(std::string(e.what()).find("5") != std::string::npos);
  }
}

TEST_CASE("function: random numbers come from the seed and the call") {
  auto f = compile(
      Cpu{}, [](auto x) { return x + rand<f32, 64>(); }, in<f32, 64>);
  const std::vector<float> zero(64);
  f.set_seed(seed{7});  // as a number, too
  const std::vector<float> first = f(zero).to_vector(), second = f(zero).to_vector();
  CHECK(first != second);
  f.set_seed(7);
  CHECK(f(zero).to_vector() == first);
  f.set_seed(8);
  CHECK(f(zero).to_vector() != first);
  for (float v : first) CHECK((v >= 0 && v < 1));
}

TEST_CASE("function: what nothing computes is returned all the same") {
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{x, full<f32, 3>(2.5f), arange<i32, 4>()};
      },
      in<f32, 2>);
  auto [same, constant, index] = f(std::vector<float>{3, 4});
  CHECK(same(1) == 4.0f);
  CHECK(constant(2) == 2.5f);
  CHECK(index(3) == 3);
}

TEST_CASE("function: results are nested as the function nests them") {
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{x * 2, unbind<0>(x), std::pair{sum<>(x), std::tuple{argmax<>(x)}}};
      },
      in<f32, 2, 65>);
  std::vector<float> x(130);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
  x[77] = 100;
  const auto [doubled, rows, last] = f(x);
  const auto& [first, second] = rows;
  const auto& [total, places] = last;
  CHECK(doubled(1, 64) == 2 * x[129]);
  CHECK(first(64) == x[64]);
  CHECK(second(12) == 100);
  float expected = 0;
  for (const float v : x) expected += v;
  CHECK(total.item() == doctest::Approx(expected));
  CHECK(std::get<0>(places).item() == 77);
  // one by one into the caller's memory
  std::vector<float> a(130), b(65), c(65), d(1);
  std::vector<i64> e(1);
  f.into(a, b, c, d, e)(x);
  CHECK(c[12] == 100);
  CHECK(e[0] == 77);
}

TEST_CASE("function: the plan is known while compiling") {
  auto f = compile(
      Cpu{}, [](auto x) { return softmax<-1>(x); }, in<f32, 8, 32>);
  static_assert(f.workspace_bytes() >= 8 * 32 * 4);
  static_assert(f.launches() == 1);
}

// x + (a b + bias) against f64, in one launch.
template <class F, class... I>
static void check_linear(F f, i64 batch, i64 m, i64 k, i64 n, i64 a_row, i64 a_col, I... inputs) {
  using P = exec::Compiled<exec::FunctionSource<F, I...>>;
  static_assert(P::header.steps == 1);
  const auto values = [](i64 size, u32 state) {
    std::vector<f32> v(static_cast<std::size_t>(size));
    for (f32& x : v) {
      state = state * 1664525u + 1013904223u;
      x = static_cast<f32>(static_cast<i32>(state)) * 1e-9f;
    }
    return v;
  };
  const auto a = values(batch * m * a_row, 1), b = values(batch * k * n, 2), x = values(batch * m * n, 3),
             bias = values(n, 4);
  auto run = compile(Cpu{}, f, inputs...);
  const std::vector<f32> got = run(a, b, x, bias).to_vector();
  const auto at = [](const std::vector<f32>& v, i64 i) {
    return static_cast<double>(v[static_cast<std::size_t>(i)]);
  };
  for (i64 p = 0; p < batch; ++p)
    for (i64 i = 0; i < m; ++i)
      for (i64 j = 0; j < n; ++j) {
        double sum = at(x, (p * m + i) * n + j) + at(bias, j), size = std::abs(sum);
        for (i64 l = 0; l < k; ++l) {
          const double term = at(a, (p * m + i) * a_row + l * a_col) * at(b, (p * k + l) * n + j);
          sum += term;
          size += std::abs(term);
        }
        REQUIRE(std::abs(at(got, (p * m + i) * n + j) - sum) <= 1.3e-6 * size);
      }
}

TEST_CASE("function: a residual and a bias are added by the product's kernel") {
  constexpr auto with_both = [](auto a, auto b, auto x, auto bias) { return x + (matmul(a, b) + bias); };
  check_linear(with_both, 1, 64, 40, 72, 40, 1, in<f32, 64, 40>, in<f32, 40, 72>, in<f32, 64, 72>,
               in<f32, 72>);
  check_linear(with_both, 1, 37, 801, 203, 801, 1, in<f32, 37, 801>, in<f32, 801, 203>, in<f32, 37, 203>,
               in<f32, 203>);
  check_linear(with_both, 3, 16, 40, 24, 40, 1, in<f32, 3, 16, 40>, in<f32, 3, 40, 24>, in<f32, 3, 16, 24>,
               in<f32, 24>);
  check_linear([](auto a, auto b, auto x, auto bias) { return matmul(slice<1, 0, 80, 2>(a), b) + x + bias; },
               1, 32, 40, 24, 80, 2, in<f32, 32, 80>, in<f32, 40, 24>, in<f32, 32, 24>, in<f32, 24>);
}

TEST_CASE("function: a number of threads that there cannot be") {
  constexpr auto twice = [](auto x) { return x * 2; };
  CHECK(weft::testing::error_of([&] { compile(Cpu{-1}, twice, in<f32, 4>)(std::vector<f32>(4, 1.0f)); }) ==
        "cpu/threads");
}
