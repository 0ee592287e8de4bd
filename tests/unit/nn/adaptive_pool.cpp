#include "weft/nn/adaptive_pool.hpp"

#include "reference.hpp"

using namespace nn_test;

TEST_CASE("adaptive_pool: agrees with PyTorch's, whether extents divide or not") {
  const auto file = open("pool");
  check_module<nn::AdaptiveAvgPool2d<PerAxis{2, 4}>, Shape<2, 3, 6, 8>>(file, "adaptive_average");
  check_module<nn::AdaptiveAvgPool2d<1>, Shape<2, 3, 5, 7>>(file, "adaptive_average_all");
  check_module<nn::AdaptiveAvgPool2d<PerAxis{3, 2}>, Shape<2, 3, 7, 5>>(file, "adaptive_average_uneven");
  check_module<nn::AdaptiveAvgPool1d<4>, Shape<3, 6>>(file, "adaptive_average_one");
  check_module<nn::AdaptiveAvgPool3d<PerAxis{1, 2, 2}>, Shape<1, 2, 3, 4, 6>>(file, "adaptive_average_three");
  check_module<nn::AdaptiveMaxPool2d<PerAxis{3, 2}>, Shape<2, 3, 6, 8>>(file, "adaptive_max");
  check_module<nn::AdaptiveMaxPool2d<1>, Shape<2, 3, 5, 7>>(file, "adaptive_max_all");
  check_module<nn::AdaptiveMaxPool2d<PerAxis{3, 2}>, Shape<2, 3, 7, 5>>(file, "adaptive_max_uneven");
  check_module<nn::AdaptiveMaxPool1d<2>, Shape<2, 3, 6>>(file, "adaptive_max_one");
  check_module<nn::AdaptiveMaxPool3d<PerAxis{1, 2, 1}>, Shape<1, 2, 2, 4, 3>>(file, "adaptive_max_three");
}

TEST_CASE("adaptive_pool: functions agree with torch.nn.functional, and the aliases are one layer") {
  const auto file = open("pool");
  check_function<Shape<3, 6>>(file, "adaptive_average_one", [](auto x) { return adaptive_avg_pool1d<4>(x); });
  check_function<Shape<2, 3, 5, 7>>(file, "adaptive_average_all",
                                    [](auto x) { return adaptive_avg_pool2d<1>(x); });
  check_function<Shape<1, 2, 3, 4, 6>>(file, "adaptive_average_three", [](auto x) {
    return adaptive_avg_pool3d<PerAxis{1, 2, 2}>(x);
  });
  check_function<Shape<2, 3, 6>>(file, "adaptive_max_one", [](auto x) { return adaptive_max_pool1d<2>(x); });
  check_function<Shape<2, 3, 5, 7>>(file, "adaptive_max_all",
                                    [](auto x) { return adaptive_max_pool2d<1>(x); });
  check_function<Shape<1, 2, 2, 4, 3>>(file, "adaptive_max_three", [](auto x) {
    return adaptive_max_pool3d<PerAxis{1, 2, 1}>(x);
  });
  static_assert(std::is_same_v<nn::AdaptiveAvgPool2d<1>, nn::AdaptiveAvgPool<2, 1>>);
  static_assert(std::is_same_v<nn::AdaptiveMaxPool2d<1>, nn::AdaptiveMaxPool<2, 1>>);
}
