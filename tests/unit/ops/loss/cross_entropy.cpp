#include "weft/ops/loss/cross_entropy.hpp"

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

template <class... T>
constexpr auto all(const T&... t) {
  return std::tuple_cat(t...);
}

}  // namespace

TEST_CASE("loss: values, as PyTorch") {
  check_group(
      "loss",
      [](auto rows, auto labels, auto target, auto logits, auto prob, auto soft) {
        return std::tuple{cross_entropy(rows, labels),
                          nll_loss(log_softmax<1>(rows), labels),
                          mse_loss(logits, target),
                          l1_loss(logits, target),
                          huber_loss(logits, target, 0.8),
                          smooth_l1_loss(logits, target, 0.5),
                          bce(prob, soft),
                          bce_with_logits(logits, soft)};
      },
      in<f32, 4, 37>, in<i64, 4>, in<f32, 4, 5>, in<f32, 4, 5>, in<f32, 4, 5>, in<f32, 4, 5>);
}
TEST_CASE("loss: gradients, as PyTorch") {
  check_group(
      "loss_gradient",
      [](auto rows, auto labels, auto logits, auto target, auto soft) {
        return std::tuple{grad([&](auto z) { return cross_entropy(z, labels); })(rows),
                          grad([&](auto z) { return nll_loss(z, labels); })(rows),
                          grad<1>([](auto z, auto y) { return mse_loss(z, y); })(logits, target),
                          grad([&](auto z) { return l1_loss(z, target); })(logits),
                          grad([&](auto z) { return huber_loss(z, target); })(logits),
                          grad([&](auto z) { return bce_with_logits(z, soft); })(logits)};
      },
      in<f32, 4, 37>, in<i64, 4>, in<f32, 4, 5>, in<f32, 4, 5>, in<f32, 4, 5>);
}

TEST_CASE("loss: cross entropy with every option, as PyTorch") {
  check_group(
      "losses/cross_entropy",
      [](auto x, auto y, auto w, auto t) {
        constexpr auto none = reduction::none;
        return all(
            both([&](auto z) { return cross_entropy<none>(z, y); }, x),
            both([&](auto z) { return cross_entropy<reduction::sum>(z, y); }, x),
            both([&](auto z) { return cross_entropy(roll<1, 0>(z), clamp_min(y, 0), {.ignore_index = 0}); },
                 x),
            both([&](auto z) { return cross_entropy(z, y, {.label_smoothing = 0.1}); }, x),
            both([&](auto z) { return cross_entropy<none>(z, y, {.label_smoothing = 0.3}); }, x),
            both([&](auto z) { return cross_entropy(z, y, w); }, x),
            both([&](auto z) { return cross_entropy<none>(z, y, w); }, x),
            both([&](auto z) { return cross_entropy(z, y, w, {.label_smoothing = 0.2}); }, x),
            both([&](auto z) { return cross_entropy(z, t); }, x),
            both([&](auto z) { return cross_entropy<none>(z, t, w, {.label_smoothing = 0.2}); }, x));
      },
      in<f32, 5, 7>, in<i64, 5>, in<f32, 7>, in<f32, 5, 7>);
}
TEST_CASE("loss: the classes may lie along another axis") {
  check_group(
      "losses/cross_entropy_axis",
      [](auto x, auto y, auto w) {
        constexpr auto mean = reduction::mean;
        return all(
            both([&](auto z) { return cross_entropy<mean, 1>(z, y); }, x),
            both([&](auto z) { return cross_entropy<reduction::none, 1>(z, y, w, {.label_smoothing = 0.1}); },
                 x),
            both([&](auto z) { return nll_loss<mean, 1>(z, y, w); }, x));
      },
      in<f32, 2, 3, 2, 4>, in<i64, 2, 2, 4>, in<f32, 3>);
}
TEST_CASE("loss: binary cross entropy on logits with weights, as PyTorch") {
  check_group(
      "losses/binary",
      [](auto x, auto t, auto w, auto p) {
        return all(both([&](auto z) { return bce_with_logits<reduction::sum>(z, t); }, x),
                   both([&](auto z) { return bce_with_logits(z, t, w); }, x),
                   both([&](auto z) { return bce_with_logits(z, t, pos_weight(p)); }, x),
                   both([&](auto z) { return bce_with_logits<reduction::none>(z, t, w, pos_weight(p)); }, x));
      },
      in<f32, 3, 4>, in<f32, 3, 4>, in<f32, 4>, in<f32, 4>);
}

TEST_CASE("loss: a number as weight of positive targets is as a tensor that is full of it") {
  auto f = compile(
      Cpu{},
      [](auto x, auto t) {
        const auto p = full<f32, 4>(3.0f);
        return std::tuple{bce_with_logits(x, t, pos_weight(3)), bce_with_logits(x, t, pos_weight(p)),
                          bce_with_logits<reduction::sum>(x, t, 2, pos_weight(3.0f)),
                          bce_with_logits<reduction::sum>(x, t, 2, pos_weight(p))};
      },
      in<f32, 2, 4>, in<f32, 2, 4>);
  const Tensor<f32, Shape<2, 4>> x{-2, -1, 0, 1, 2, 3, -4, 5}, t{0, 1, 0.5f, 1, 0, 1, 1, 0};
  const auto [a, b, c, d] = f(x, t);
  CHECK(a.item() == b.item());
  CHECK(c.item() == d.item());
  const Tensor<f32, Shape<>> immediate = bce_with_logits(x, t, pos_weight(3));
  CHECK(immediate.item() == a.item());
}

TEST_CASE("loss: the loss and its gradient read the logits in one kernel, weighted and smoothed or not") {
  const auto of_logits = [](const std::string& text) {
    int kernels = 0;
    for (std::size_t at = 0; (at = text.find("(64, 1000)", at)) != text.npos; ++at) ++kernels;
    return kernels;
  };
  auto plain = compile(
      Cpu{}, [](auto x, auto y) { return value_and_grad([&](auto z) { return cross_entropy(z, y); })(x); },
      in<f32, 64, 1000>, in<i64, 64>);
  CHECK(of_logits(plain.explain()) == 1);
  CHECK(plain.launches() == 4);  // the count of rows, the logits, the sum's end, the mean
  auto full = compile(
      Cpu{},
      [](auto x, auto y, auto w) {
        return value_and_grad([&](auto z) { return cross_entropy(z, y, w, {.label_smoothing = 0.1}); })(x);
      },
      in<f32, 64, 1000>, in<i64, 64>, in<f32, 1000>);
  CHECK(of_logits(full.explain()) == 1);
  CHECK(full.launches() == 6);  // and each row's weight: which rows count, the lookup
}
