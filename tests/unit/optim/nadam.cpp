#include "weft/optim/nadam.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("nadam: 20 steps agree with torch.optim.NAdam") {
  compare(
      "nadam",
      optim::NAdam{
          .lr = 0.02f, .betas = {0.8f, 0.95f}, .eps = 1e-3f, .weight_decay = 0.1f, .momentum_decay = 0.01f});
  compare("nadamw", optim::NAdam{.lr = 0.02f, .weight_decay = 0.1f, .decoupled_weight_decay = true});
}

TEST_CASE("nadam: the product of all steps' momenta, without going through them") {
  auto product = compile(
      test_device(),
      [](auto b1, auto log_r, auto t) {
        return Expr<f64, Shape<>>{optim::detail::momentum_product(b1.value, log_r.value, t.value)};
      },
      in<f64>, in<f64>, in<f64>);
  for (const double decay : {0.0, 1e-9, 4e-3, 0.3, 5.0})
    for (const double b1 : {0.0, 0.5, 0.9, 0.999}) {
      double stepwise = 1;
      for (int t = 1; t <= 3000; ++t) {
        stepwise *= b1 * (1 - 0.5 * std::pow(0.96, t * decay));
        if (t > 3 && t % 37 != 0) continue;
        const double got = product(b1, decay * std::log(0.96), static_cast<double>(t)).item();
        CHECK(got == doctest::Approx(stepwise).epsilon(1e-8).scale(1e-12));
      }
    }
}
