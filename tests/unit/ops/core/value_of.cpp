#include "weft/ops/core/value_of.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/exec/immediate.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/nn/activation.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/pool.hpp"
#include "weft/ops.hpp"

using namespace weft;

TEST_CASE("value_of: a layer without parameters takes run-time tensors and literals") {
  const Tensor<f32, Shape<4>> x{1, -2, 3, -4};
  const Tensor<f32, Shape<4>> rectified = nn::ReLU{}(x);
  CHECK(std::vector<f32>(rectified.begin(), rectified.end()) == std::vector<f32>{1, 0, 3, 0});
  const Tensor<f32, Shape<4>> squared = nn::Identity{}(x)*x;
  CHECK(std::vector<f32>(squared.begin(), squared.end()) == std::vector<f32>{1, 4, 9, 16});
  const Tensor<f32, Shape<4>> signs = nn::Hardtanh{}(arange<f32, -2, 6, 2>());
  CHECK(std::vector<f32>(signs.begin(), signs.end()) == std::vector<f32>{-1, 0, 1, 1});
}
