#include "weft/nn/spelling.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/weft.hpp"

using namespace weft;

TEST_CASE("spelling: nn::functional has the operations, too") {
  auto f = compile(
      Cpu{}, [](auto x) { return nn::functional::relu(x) + nn::functional::softmax<0>(x) - softmax<0>(x); },
      in<f32, 2>);
  const auto y = f(std::vector<f32>{-1, 2});
  CHECK(y(0) == 0);
  CHECK(y(1) == 2);
}
