#include "weft/exec/function.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

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
  f.set_seed(7);
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

TEST_CASE("function: the plan is known while compiling") {
  auto f = compile(
      Cpu{}, [](auto x) { return softmax<-1>(x); }, in<f32, 8, 32>);
  static_assert(f.workspace_bytes() >= 8 * 32 * 4);
  static_assert(f.launches() == 1);
}
