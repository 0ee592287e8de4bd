#include "weft/transforms/f8_rounding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

template <DType Format>
constexpr auto rounding = [](auto x, auto scale) {
  using X = decltype(x);
  return X{transforms::round_to_f8(x.value, scale.value, Format)};
};

}  // namespace

TEST_CASE("f8 rounding: to nearest at a scale, beyond the largest number to it, NaN to NaN") {
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  // numbers of the formats by their definitions: e4m3 has 3 bits of mantissa, 448 and the subnormal 2^-9 at
  // its ends; e5m2 2 bits, 57344 and 2^-16
  const std::vector<float> x{1.0625f, 1.1875f, 17,  250,      -1e9f, infinity, std::ldexp(1.4f, -10),
                             0.1f,    -3.3f,   nan, -infinity};
  const std::vector<float> e4m3{1,          1.25f,  16,  256, -448, 448, std::ldexp(1.0f, -9),
                                0.1015625f, -3.25f, nan, -448};
  const std::vector<float> e5m2{1,        1.25f, 16,  256,   -57344, 57344, std::ldexp(1.5f, -10),
                                0.09375f, -3.5f, nan, -57344};
  auto to_e4m3 = compile(Cpu{1}, rounding<DType::f8e4m3>, in<f32, 11>, in<f32>);
  auto to_e5m2 = compile(Cpu{1}, rounding<DType::f8e5m2>, in<f32, 11>, in<f32>);
  for (const float scale : {1.0f, 4.0f, 0.125f}) {
    std::vector<float> scaled = x;
    for (float& v : scaled) v /= scale;
    const std::vector<float> a = to_e4m3(scaled, scale).to_vector(), b = to_e5m2(scaled, scale).to_vector();
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK((std::isnan(e4m3[i]) ? std::isnan(a[i]) : a[i] == e4m3[i]));
      CHECK((std::isnan(e5m2[i]) ? std::isnan(b[i]) : b[i] == e5m2[i]));
      CHECK((std::isnan(a[i]) || static_cast<float>(bf16(a[i])) == a[i]));
    }
  }
}

TEST_CASE("f8 rounding: the largest magnitude of a tensor of any rank") {
  auto f = compile(
      Cpu{1}, [](auto x) { return Expr<f32, Shape<>>{transforms::largest_magnitude(x.value)}; },
      in<f32, 2, 3, 2>);
  std::vector<float> x(12);
  for (std::size_t i = 0; i < 12; ++i) x[i] = static_cast<float>(i) - 7.5f;
  CHECK(f(x).to_vector() == std::vector<float>{7.5f});
  x[5] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(f(x).to_vector()[0]));
}
