#include "weft/nn/pool.hpp"

#include "reference.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace nn_test;
using nn::PoolOptions;

TEST_CASE("pool: max pooling agrees with torch.nn.MaxPool1d, 2d and 3d, ties included") {
  const auto file = open("pool");
  check_module<nn::MaxPool2d<2>, Shape<2, 3, 6, 8>>(file, "max");
  check_module<nn::MaxPool2d<PerAxis{3, 2}>, Shape<2, 3, 7, 5>>(file, "max_rest");
  check_module<nn::MaxPool2d<3, PoolOptions{.stride = 2, .padding = 1}>, Shape<2, 3, 7, 8>>(
      file, "max_overlapping");
  check_module<nn::MaxPool2d<3, PoolOptions{.stride = 2, .ceil_mode = true}>, Shape<2, 2, 6, 8>>(file,
                                                                                                 "max_ceil");
  check_module<nn::MaxPool2d<PerAxis{2, 3}, PoolOptions{.stride = 1, .padding = {0, 1}, .dilation = {2, 1}}>,
               Shape<2, 2, 5, 6>>(file, "max_dilated");
  check_module<nn::MaxPool2d<PerAxis{4, 5}, PoolOptions{.stride = {2, 1}, .padding = {2, 1}}>,
               Shape<2, 2, 7, 8>>(file, "max_large");
  check_module<nn::MaxPool2d<2>, Shape<3, 4, 4>>(file, "max_unbatched");
  check_module<nn::MaxPool1d<3, PoolOptions{.stride = 1}>, Shape<2, 3, 7>>(file, "max_one");
  check_module<nn::MaxPool3d<2, PoolOptions{.stride = {2, 1, 2}}>, Shape<2, 2, 4, 3, 4>>(file, "max_three");
}
TEST_CASE("pool: average pooling agrees with torch.nn.AvgPool1d, 2d and 3d") {
  const auto file = open("pool");
  check_module<nn::AvgPool2d<2>, Shape<2, 3, 6, 7>>(file, "average");
  check_module<nn::AvgPool2d<3, PoolOptions{.stride = {1, 2}, .padding = 1}>, Shape<2, 3, 6, 7>>(
      file, "average_overlapping");
  check_module<nn::AvgPool2d<3, PoolOptions{.stride = 2, .padding = 1, .count_include_pad = false}>,
               Shape<2, 3, 7, 6>>(file, "average_uncounted");
  check_module<nn::AvgPool2d<3, PoolOptions{.stride = 2, .padding = 1, .ceil_mode = true}>,
               Shape<2, 2, 6, 8>>(file, "average_ceil");
  check_module<nn::AvgPool2d<PerAxis{2, 3}, PoolOptions{.divisor_override = 5}>, Shape<2, 2, 6, 8>>(
      file, "average_divisor");
  check_module<nn::AvgPool2d<PerAxis{6, 4}>, Shape<2, 2, 12, 8>>(file, "average_large");
  check_module<nn::AvgPool1d<3, PoolOptions{.stride = 2}>, Shape<2, 3, 8>>(file, "average_one");
  check_module<nn::AvgPool3d<PerAxis{2, 3, 2}, PoolOptions{.stride = 1}>, Shape<1, 2, 3, 4, 4>>(
      file, "average_three");
}

namespace {
void check_equal(const float* got, const float* wanted, i64 count, const std::string& what) {
  for (i64 i = 0; i < count; ++i) {
    INFO(what, " ", i, ": ", got[i], " and ", wanted[i]);
    CHECK((got[i] == wanted[i] || (std::isnan(got[i]) && std::isnan(wanted[i]))));
  }
}
}  // namespace

TEST_CASE("pool: what is not a number wins, as in PyTorch") {
  const auto file = open("pool");
  auto small = compile(
      test_device(),
      [](auto x) {
        return std::tuple{max_pool2d<2>(x), grad([](auto z) { return sum(max_pool2d<2>(z)); })(x)};
      },
      in<f32, 1, 2, 6, 6>);
  auto large = compile(
      test_device(),
      [](auto x) {
        constexpr PoolOptions by_one{.stride = 1};
        return std::tuple{max_pool2d<4, by_one>(x),
                          grad([](auto z) { return sum(max_pool2d<4, PoolOptions{.stride = 1}>(z)); })(x)};
      },
      in<f32, 1, 2, 6, 6>);
  const auto few = small(values(file, "special.x"));
  check_equal(std::get<0>(few).data(), values(file, "special.y"), 18, "small y");
  check_equal(std::get<1>(few).data(), values(file, "special.dx"), 72, "small dx");
  const auto many = large(values(file, "special.x"));
  check_equal(std::get<0>(many).data(), values(file, "special_large.y"), 18, "large y");
  check_equal(std::get<1>(many).data(), values(file, "special_large.dx"), 72, "large dx");
}

TEST_CASE("pool: functions agree with torch.nn.functional, and the aliases are one layer") {
  const auto file = open("pool");
  constexpr PoolOptions by_one{.stride = 1}, by_two{.stride = 2};
  check_function<Shape<2, 3, 7>>(file, "max_one",
                                 [](auto x) { return max_pool1d<3, PoolOptions{.stride = 1}>(x); });
  check_function<Shape<2, 3, 6, 8>>(file, "max", [](auto x) { return max_pool2d<2>(x); });
  check_function<Shape<2, 2, 4, 3, 4>>(file, "max_three", [](auto x) {
    return max_pool3d<2, PoolOptions{.stride = {2, 1, 2}}>(x);
  });
  check_function<Shape<2, 3, 8>>(file, "average_one",
                                 [](auto x) { return avg_pool1d<3, PoolOptions{.stride = 2}>(x); });
  check_function<Shape<2, 3, 6, 7>>(file, "average", [](auto x) { return avg_pool2d<2>(x); });
  check_function<Shape<1, 2, 3, 4, 4>>(file, "average_three", [](auto x) {
    return avg_pool3d<PerAxis{2, 3, 2}, PoolOptions{.stride = 1}>(x);
  });
  static_assert(std::is_same_v<nn::MaxPool2d<2>, nn::MaxPool<2, 2, PoolOptions{}>>);
  static_assert(std::is_same_v<nn::AvgPool1d<3, by_one>, nn::AvgPool<1, 3, by_one>>);
  static_assert(!std::is_same_v<nn::AvgPool1d<3, by_one>, nn::AvgPool1d<3, by_two>>);
}
