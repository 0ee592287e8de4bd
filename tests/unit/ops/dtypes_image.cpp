// Convolution, pooling and resampling, on floats.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/nn/adaptive_pool.hpp"
#include "weft/ops/nn/conv.hpp"
#include "weft/ops/nn/interpolate.hpp"
#include "weft/ops/nn/pool.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: convolution, pooling and resampling, on floats") {
  check_dtypes<f64, f16, bf16>("float", [](const auto& e) {
    const auto image = reshape<1, 1, 3, 4>(e.x);
    const auto window = reshape<2, 1, 2, 2>(slice<1, 0, 4>(e.y));
    constexpr InterpolateOptions twice{.scale_factor = 2, .mode = Interpolation::linear};
    return std::tuple{conv2d(image, window), max_pool2d<2>(image), avg_pool2d<2>(image),
                      adaptive_avg_pool2d<2>(image), interpolate<twice>(image)};
  });
}
