#include "weft/nn/linear.hpp"

#include "reference.hpp"

using namespace nn_test;

TEST_CASE("linear: output and gradients agree with torch.nn.Linear") {
  check_module<nn::Linear<5, 3>, Shape<2, 4, 5>>(open("layers"), "linear");
}

TEST_CASE("linear: parameters start uniform in +-1 / sqrt(in)") {
  Model<nn::Linear<100, 400>, TestDevice> model(test_device(), 7);
  const double bound = 0.1;
  for (const auto& [view, count] :
       {std::pair{model.get<"weight">().data(), 40000}, std::pair{model.get<"bias">().data(), 400}}) {
    double sum = 0, square = 0, least = 1, most = -1;
    for (int i = 0; i < count; ++i) {
      sum += view[i], square += static_cast<double>(view[i]) * view[i];
      least = std::fmin(least, view[i]), most = std::fmax(most, view[i]);
    }
    // within 5 standard errors of the uniform distribution's moments
    const double deviation = bound / std::sqrt(3.0);
    CHECK(std::abs(sum / count) < 5 * deviation / std::sqrt(count));
    CHECK(std::abs(square / count - bound * bound / 3) <
          5 * bound * bound * std::sqrt(4.0 / 45) / std::sqrt(count));
    CHECK(least >= -bound);
    CHECK(most <= bound);
    CHECK(least < -bound * (1 - 20.0 / count));
    CHECK(most > bound * (1 - 20.0 / count));
  }
}

TEST_CASE("linear: without a bias there is none") {
  static_assert(std::is_same_v<nn::Linear<3, 2, nn::LinearOptions{.bias = false}>, nn::Linear<3, 2, false>>);
  static_assert(std::is_same_v<nn::Linear<3, 2, nn::LinearOptions{}>, nn::Linear<3, 2>>);
  static_assert(nn::state_table<nn::Linear<5, 3, false>>.size == 1);
  static_assert(nn::parameter_count<nn::Linear<5, 3, false>>() == 15);
}
