#include "weft/ops/loss/likelihood.hpp"

#include "support/gradcheck.hpp"
#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/shape/creation.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr auto none = reduction::none, total = reduction::sum, average = reduction::mean;

}  // namespace

TEST_CASE("likelihood: losses of two tensors with every option, as PyTorch") {
  check_group(
      "losses/elements",
      [](auto a, auto b, auto) {
        return std::tuple_cat(
            both([&](auto x) { return mse_loss<none>(x, b); }, a),
            both([&](auto x) { return mse_loss<total>(x, b); }, a),
            both([&](auto x) { return l1_loss<none>(x, b); }, a),
            both([&](auto x) { return huber_loss<total>(x, b, 0.7); }, a),
            both([&](auto x) { return smooth_l1_loss<none>(x, b, 0.6); }, a),
            both([&](auto x) { return soft_margin_loss(x, sign(b)); }, a),
            both([&](auto x) { return poisson_nll_loss(x, exp(b)); }, a),
            both([&](auto x) { return poisson_nll_loss<none, false, true>(exp(x), exp(b) * 2); }, a),
            both([&](auto x) { return soft_margin_loss<total>(x, sign(b)); }, a));
      },
      in<f32, 3, 4>, in<f32, 3, 4>, in<f32, 4>);
}
TEST_CASE("likelihood: losses of probabilities and of Gaussians, as PyTorch") {
  check_group(
      "losses/probabilities",
      [](auto p, auto t, auto w) {
        return std::tuple_cat(both([&](auto x) { return bce<none>(x, t); }, p),
                              both([&](auto x) { return bce(x, t, w); }, p));
      },
      in<f32, 3, 4>, in<f32, 3, 4>, in<f32, 4>);
  check_group(
      "losses/gaussian",
      [](auto a, auto b, auto v) {
        const auto plain = [&](auto x, auto s) { return gaussian_nll_loss(x, b, s); };
        const auto full = [&](auto x, auto s) { return gaussian_nll_loss<none, true>(x, b, s, 0.3); };
        return std::tuple_cat(std::tuple{plain(a, v)}, weighted<0, 1>(plain)(a, v), std::tuple{full(a, v)},
                              weighted<0, 1>(full)(a, v));
      },
      in<f32, 3, 4>, in<f32, 3, 4>, in<f32, 3, 4>);
}
TEST_CASE("likelihood: nll_loss and kl_div with every option, as PyTorch") {
  check_group(
      "losses/nll",
      [](auto x, auto y, auto w) {
        return std::tuple_cat(
            both([&](auto z) { return nll_loss<none>(z, y); }, x),
            both([&](auto z) { return nll_loss<total>(z, y, w); }, x),
            both([&](auto z) { return nll_loss(z, y, w); }, x),
            both([&](auto z) { return nll_loss<average>(z, where(lt(y, 0), 2, y), w, 2); }, x));
      },
      in<f32, 5, 7>, in<i64, 5>, in<f32, 7>);
  check_group(
      "losses/kl_div",
      [](auto x, auto t, auto u) {
        return std::tuple_cat(both([&](auto z) { return kl_div(z, t); }, x),
                              both([&](auto z) { return kl_div<reduction::batchmean>(z, t); }, x),
                              both([&](auto z) { return kl_div<none>(z, t); }, x),
                              both([&](auto z) { return kl_div<total>(z, u, log_target); }, x));
      },
      in<f32, 3, 4>, in<f32, 3, 4>, in<f32, 3, 4>);
}

TEST_CASE("likelihood: gradients against differences in f64") {
  const auto check = [](const char* what, const auto& f, const auto&... points) {
    const GradCheck r = gradcheck(f, points...);
    INFO(what, ": error ", r.error, ", lowered ", r.lowered);
    CHECK(r.ok());
  };
  const auto x = point<3, 4>(-2, 2, 1), y = point<3, 4>(-2, 2, 2), positive = point<3, 4>(0.3, 2, 3);
  const auto classes = point<4>(0.5, 1.5, 4);
  check(
      "cross_entropy",
      [](auto v, auto w) { return cross_entropy<none>(v, arange<i64, 3>(), w, {.label_smoothing = 0.2}); }, x,
      classes);
  check(
      "cross_entropy of probabilities",
      [](auto v, auto t, auto w) { return cross_entropy(v, t, w, {.label_smoothing = 0.2}); }, x, positive,
      classes);
  check(
      "bce_with_logits",
      [](auto v, auto t, auto w, auto p) { return bce_with_logits<none>(v, t, w, pos_weight(p)); }, positive,
      y, classes, point<4>(0.5, 3, 5));
  check(
      "kl_div", [](auto v, auto t) { return kl_div<none>(v, t); }, x, positive);
  check(
      "kl_div of logarithms", [](auto v, auto t) { return kl_div<none>(v, t, log_target); }, x, y);
  check(
      "poisson_nll_loss", [](auto v, auto t) { return poisson_nll_loss<none>(v, t); }, x, positive);
  check(
      "poisson_nll_loss, full", [](auto v, auto t) { return poisson_nll_loss<none, false, true>(v, t + 1); },
      positive, positive);
  check(
      "gaussian_nll_loss", [](auto v, auto t, auto s) { return gaussian_nll_loss<none, true>(v, t, s); }, x,
      y, positive);
  check(
      "soft_margin_loss", [](auto v, auto t) { return soft_margin_loss<none>(v, t); }, positive, positive);
}
