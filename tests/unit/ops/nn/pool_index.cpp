// Pooling with places, by a norm, of random windows, and across channels: pool_index.hpp, lp_pool.hpp,
// fractional_pool.hpp, local_response_norm.hpp and their layers.

#include "weft/ops/nn/pool_index.hpp"

#include "support/traced_parity.hpp"
#include "weft/nn/adaptive_pool.hpp"
#include "weft/nn/fractional_pool.hpp"
#include "weft/nn/local_response_norm.hpp"
#include "weft/nn/pool.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("pooling: the places of the greatest elements, as PyTorch") {
  constexpr auto image = in<f64, 2, 3, 5, 6>;
  constexpr auto line = in<f64, 2, 2, 9>;
  constexpr auto cube = in<f64, 1, 2, 4, 3, 4>;
  check_traced(
      "image/places_plain", [](auto a) { return max_pool2d<2>(a, return_indices); }, image);
  check_traced(
      "image/places_window",
      [](auto a) {
        return nn::MaxPool2d<3, PoolOptions{.stride = {2, 1}, .padding = 1}>{}(a, return_indices);
      },
      image);
  check_traced(
      "image/places_dilated",
      [](auto a) {
        return max_pool2d<2, PoolOptions{.stride = 1, .dilation = {2, 3}}>(a, return_indices);
      },
      image);
  check_traced(
      "image/places_ceil",
      [](auto a) { return max_pool2d<2, PoolOptions{.ceil_mode = true}>(a, return_indices); }, image);
  check_traced(
      "image/places_unbatched",
      [](auto a) {
        return max_pool2d<PerAxis{3, 2}>(a, return_indices);
      },
      in<f64, 2, 4, 5>);
  check_traced(
      "image/places_line",
      [](auto a) { return max_pool1d<3, PoolOptions{.stride = 2, .padding = 1}>(a, return_indices); }, line);
  check_traced(
      "image/places_cube",
      [](auto a) {
        return max_pool3d<PerAxis{2, 3, 2}, PoolOptions{.stride = {2, 1, 1}}>(a, return_indices);
      },
      cube);
  check_traced(
      "image/places_adaptive",
      [](auto a) {
        return nn::AdaptiveMaxPool2d<PerAxis{3, 4}>{}(a, return_indices);
      },
      image);
  check_traced(
      "image/places_adaptive_line", [](auto a) { return adaptive_max_pool1d<4>(a, return_indices); }, line);
  check_traced(
      "image/places_adaptive_cube",
      [](auto a) {
        return adaptive_max_pool3d<PerAxis{3, 2, 2}>(a, return_indices);
      },
      cube);
  check_traced<0>(
      "image/places_tied",
      [](auto a) {
        return std::tuple_cat(max_pool2d<2>(a, return_indices),
                              max_pool2d<2, PoolOptions{.stride = 1}>(a, return_indices));
      },
      in<f64, 1, 4, 4>);
}

TEST_CASE("pooling: elements put back at their places, as PyTorch") {
  check_traced(
      "image/unpool",
      [](auto a, auto i, auto b, auto j, auto c, auto k) {
        return std::tuple{max_unpool2d<2, UnpoolOptions{.output_size = {5, 6}}>(a, i), max_unpool1d<3>(b, j),
                          nn::MaxUnpool1d<3>{}(select<0, 0>(b), select<0, 0>(j)),
                          nn::MaxUnpool3d<2, UnpoolOptions{.output_size = {4, 3, 4}}>{}(c, k),
                          nn::MaxUnpool2d<2, UnpoolOptions{.stride = 3}>{}(a, i)};
      },
      in<f64, 2, 3, 3, 3>, in<i64, 2, 3, 3, 3>, in<f64, 2, 2, 3>, in<i64, 2, 2, 3>, in<f64, 1, 2, 2, 1, 2>,
      in<i64, 1, 2, 2, 1, 2>);
}

