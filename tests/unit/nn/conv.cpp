#include "weft/nn/conv.hpp"

#include "reference.hpp"

using namespace nn_test;
using nn::ConvOptions;
using nn::ConvTransposeOptions;
using nn::PaddingMode;

TEST_CASE("conv: Conv2d agrees with torch.nn.Conv2d") {
  const auto file = open("conv");
  check_module<nn::Conv2d<3, 5, 3>, Shape<2, 3, 7, 6>>(file, "plain");
  check_module<nn::Conv2d<3, 16, PerAxis{3, 2}, ConvOptions{.stride = {2, 1}, .padding = {1, 2}}>,
               Shape<2, 3, 8, 7>>(file, "strided");
  check_module<nn::Conv2d<2, 4, 3, ConvOptions{.padding = 2, .dilation = 2, .bias = false}>,
               Shape<1, 2, 7, 8>>(file, "dilated");
  check_module<nn::Conv2d<5, 17, 3, ConvOptions{.padding = 1}>, Shape<1, 5, 6, 6>>(file, "wide");
  check_module<nn::Conv2d<2, 3, 3>, Shape<2, 5, 4>>(file, "unbatched");
}
TEST_CASE("conv: groups, depthwise and windows of one agree with torch.nn.Conv2d") {
  const auto file = open("conv");
  check_module<nn::Conv2d<4, 6, 3, ConvOptions{.padding = 1, .groups = 2}>, Shape<2, 4, 5, 5>>(file,
                                                                                               "grouped");
  check_module<nn::Conv2d<4, 8, 3, ConvOptions{.stride = 2, .padding = 1, .groups = 4}>, Shape<2, 4, 8, 7>>(
      file, "depthwise");
  check_module<nn::Conv2d<6, 4, 1>, Shape<2, 6, 3, 5>>(file, "pointwise");
  check_module<nn::Conv2d<6, 4, 1, ConvOptions{.groups = 2}>, Shape<2, 6, 3, 3>>(file, "pointwise_grouped");
  check_module<nn::Conv2d<3, 4, 1, ConvOptions{.stride = 2}>, Shape<2, 3, 5, 4>>(file, "pointwise_strided");
}
TEST_CASE("conv: words and modes of padding agree with torch.nn.Conv2d") {
  const auto file = open("conv");
  check_module<nn::Conv2d<2, 3, PerAxis{4, 3}, ConvOptions{.padding = "same", .dilation = {1, 2}}>,
               Shape<2, 2, 6, 7>>(file, "same");
  check_module<nn::Conv2d<2, 3, 2, ConvOptions{.padding = "valid"}>, Shape<2, 2, 4, 4>>(file, "valid");
  check_module<nn::Conv2d<2, 3, 3, ConvOptions{.padding = {2, 1}, .padding_mode = PaddingMode::reflect}>,
               Shape<2, 2, 5, 4>>(file, "reflect");
  check_module<nn::Conv2d<2, 3, 3, ConvOptions{.padding = {1, 3}, .padding_mode = PaddingMode::replicate}>,
               Shape<2, 2, 5, 4>>(file, "replicate");
  check_module<nn::Conv2d<2, 3, 3, ConvOptions{.padding = {2, 1}, .padding_mode = PaddingMode::circular}>,
               Shape<2, 2, 5, 4>>(file, "circular");
  check_module<nn::Conv1d<2, 3, 4, ConvOptions{.padding = "same", .padding_mode = PaddingMode::circular}>,
               Shape<2, 2, 6>>(file, "circular_same");
}
TEST_CASE("conv: one and three axes agree with torch.nn.Conv1d and Conv3d") {
  const auto file = open("conv");
  check_module<nn::Conv1d<3, 4, 3, ConvOptions{.stride = 2, .padding = 2}>, Shape<2, 3, 9>>(file, "one");
  check_module<nn::Conv1d<3, 4, 3>, Shape<3, 6>>(file, "one_unbatched");
  check_module<nn::Conv3d<2, 3, PerAxis{2, 3, 2}, ConvOptions{.stride = {1, 2, 1}, .padding = {1, 0, 1}}>,
               Shape<1, 2, 3, 5, 4>>(file, "three");
}
TEST_CASE("conv: ConvTranspose1d, 2d and 3d agree with PyTorch's") {
  const auto file = open("conv");
  check_module<nn::ConvTranspose2d<3, 2, 3>, Shape<2, 3, 4, 5>>(file, "transposed");
  constexpr ConvTransposeOptions all{
      .stride = {2, 3}, .padding = {1, 0}, .output_padding = {1, 2}, .dilation = {1, 2}, .groups = 2};
  check_module<nn::ConvTranspose2d<4, 6, PerAxis{3, 2}, all>, Shape<2, 4, 4, 3>>(file, "transposed_strided");
  check_module<nn::ConvTranspose2d<3, 2, 2, ConvTransposeOptions{.stride = 2, .bias = false}>,
               Shape<3, 4, 5>>(file, "transposed_unbatched");
  check_module<nn::ConvTranspose1d<3, 2, 4, ConvTransposeOptions{.stride = 3, .padding = 1}>, Shape<2, 3, 5>>(
      file, "transposed_one");
  check_module<nn::ConvTranspose3d<2, 2, 2, ConvTransposeOptions{.stride = {1, 2, 2}}>, Shape<1, 2, 2, 3, 2>>(
      file, "transposed_three");
}
TEST_CASE("conv: parameters have PyTorch's names and shapes and start uniform in +-1 / sqrt(fan in)") {
  using Layer = nn::Conv2d<8, 64, PerAxis{3, 5}, ConvOptions{.groups = 2}>;
  const auto& table = nn::state_table<Layer>;
  REQUIRE(table.size == 2);
  CHECK(table.row[0].name.view() == "weight");
  CHECK(table.row[0].dims == Shape<64, 4, 3, 5>::value);
  CHECK(table.row[1].dims == Shape<64>::value);
  static_assert(
      nn::state_table<nn::ConvTranspose2d<8, 64, 3, ConvTransposeOptions{.groups = 4}>>.row[0].dims ==
      Shape<8, 16, 3, 3>::value);
  static_assert(nn::state_table<nn::Conv1d<8, 4, 3, ConvOptions{.bias = false}>>.size == 1);
  Model<Layer, TestDevice> model(test_device(), 7);
  const double bound = 1 / std::sqrt(60.0);
  double most = 0, square = 0;
  for (i64 i = 0; i < 64 * 60; ++i) {
    const double v = model.get<"weight">().data()[i];
    most = std::fmax(most, std::abs(v)), square += v * v;
  }
  CHECK(most <= bound);
  CHECK(most > 0.99 * bound);
  CHECK(square / (64 * 60) == doctest::Approx(bound * bound / 3).epsilon(0.05));
  most = 0;
  for (i64 i = 0; i < 64; ++i) most = std::fmax(most, std::abs(double{model.get<"bias">().data()[i]}));
  CHECK(most <= bound);
  CHECK(most > 0.8 * bound);
}

