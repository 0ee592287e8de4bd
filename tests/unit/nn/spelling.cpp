#include "weft/nn/spelling.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/device.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::testing::test_device;

TEST_CASE("spelling: nn::functional has the operations, too") {
  auto f = compile(
      test_device(),
      [](auto x) { return nn::functional::relu(x) + nn::functional::softmax<0>(x) - softmax<0>(x); },
      in<f32, 2>);
  const auto y = f(std::vector<f32>{-1, 2});
  CHECK(y(0) == 0);
  CHECK(y(1) == 2);
}
