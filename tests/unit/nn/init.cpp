#include "weft/nn/init.hpp"

#include "reference.hpp"

using namespace nn_test;

namespace {

// (out 60, in 40, window 9): fan_in 360, fan_out 540
using S = Shape<60, 40, 9>;
struct All {
  nn::Param<f32, S, nn::init::Zeros> zeros{};
  nn::Param<f32, S, nn::init::Constant<3, 2>> constant{};
  nn::Param<f32, S, nn::init::Normal<1, 50>> normal{};
  nn::Param<f32, S, nn::init::FanInUniform<>> fan_in_uniform{};
  nn::Param<f32, S, nn::init::XavierUniform<>> xavier_uniform{};
  nn::Param<f32, S, nn::init::XavierNormal<5, 3>> xavier_normal{};
  nn::Param<f32, S, nn::init::KaimingUniform> kaiming_uniform{};
  nn::Param<f32, S, nn::init::KaimingNormal> kaiming_normal{};
};

void check_moments(const TensorView<f32, S, Cpu>& view, double deviation, bool uniform) {
  double sum = 0, square = 0, most = 0;
  for (float v : view) sum += v, square += static_cast<double>(v) * v, most = std::fmax(most, std::abs(v));
  const double n = static_cast<double>(S::size);
  CHECK(std::abs(sum / n) < 5 * deviation / std::sqrt(n));
  // the variance of x^2 is 4/5 sigma^4 for a uniform, 2 sigma^4 for a normal distribution
  CHECK(std::abs(square / n / deviation / deviation - 1) < 5 * std::sqrt((uniform ? 0.8 : 2.0) / n));
  if (uniform) {
    CHECK(most <= deviation * std::sqrt(3.0) * (1 + 1e-6));
    CHECK(most > deviation * std::sqrt(3.0) * (1 - 1e-3));
  } else {
    CHECK(most > 3 * deviation);
  }
}

}  // namespace

TEST_CASE("init: deviations are those of torch.nn.init's formulae") {
  Model<All> model(Cpu{}, 11);
  const double in = 360, out = 540;
  for (float v : model.get<"zeros">()) REQUIRE(v == 0);
  for (float v : model.get<"constant">()) REQUIRE(v == 1.5f);
  check_moments(model.get<"normal">(), 0.02, false);
  check_moments(model.get<"fan_in_uniform">(), 1 / std::sqrt(in) / std::sqrt(3.0), true);
  check_moments(model.get<"xavier_uniform">(), std::sqrt(2 / (in + out)), true);
  check_moments(model.get<"xavier_normal">(), 5.0 / 3 * std::sqrt(2 / (in + out)), false);
  check_moments(model.get<"kaiming_uniform">(), std::sqrt(2 / in), true);
  check_moments(model.get<"kaiming_normal">(), std::sqrt(2 / in), false);
}

TEST_CASE("init: the same seed gives the same values, another seed others") {
  Model<All> a(Cpu{}, 1), b(Cpu{}, 1), c(Cpu{}, 2);
  CHECK(a.get<"normal">().to_vector() == b.get<"normal">().to_vector());
  CHECK(a.get<"normal">().to_vector() != c.get<"normal">().to_vector());
  CHECK(a.get<"kaiming_uniform">().to_vector() != a.get<"xavier_uniform">().to_vector());
}
