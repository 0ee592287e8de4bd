#include "weft/ops/nn/pool.hpp"

#include <doctest/doctest.h>

#include "support/gradcheck.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
template <class F, class... P>
void check(const std::string& what, const F& f, const P&... points) {
  const GradCheck r = gradcheck(f, points...);
  INFO(what, ": error ", r.error, ", lowered ", r.lowered);
  CHECK(r.ok());
}
const auto image = point<2, 3, 6, 7>(-2, 2, 1);
}  // namespace

TEST_CASE("pool: gradients of max pooling in f64 against finite differences") {
  check(
      "apart", [](auto x) { return max_pool2d<2>(x); }, image);
  check(
      "overlapping",
      [](auto x) {
        return max_pool2d<3, PoolOptions{.stride = {2, 1}, .padding = 1}>(x);
      },
      image);
  check(
      "dilated, ceil",
      [](auto x) {
        return max_pool2d<2, PoolOptions{.stride = 2, .dilation = {3, 2}, .ceil_mode = true}>(x);
      },
      image);
  check(
      "large",
      [](auto x) {
        return max_pool2d<PerAxis{4, 5}, PoolOptions{.stride = {1, 2}, .padding = {2, 0}}>(x);
      },
      image);
  check(
      "one axis", [](auto x) { return max_pool1d<2, PoolOptions{.stride = 3}>(x); }, point<3, 9>(-2, 2, 2));
  check(
      "three axes", [](auto x) { return max_pool3d<2, PoolOptions{.stride = 1}>(x); },
      point<1, 2, 3, 4, 3>(-2, 2, 5));
}
TEST_CASE("pool: gradients of average pooling in f64 against finite differences") {
  check(
      "apart", [](auto x) { return avg_pool2d<2>(x); }, image);
  check(
      "apart, padded, large",
      [](auto x) {
        return avg_pool2d<PerAxis{5, 4}, PoolOptions{.padding = {2, 1}}>(x);
      },
      image);
  check(
      "overlapping",
      [](auto x) {
        return avg_pool2d<3, PoolOptions{.stride = {2, 1}, .padding = 1, .count_include_pad = false}>(x);
      },
      image);
  check(
      "whole",
      [](auto x) {
        return avg_pool2d<PerAxis{6, 7}>(x);
      },
      image);
  check(
      "three axes", [](auto x) { return avg_pool3d<2, PoolOptions{.stride = 1, .ceil_mode = true}>(x); },
      point<1, 2, 3, 4, 3>(-2, 2, 3));
}
