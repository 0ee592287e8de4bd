#include "support/parity.hpp"
#include "weft/ops/grad.hpp"
#include "weft/ops/loss_more.hpp"

using namespace weft;
using namespace weft::testing;

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
