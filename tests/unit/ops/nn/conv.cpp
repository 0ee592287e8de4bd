#include "weft/ops/nn/conv.hpp"

#include <doctest/doctest.h>

#include "support/gradcheck.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
template <class F, class... P>
void check(const std::string& what, const F& f, const P&... points) {
  const GradCheck r = gradcheck(f, points...);
  INFO(what, ": error ", r.error, ", lowered ", r.lowered);
  CHECK(r.ok());
  CHECK(r.has(ir::Op::conv));
}
const auto image = point<2, 4, 6, 5>(-2, 2, 1);
}  // namespace

TEST_CASE("conv: gradients in f64 against finite differences, every option") {
  check(
      "plain", [](auto x, auto w, auto b) { return conv2d(x, w, b); }, image, point<3, 4, 3, 2>(-2, 2, 2),
      point<3>(-2, 2, 3));
  check(
      "stride, padding, dilation",
      [](auto x, auto w) {
        return conv2d<ConvOptions{.stride = {2, 3}, .padding = PerAxis{2, 1}, .dilation = {2, 1}}>(x, w);
      },
      image, point<3, 4, 3, 2>(-2, 2, 2));
  check(
      "groups", [](auto x, auto w) { return conv2d<ConvOptions{.padding = 1, .groups = 2}>(x, w); }, image,
      point<6, 2, 3, 3>(-2, 2, 2));
  check(
      "depthwise",
      [](auto x, auto w) { return conv2d<ConvOptions{.stride = 2, .padding = 1, .groups = 4}>(x, w); }, image,
      point<4, 1, 3, 3>(-2, 2, 2));
  check(
      "same",
      [](auto x, auto w) {
        return conv2d<ConvOptions{.padding = "same", .dilation = {1, 2}}>(x, w);
      },
      image, point<2, 4, 4, 3>(-2, 2, 2));
  check(
      "transposed",
      [](auto x, auto w) {
        return conv_transpose2d<ConvTransposeOptions{
            .stride = {2, 3}, .padding = {1, 0}, .output_padding = {1, 2}, .dilation = {1, 2}, .groups = 2}>(
            x, w);
      },
      image, point<4, 3, 3, 2>(-2, 2, 2));
  check(
      "one axis", [](auto x, auto w) { return conv1d<ConvOptions{.stride = 2, .padding = 3}>(x, w); },
      point<4, 9>(-2, 2, 4), point<2, 4, 4>(-2, 2, 5));
  check(
      "three axes",
      [](auto x, auto w) {
        return conv3d<ConvOptions{.stride = {1, 2, 1}, .padding = {1, 0, 1}}>(x, w);
      },
      point<1, 2, 4, 5, 3>(-2, 2, 4), point<2, 2, 2, 3, 2>(-2, 2, 5));
}
TEST_CASE("conv: gradients of framed inputs") {
  check(
      "reflect",
      [](auto x, auto w) {
        return conv2d<ConvOptions{.padding = {2, 1}, .padding_mode = PaddingMode::reflect}>(x, w);
      },
      image, point<2, 4, 3, 3>(-2, 2, 2));
  check(
      "replicate",
      [](auto x, auto w) {
        return conv2d<ConvOptions{.padding = {2, 6}, .padding_mode = PaddingMode::replicate}>(x, w);
      },
      image, point<2, 4, 3, 3>(-2, 2, 2));
  check(
      "circular",
      [](auto x, auto w) {
        return conv2d<ConvOptions{.padding = "same", .padding_mode = PaddingMode::circular}>(x, w);
      },
      image, point<2, 4, 3, 4>(-2, 2, 2));
}
TEST_CASE("conv: a window of one is a matrix product") {
  const GradCheck r = gradcheck([](auto x, auto w) { return conv2d<ConvOptions{.groups = 2}>(x, w); }, image,
                                point<6, 2, 1, 1>(-2, 2, 2));
  CHECK(r.ok());
  CHECK(r.has(ir::Op::dot));
  CHECK(!r.has(ir::Op::conv));
}
TEST_CASE("conv: gradients of gradients") {
  check(
      "second order",
      [](auto x, auto w) {
        constexpr ConvOptions options{.stride = 2, .padding = {1, 0}, .groups = 2};
        const auto loss = [](auto a, auto b) {
          const auto y = conv2d<ConvOptions{.stride = 2, .padding = {1, 0}, .groups = 2}>(a, b);
          return sum(y * y * y);
        };
        const auto [dx, dw] = grad<0, 1>(loss)(x, w);
        return std::tuple{dx * x, dw * dw, conv2d<options>(x, w)};
      },
      image, point<4, 2, 3, 2>(-1, 1, 2));
}
