#include "weft/nn/bilinear.hpp"

#include "reference.hpp"

using namespace nn_test;

TEST_CASE("bilinear: output and gradients agree with torch.nn.Bilinear") {
  check_module<nn::Bilinear<4, 3, 2>, Shape<6, 4>, Shape<6, 3>>(open("layers"), "bilinear");
}
