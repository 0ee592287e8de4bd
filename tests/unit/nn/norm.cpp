#include "weft/nn/norm.hpp"

#include "reference.hpp"

using namespace nn_test;

namespace {

// Layers with another eps than the default.
struct NoBias {
  nn::Spliced<nn::LayerNormNoBias<7>> norm{.first = {.eps = 1e-3f}, .rest = {}};
  constexpr auto operator()(const auto& x) const { return norm.first(x); }
};
struct PlainRms {
  nn::RMSNormNoAffine<6> norm{.eps = 1e-4f};
  constexpr auto operator()(const auto& x) const { return norm(x); }
};

}  // namespace

TEST_CASE("norm: LayerNorm agrees with torch.nn.LayerNorm") {
  check_module<nn::LayerNorm<3, 8>, Shape<4, 3, 8>>(open("layers"), "layer_norm");
}
TEST_CASE("norm: RMSNorm agrees with torch.nn.RMSNorm") {
  check_module<nn::RMSNorm<8>, Shape<4, 8>>(open("layers"), "rms_norm");
}
TEST_CASE("norm: GroupNorm agrees with torch.nn.GroupNorm") {
  check_module<nn::GroupNorm<3, 6>, Shape<2, 6, 5>>(open("layers"), "group_norm");
}

TEST_CASE("norm: without weights or biases, as PyTorch with the same options") {
  check_module<nn::GroupNorm<2, 4, false>, Shape<2, 4, 3, 2>>(open("norms"), "group_plain");
  check_module<NoBias, Shape<4, 7>>(open("norms"), "layer_no_bias");
  check_module<nn::LayerNormNoAffine<3, 4>, Shape<2, 3, 4>>(open("norms"), "layer_plain");
  check_module<PlainRms, Shape<3, 6>>(open("norms"), "rms_plain");
}
