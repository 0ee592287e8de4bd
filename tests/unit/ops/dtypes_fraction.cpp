// Functions whose results are fractions: floats keep their dtype, integers and booleans give f32.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/math/special.hpp"
#include "weft/ops/nn/activation.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: functions such as exp, on every kind of dtype") {
  check_dtypes<f64, f16, bf16, i32, bool>("fraction", [](const auto& e) {
    return std::tuple{exp(e.x),
                      expm1(e.x),
                      sin(e.x),
                      cos(e.x),
                      tan(e.x),
                      atan(e.x),
                      sinh(e.x),
                      cosh(e.x),
                      tanh(e.x),
                      erf(e.x),
                      erfc(e.x),
                      asinh(e.x),
                      exp2(e.x),
                      sigmoid(e.x),
                      sinc(e.x),
                      deg2rad(e.x),
                      reciprocal(e.d),
                      log(e.d),
                      log2(e.d),
                      log10(e.d),
                      log1p(e.d),
                      sqrt(e.d),
                      rsqrt(e.d),
                      lgamma(e.d),
                      digamma(e.d),
                      acosh(e.d + 1),
                      e.x / e.d,
                      atan2(e.x, e.d),
                      xlogy(e.x, e.d),
                      copysign(e.x, e.y),
                      logaddexp(e.x, e.y),
                      float_power(e.d, 2)};
  });
}
