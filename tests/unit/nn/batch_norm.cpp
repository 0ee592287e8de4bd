#include "weft/nn/batch_norm.hpp"

#include "stateful_norm.hpp"

using namespace nn_test;

namespace {

struct Slow3d {
  nn::Spliced<nn::BatchNorm3d<3>> norm{.first = {.eps = 1e-2f, .momentum = 0.3f}, .rest = {}};
  constexpr auto operator()(const auto& x) const { return norm.first(x); }
};
struct Twice {
  nn::BatchNorm1d<3> norm{};
  constexpr auto operator()(const auto& x) const {
    const auto first = norm(x);
    return first * norm(x * x);
  }
};
struct Cumulative {
  nn::Spliced<nn::BatchNorm2d<3, nn::BatchNormOptions{.affine = false}>> norm{.first = {.cumulative = true},
                                                                              .rest = {}};
  constexpr auto operator()(const auto& x) const { return norm.first(x); }
};

}  // namespace

TEST_CASE("batch_norm: BatchNorm1d of (N, C) and (N, C, L) trains, tracks and evaluates as PyTorch's") {
  check_stateful<nn::BatchNorm1d<6>, Shape<8, 6>>("batch_1d");
  check_stateful<nn::BatchNorm1d<6>, Shape<4, 6, 5>>("batch_line");
}
TEST_CASE("batch_norm: BatchNorm2d and BatchNorm3d train, track and evaluate as PyTorch's") {
  check_stateful<nn::BatchNorm2d<5>, Shape<3, 5, 4, 2>>("batch_2d");
  check_stateful<Slow3d, Shape<2, 3, 2, 3, 2>>("batch_3d");
}
TEST_CASE("batch_norm: a cumulative average, and neither parameters nor statistics") {
  check_stateful<Cumulative, Shape<4, 3, 2, 2>>("batch_cumulative");
  check_stateful<nn::BatchNorm1d<6, nn::BatchNormOptions{.affine = false, .track_running_stats = false}>,
                 Shape<8, 6>>("batch_plain");
}
TEST_CASE("batch_norm: a layer that is called twice in a step counts both batches") {
  check_stateful<Twice, Shape<6, 3>>("batch_twice");
}