namespace {
// f(x, weight, bias) beside the layer's y.
template <class X, class W, class B, class Y, class F>
void check_function(const std::string& name, F f) {
  const auto file = open("conv");
  auto function = compile(test_device(), f, Input<f32, X>{}, Input<f32, W>{}, Input<f32, B>{});
  const auto y =
      function(values(file, name + ".x0"), values(file, name + ".weight"), values(file, name + ".bias"));
  check_close(y.data(), values(file, name + ".y"), Y::size, name);
}
}  // namespace

TEST_CASE("conv: functions agree with torch.nn.functional, and the aliases are one layer") {
  check_function<Shape<2, 3, 9>, Shape<4, 3, 3>, Shape<4>, Shape<2, 4, 6>>(
      "one", [](auto x, auto w, auto b) { return conv1d<ConvOptions{.stride = 2, .padding = 2}>(x, w, b); });
  check_function<Shape<2, 3, 7, 6>, Shape<5, 3, 3, 3>, Shape<5>, Shape<2, 5, 5, 4>>(
      "plain", [](auto x, auto w, auto b) { return conv2d(x, w, b); });
  check_function<Shape<1, 2, 3, 5, 4>, Shape<3, 2, 2, 3, 2>, Shape<3>, Shape<1, 3, 4, 2, 5>>(
      "three", [](auto x, auto w, auto b) {
        return conv3d<ConvOptions{.stride = {1, 2, 1}, .padding = {1, 0, 1}}>(x, w, b);
      });
  check_function<Shape<2, 3, 5>, Shape<3, 2, 4>, Shape<2>, Shape<2, 2, 14>>(
      "transposed_one", [](auto x, auto w, auto b) {
        return conv_transpose1d<ConvTransposeOptions{.stride = 3, .padding = 1}>(x, w, b);
      });
  check_function<Shape<2, 3, 4, 5>, Shape<3, 2, 3, 3>, Shape<2>, Shape<2, 2, 6, 7>>(
      "transposed", [](auto x, auto w, auto b) { return conv_transpose2d(x, w, b); });
  check_function<Shape<1, 2, 2, 3, 2>, Shape<2, 2, 2, 2, 2>, Shape<2>, Shape<1, 2, 3, 6, 4>>(
      "transposed_three", [](auto x, auto w, auto b) {
        return conv_transpose3d<ConvTransposeOptions{.stride = {1, 2, 2}}>(x, w, b);
      });
  static_assert(std::is_same_v<nn::Conv2d<3, 5, 3>, nn::Conv<2, 3, 5, 3, ConvOptions{}>>);
}
