#include "weft/ops/core/written.hpp"

#include <doctest/doctest.h>

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