TEST_CASE("pooling: by a norm, as PyTorch") {
  check_traced<2>(
      "image/lp_pool",
      [](auto a, auto b, auto c) {
        return std::tuple{lp_pool2d<2>(a, 2),
                          lp_pool2d<PerAxis{2, 3}, PoolOptions{.stride = 1}>(a, 1),
                          lp_pool2d<2, PoolOptions{.ceil_mode = true}>(a, 3.5),
                          lp_pool1d<2>(b, 3),
                          nn::LPPool3d<2>{}(c),
                          nn::LPPool2d<3, PoolOptions{.stride = 2}>{.norm_type = 1.5f}(a)};
      },
      in<f64, 2, 3, 5, 6>, in<f64, 2, 2, 9>, in<f64, 1, 2, 4, 3, 4>);
  check_traced(
      "image/lp_pool_signs",
      [](auto a, auto b) {
        return std::tuple{lp_pool2d<2>(a, 2), nn::LPPool1d<2>{}(b), lp_pool1d<2>(b, 3)};
      },
      in<f64, 2, 3, 4, 4>, in<f64, 1, 2, 4>);
}

TEST_CASE("pooling: windows that begin at given random places, as PyTorch") {
  check_traced(
      "image/fractional",
      [](auto a, auto b, auto u2, auto v2) {
        const auto u = stop_gradient(u2);
        const auto v = stop_gradient(v2);
        return std::tuple_cat(
            fractional_max_pool2d<2, FractionalPoolOptions{.output_size = {3, 4}}>(a, u, return_indices),
            std::tuple{
                fractional_max_pool2d<PerAxis{3, 2}, FractionalPoolOptions{.output_ratio = {0.5, 0.7}}>(a, u),
                fractional_max_pool2d<2, FractionalPoolOptions{.output_size = {4, 1}}>(select<0, 0>(a),
                                                                                       slice<0, 0, 1>(u))},
            fractional_max_pool3d<PerAxis{2, 1, 2}, FractionalPoolOptions{.output_size = 2}>(b, v,
                                                                                             return_indices));
      },
      in<f64, 2, 3, 5, 6>, in<f64, 1, 2, 4, 3, 4>, in<f64, 2, 3, 2>, in<f64, 1, 2, 3>);
}

TEST_CASE("pooling: windows that are drawn give elements of x, each at its place") {
  auto f = compile(
      test_device(),
      [](auto x) {
        constexpr FractionalPoolOptions part{.output_ratio = 0.7};  // 5 of 8
        const nn::FractionalMaxPool2d<2, part> pool{};
        const auto [y, places] = pool(x, return_indices);
        return std::tuple{y, reshape<2, 3, 5, 5>(gather<1>(reshape<6, 64>(x), reshape<6, 25>(places))),
                          pool(x), nn::FractionalMaxPool3d<1, part>{}(reshape<1, 6, 2, 8, 4>(x))};
      },
      in<f32, 2, 3, 8, 8>);
  std::vector<f32> x;
  for (int k = 0; k < 384; ++k) x.push_back(static_cast<f32>(k * 7919 % 384));
  const auto [y, found, again, cube] = f(x);
  CHECK(y.to_vector() == found.to_vector());
  CHECK(y.to_vector() != again.to_vector());  // drawn anew
  CHECK(cube.size() == 6 * 1 * 5 * 2);
  for (f32 v : y) CHECK(v == std::floor(v));
}

TEST_CASE("pooling: normalisation across channels, as PyTorch") {
  check_traced<2>(
      "image/local_response",
      [](auto a, auto b) {
        return std::tuple{local_response_norm<3>(a), local_response_norm<4>(a, 0.5, 0.6, 2.0),
                          local_response_norm<1>(b, 0.3),
                          nn::LocalResponseNorm<5>{.alpha = 0.2f, .beta = 1.5f, .k = 0.5f}(b)};
      },
      in<f64, 2, 3, 5, 6>, in<f64, 2, 2, 9>);
}
