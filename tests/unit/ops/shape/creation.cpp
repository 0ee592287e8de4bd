// Tensors made from nothing: their numbers, to the ends of their dtypes. (What PyTorch gives is in
// rearrange.cpp.)
#include "weft/ops/shape/creation.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/device.hpp"
#include "weft/exec/immediate.hpp"

using namespace weft;
using weft::testing::test_device;

namespace {
constexpr i64 big = (i64{1} << 53) + 1;  // no double
}

TEST_CASE("creation: arange of what 32 bits or a double do not hold") {
  auto f = compile(test_device(), [] {
    return std::tuple{arange<i64, big, big + 3>(),
                      arange<f32, 0, 4000000000, 1000000000>(),
                      arange<f64, 5000000000, 5000000003>(),
                      arange<f64, 0, 9000000000000, 3000000000000>(),
                      arange<f32, 2147483646, 2147483649>(),
                      arange<i64, 5, -5000000000, -2500000000>(),
                      arange<i32, -2147483647, 2147483647, 2147483647>()};
  });
  const auto [a, b, c, d, e, g, h] = f();
  CHECK(a.to_vector() == std::vector<i64>{big, big + 1, big + 2});
  CHECK(b.to_vector() == std::vector<f32>{0, 1e9f, 2e9f, 3e9f});
  CHECK(c.to_vector() == std::vector<f64>{5e9, 5e9 + 1, 5e9 + 2});
  CHECK(d.to_vector() == std::vector<f64>{0, 3e12, 6e12});
  CHECK(e.to_vector() == std::vector<f32>{2147483646.0f, 2147483647.0f, 2147483648.0f});
  CHECK(g.to_vector() == std::vector<i64>{5, -2499999995, -4999999995});
  CHECK(h.to_vector() == std::vector<i32>{-2147483647, 0});
  const Tensor<f64, Shape<2>> outside = arange<f64, 6000000000, 6000000002>();
  CHECK(outside.to_vector() == std::vector<f64>{6e9, 6e9 + 1});
}
