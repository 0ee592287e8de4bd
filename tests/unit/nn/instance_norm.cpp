#include "weft/nn/instance_norm.hpp"

#include "stateful_norm.hpp"
#include "support/gradcheck.hpp"
#include "weft/nn/batch_norm.hpp"

using namespace nn_test;

namespace {

using Tracked = nn::InstanceNorm2d<3, nn::InstanceNormOptions{.affine = true, .track_running_stats = true}>;
struct Tracked2d {
  nn::Spliced<Tracked> norm{.first = {.momentum = 0.2f}, .rest = {}};
  constexpr auto operator()(const auto& x) const { return norm.first(x); }
};

}  // namespace

TEST_CASE("instance_norm: InstanceNorm1d to 3d agree with torch.nn") {
  check_module<nn::InstanceNorm1d<4>, Shape<3, 4, 5>>(open("norms"), "instance_1d");
  check_module<nn::InstanceNorm3d<2, nn::InstanceNormOptions{.affine = true}>, Shape<2, 2, 2, 3, 2>>(
      open("norms"), "instance_3d");
}
TEST_CASE("instance_norm: running statistics train, track and evaluate as PyTorch's") {
  check_stateful<Tracked2d, Shape<2, 3, 4, 3>>("instance_2d");
}
TEST_CASE("instance_norm: a single sample needs no batch axis") {
  check_stateful<nn::InstanceNorm1d<4, nn::InstanceNormOptions{.track_running_stats = true}>, Shape<4, 5>>(
      "instance_single");
}

TEST_CASE("instance_norm: gradients of normalisations against differences in f64") {
  using weft::testing::point;
  const auto check = [](const auto& f, const auto& p) {
    const auto r = weft::testing::gradcheck(f, p);
    INFO("error ", r.error, ", lowered ", r.lowered);
    CHECK(r.ok());
  };
  static constexpr nn::BatchNormOptions plain{.affine = false, .track_running_stats = false};
  const auto x = point<2, 3, 4>(-2, 2);
  check([](auto v) { return nn::InstanceNorm1d<3>{}(v); }, x);
  check([](auto v) { return nn::BatchNorm1d<3, plain>{}(v); }, x);
  check([](auto v) { return nn::GroupNorm<1, 3, false>{}(v); }, x);
  check([](auto v) { return nn::LayerNormNoAffine<3, 4>{}(v); }, x);
  check([](auto v) { return nn::RMSNormNoAffine<4>{}(v); }, x);
}
