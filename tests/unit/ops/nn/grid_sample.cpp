#include "weft/ops/nn/grid_sample.hpp"

#include "support/traced_parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/nn/local_response_norm.hpp"
#include "weft/ops/nn/lp_pool.hpp"
#include "weft/ops/nn/pool_index.hpp"
#include "weft/ops/nn/shuffle.hpp"
#include "weft/ops/nn/unfold.hpp"
#include "weft/ops/shape/padding.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

template <Interpolation Mode, GridPadding Padding>
void check_grid(const std::string& name) {
  check_traced(
      name,
      [](auto a, auto g, auto t) {
        constexpr GridSampleOptions edges{.mode = Mode, .padding_mode = Padding};
        constexpr GridSampleOptions centres{.mode = Mode, .padding_mode = Padding, .align_corners = true};
        const auto few = slice<1, 0, 1>(g);
        return std::tuple{grid_sample<edges>(a, g), grid_sample<centres>(a, g), grid_sample<centres>(t, few),
                          grid_sample<edges>(t, few)};
      },
      in<f64, 2, 2, 5, 6>, in<f64, 2, 3, 4, 2>, in<f64, 2, 1, 1, 3>);
}

}  // namespace

TEST_CASE("grid_sample: every mode and padding, as PyTorch") {
  check_grid<Interpolation::linear, GridPadding::zeros>("image/grid_bilinear_zeros");
  check_grid<Interpolation::linear, GridPadding::border>("image/grid_bilinear_border");
  check_grid<Interpolation::linear, GridPadding::reflection>("image/grid_bilinear_reflection");
  check_grid<Interpolation::nearest, GridPadding::zeros>("image/grid_nearest_zeros");
  check_grid<Interpolation::nearest, GridPadding::border>("image/grid_nearest_border");
  check_grid<Interpolation::nearest, GridPadding::reflection>("image/grid_nearest_reflection");
  check_grid<Interpolation::cubic, GridPadding::zeros>("image/grid_bicubic_zeros");
  check_grid<Interpolation::cubic, GridPadding::border>("image/grid_bicubic_border");
  check_grid<Interpolation::cubic, GridPadding::reflection>("image/grid_bicubic_reflection");
  check_traced(
      "image/grid_volume",
      [](auto a, auto g) {
        return std::tuple{
            grid_sample(a, g),
            grid_sample<GridSampleOptions{.padding_mode = GridPadding::border, .align_corners = true}>(a, g),
            grid_sample<GridSampleOptions{.mode = Interpolation::nearest,
                                          .padding_mode = GridPadding::reflection}>(a, g),
            grid_sample<GridSampleOptions{.padding_mode = GridPadding::reflection, .align_corners = true}>(
                a, g)};
      },
      in<f64, 1, 2, 3, 4, 2>, in<f64, 1, 2, 2, 3, 3>);
}

TEST_CASE("grid_sample: what is no place, and empty operands") {
  check_traced<0>(
      "image/grid_wild",
      [](auto a, auto g) {
        return grid_sample<GridSampleOptions{.padding_mode = GridPadding::border}>(a, g);
      },
      in<f64, 1, 3, 5, 6>, in<f64, 1, 1, 5, 2>);
  check_traced(
      "image/grid_empty",
      [](auto a, auto g, auto b, auto h) {
        return std::tuple{grid_sample(a, g), grid_sample(b, h)};
      },
      in<f64, 0, 2, 3, 4>, in<f64, 0, 2, 2, 2>, in<f64, 2, 3, 5, 6>, in<f64, 2, 0, 3, 2>);
}

TEST_CASE("affine_grid: as PyTorch") {
  check_traced(
      "image/affine_grid",
      [](auto a, auto b) {
        return std::tuple{affine_grid<2, 3, 4, 5>(a), affine_grid<2, 1, 4, 5>(a, align_corners),
                          affine_grid<2, 1, 1, 3>(a, align_corners), affine_grid<1, 2, 2, 3, 4>(b),
                          affine_grid<1, 2, 2, 3, 1>(b, align_corners)};
      },
      in<f64, 2, 2, 3>, in<f64, 1, 3, 4>);
}

TEST_CASE("images: some of each operation as a compiled program, as PyTorch") {
  check_group(
      "image/compiled",
      [](auto a, auto g) {
        const auto [y, i] = max_pool2d<2>(a, return_indices);
        constexpr UnfoldOptions around{.padding = 1};
        constexpr GridSampleOptions cubic{
            .mode = Interpolation::cubic, .padding_mode = GridPadding::reflection, .align_corners = true};
        return std::tuple{pad<PaddingMode::reflect, 1, 2, 3, 0>(a),
                          pad<PaddingMode::circular, 1, 2, 3, 0>(a),
                          pixel_unshuffle<2>(a),
                          channel_shuffle<2>(a),
                          fold<PerAxis{4, 4}, 3, around>(unfold<3, around>(a)),
                          y,
                          i,
                          max_unpool2d<2>(y * y, i),
                          lp_pool2d<2>(abs(a), 3),
                          grid_sample(a, g),
                          grid_sample<cubic>(a, g),
                          affine_grid<3, 1, 2, 2>(reshape<3, 2, 3>(g)),
                          local_response_norm<3>(a, 0.5),
                          std::get<1>(adaptive_max_pool2d<3>(a, return_indices))};
      },
      in<f32, 1, 2, 4, 4>, in<f32, 1, 3, 3, 2>);
}
