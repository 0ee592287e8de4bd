#include "weft/ops/core/written.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "weft/exec/function.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/ops.hpp"

using namespace weft;

namespace {
template <class F>
std::string refused(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
}  // namespace

TEST_CASE("written: which integers a dtype holds") {
  using detail::number_fits;
  CHECK(number_fits<u8>(255));
  CHECK(!number_fits<u8>(256));
  CHECK(!number_fits<u8>(-1));
  CHECK(number_fits<i32>(i64{2147483647}));
  CHECK(!number_fits<i32>(i64{2147483648}));
  CHECK(number_fits<i64>(i64{-9223372036854775807} - 1));
  CHECK(!number_fits<i32>(~u64{0}));
  CHECK(!number_fits<i64>(~u64{0}));
  CHECK(number_fits<u32>(u64{4294967295}));
  CHECK(number_fits<bool>(2));  // true, as in C++
  CHECK(number_fits<f32>(300));
  CHECK(number_fits<i32>(2.0));
  CHECK(number_fits<i64>(-100.0f));
  CHECK(!number_fits<i32>(0.5f));
  CHECK(!number_fits<u8>(256.0));
  CHECK(!number_fits<i64>(1e19));
  CHECK(!number_fits<i64>(std::numeric_limits<f64>::quiet_NaN()));
}

TEST_CASE("written: of run-time tensors an integer out of range is an Error, one in range is written") {
  const Tensor<u8, Shape<2>> x{1, 200};
  CHECK(refused([] { Tensor<u8, Shape<2>> y = full<u8, 2>(300); }) ==
        "tensor/number-range: 300 is no number of dtype u8: cast the tensor, or the number");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = full_like(x, -1); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<4>> y = pad<1, 1>(x, 256); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<4>> y = pad<1, 1>(x, 0.5f); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = masked_fill(x, x > 3, 256); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = index_put(x, 256, at<0>); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = index_fill<0>(x, full<i64, 1>(0), 256); }) != "");
  const Tensor<u8, Shape<2>> filled = masked_fill(x, x > 3, 255.0f), put = index_put(x, 7, at<0>);
  CHECK(std::vector<u8>(filled.begin(), filled.end()) == std::vector<u8>{1, 255});
  CHECK(std::vector<u8>(put.begin(), put.end()) == std::vector<u8>{7, 200});
}

TEST_CASE("written: in a traced function integers keep their bits, and floating tensors take any number") {
  auto f = compile(
      Cpu{},
      [](auto x, auto n) {
        return std::tuple{masked_fill(n, x > 0, i64{9007199254740993}), masked_fill(x, x > 0, 7),
                          pad<1, 0>(x, 2)};
      },
      in<f32, 3>, in<i64, 3>);
  const auto [big, seven, padded] = f(std::vector<f32>{1, -1, 2}, std::vector<i64>{1, 2, 3});
  CHECK(big[0] == 9007199254740993);
  CHECK(big[1] == 2);
  CHECK(seven[2] == 7);
  CHECK(padded[0] == 2);
}

namespace {
// Each T beside numbers that are none of it: compared as numbers are, where the compiler knows them and where
// a run alone does.
template <class T>
void check_beside(const std::vector<T>& values) {
  const Tensor<T, Shape<4>> x(values);
  auto f = compile(
      Cpu{},
      [](auto v) {
        return std::tuple{
            v == 300, v != -300,    v<300, -300 <= v, 300> v, v >= -300, v + 300, v * 300, 300 - v,
            v & 511,  isin(v, 300), isclose(v, 300)};
      },
      in<T, 4>);
  const auto [eq300, ne300, lt300, le300, gt300, ge300, sum, product, difference, bits, found, close] = f(x);
  const Tensor<bool, Shape<4>> eq_late = x == 300, lt_late = x < 300, found_late = isin(x, 300),
                               close_late = isclose(300, x);
  for (i64 i = 0; i < 4; ++i) {
    const i64 v = values[static_cast<std::size_t>(i)];
    CHECK(eq300[i] == false);
    CHECK(eq_late[i] == false);
    CHECK(ne300[i] == true);
    CHECK(lt300[i] == true);
    CHECK(lt_late[i] == true);
    CHECK(le300[i] == true);
    CHECK(gt300[i] == true);
    CHECK(ge300[i] == true);
    CHECK(sum[i] == static_cast<T>(v + 300));  // modulo 2^8
    CHECK(product[i] == static_cast<T>(v * 300));
    CHECK(difference[i] == static_cast<T>(300 - v));
    CHECK(bits[i] == static_cast<T>(v & 511));
    CHECK(found[i] == false);
    CHECK(found_late[i] == false);
    CHECK(close[i] == false);
    CHECK(close_late[i] == false);
  }
}
}  // namespace

