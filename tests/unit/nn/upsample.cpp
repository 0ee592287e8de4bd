#include "weft/nn/upsample.hpp"

#include "reference.hpp"

using namespace nn_test;
using nn::InterpolateOptions;

TEST_CASE("upsample: nearest agrees with torch.nn.Upsample") {
  const auto file = open("upsample");
  check_module<nn::Upsample<InterpolateOptions{.scale_factor = 2}>, Shape<2, 3, 3, 4>>(file, "nearest");
  check_module<nn::Upsample<InterpolateOptions{.size = {5, 7}}>, Shape<2, 2, 3, 4>>(file, "nearest_size");
  check_module<nn::Upsample<InterpolateOptions{.size = {3, 2}}>, Shape<2, 2, 7, 5>>(file, "nearest_smaller");
  check_module<nn::Upsample<InterpolateOptions{.scale_factor = 3}>, Shape<2, 3, 4>>(file, "nearest_one");
  check_module<nn::Upsample<InterpolateOptions{.scale_factor = {1, 2, 3}}>, Shape<1, 2, 2, 3, 2>>(
      file, "nearest_three");
}
TEST_CASE("upsample: linear, bilinear and trilinear agree with torch.nn.Upsample") {
  using enum nn::Interpolation;
  const auto file = open("upsample");
  check_module<nn::Upsample<InterpolateOptions{.scale_factor = 2, .mode = linear}>, Shape<2, 3, 5>>(file,
                                                                                                    "linear");
  check_module<nn::Upsample<InterpolateOptions{.size = 9, .mode = linear, .align_corners = true}>,
               Shape<2, 3, 5>>(file, "linear_aligned");
  check_module<nn::Upsample<InterpolateOptions{.scale_factor = 2, .mode = linear}>, Shape<2, 2, 3, 4>>(
      file, "bilinear");
  check_module<nn::Upsample<InterpolateOptions{.scale_factor = 2, .mode = linear, .align_corners = true}>,
               Shape<2, 2, 3, 4>>(file, "bilinear_aligned");
  check_module<nn::Upsample<InterpolateOptions{.size = {7, 3}, .mode = linear}>, Shape<2, 2, 4, 5>>(
      file, "bilinear_size");
  check_module<nn::Upsample<InterpolateOptions{.size = {7, 1}, .mode = linear, .align_corners = true}>,
               Shape<2, 2, 4, 5>>(file, "bilinear_size_aligned");
  check_module<nn::Upsample<InterpolateOptions{.scale_factor = 2, .mode = linear}>, Shape<1, 2, 2, 3, 2>>(
      file, "trilinear");
}
TEST_CASE("upsample: interpolate agrees with torch.nn.functional.interpolate") {
  const auto file = open("upsample");
  auto function = compile(
      test_device(),
      [](auto x) {
        return interpolate<InterpolateOptions{.size = {5, 7}}>(x);
      },
      in<f32, 2, 2, 3, 4>);
  check_close(function(values(file, "nearest_size.x0")).data(), values(file, "nearest_size.y"), 140, "size");
}