TEST_CASE("written: a tensor of integers is compared with numbers that are none of its dtype") {
  check_beside<u8>({0, 44, 45, 255});
  check_beside<i8>({0, 44, -128, 127});
  const Tensor<i32, Shape<3>> x{0, -1, 2147483647};
  auto f = compile(
      Cpu{},
      [](auto v) {
        return std::tuple{v == 4294967296, v<4294967295u, v> - 2147483649};
      },
      in<i32, 3>);
  const auto [equal, below, above] = f(x);
  for (i64 i = 0; i < 3; ++i) {
    CHECK(equal[i] == false);
    CHECK(below[i] == true);
    CHECK(above[i] == true);
  }
}

TEST_CASE("written: what would take a number that is none of the dtype for another is an Error") {
  const Tensor<u8, Shape<2>> x{1, 200};
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = minimum(x, 300); }) ==
        "tensor/number-range: 300 is no number of dtype u8: cast the tensor, or the number");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = maximum(-1, x); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = fmod(x, 256); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = pow(x, 257); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = where(x > 3, x, 300); }) != "");
  CHECK(refused([&] { Tensor<u8, Shape<2>> y = threshold(x, 100, 300); }) != "");
  // Of an expression the dtype is known where it is evaluated: as if in i64.
  const Tensor<u8, Shape<2>> least = minimum(x + 1, 300), rest = remainder(x + 1, 256);
  CHECK(least[1] == 201);
  CHECK(rest[1] == 201);
  const Tensor<u8, Shape<2>> masked = masked_fill(x + 1, x > 3, 7);
  CHECK(masked[1] == 7);
  const Tensor<bool, Shape<2>> among = isin(x, 200);
  const Tensor<bool, Shape<>> one = isin(200, x), none = isin(201, x);
  CHECK(among[0] == false);
  CHECK(among[1] == true);
  CHECK(static_cast<bool>(one.item()));
  CHECK(!static_cast<bool>(none.item()));
}

TEST_CASE("written: numbers stand where an operation takes a tensor or a number") {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto n) {
        return std::tuple{gaussian_nll_loss(x, y, 0.5f),
                          gaussian_nll_loss(x, y, ones_like(x) * 0.5f),
                          copysign(2, x),
                          copysign(2.5f, n),
                          isin(2.0f, x),
                          isin(x, 3),
                          xlogy(2, y),
                          xlog1py(0.5f, y),
                          logaddexp2(1, y),
                          heaviside(0, y)};
      },
      in<f32, 4>, in<f32, 4>, in<i32, 4>);
  const auto [number, tensor, signs, of_integers, at_all, found, logs, logs_of_one, sums, stairs] =
      f(std::vector<f32>{1, -2, 3, -0.0f}, std::vector<f32>{0, 1, 2, 3}, std::vector<i32>{1, -1, 0, 5});
  CHECK(number.item() == tensor.item());
  const f32 expected[]{2, -2, 2, -2}, scaled[]{2.5f, -2.5f, 2.5f, 2.5f};
  for (i64 i = 0; i < 4; ++i) {
    CHECK(signs[i] == expected[i]);
    CHECK(of_integers[i] == scaled[i]);
    CHECK(found[i] == (i == 2));
    if (i > 0) CHECK(logs[i] == doctest::Approx(2 * std::log(i)));
    CHECK(logs_of_one[i] == doctest::Approx(0.5 * std::log1p(i)));
    CHECK(sums[i] == doctest::Approx(std::log2(2.0 + std::exp2(i))));
    CHECK(stairs[i] == i);
  }
  CHECK(logs[0] == -std::numeric_limits<f32>::infinity());
  CHECK(!static_cast<bool>(at_all.item()));
}
