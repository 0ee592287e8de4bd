// The program of docs/losses.md; what it says of the numbers is checked.
#include <doctest/doctest.h>

#include <cmath>

#include "weft/weft.hpp"

using namespace weft;

TEST_CASE("losses page: options of cross entropy and its neighbours") {
  // [options]
  auto f = compile(
      Cpu{},
      [](auto logits, auto labels, auto targets, auto weights) {
        return std::tuple{
            cross_entropy(logits, labels),                            // the mean over the labels that count
            cross_entropy<reduction::none>(logits, labels),           // one number a row
            cross_entropy(logits, labels, {.label_smoothing = 0.1}),  // (1 - s) target + s / C
            cross_entropy(logits, labels, weights, {.ignore_index = 0}),
            cross_entropy(logits, targets),  // probabilities in place of labels
            kl_div<reduction::batchmean>(log_softmax<-1>(logits), targets),
            bce_with_logits(logits, targets, pos_weight(weights)),
            gaussian_nll_loss<reduction::sum>(logits, targets, exp(logits)),
        };
      },
      in<f32, 2, 3>, in<i32, 2>, in<f32, 2, 3>, in<f32, 3>);
  // [/options]
  const std::vector<f32> logits{1, 2, 3, 0, 0, 0}, targets{0, 0, 1, 1, 0, 0}, weights{1, 2, 4};
  const auto [mean_loss, rows, smooth, weighted, soft, kl, bce, gauss] =
      f(logits, std::vector<i32>{2, -100}, targets, weights);
  const double first = std::log(1 + std::exp(-1.0) + std::exp(-2.0));
  CHECK(mean_loss.item() == doctest::Approx(first));
  CHECK((rows[0] == doctest::Approx(first) && rows[1] == 0));
  CHECK(smooth.item() == doctest::Approx(first + 0.1));
  CHECK(weighted.item() == doctest::Approx(first));
  CHECK(soft.item() == doctest::Approx((first + std::log(3.0)) / 2));
  CHECK(kl.item() == doctest::Approx(soft.item()));
  CHECK((bce.item() > 0 && std::isfinite(gauss.item())));
}

namespace {

// [labels along an axis]
struct Segment {
  nn::Conv2d<3, 5, 1> head;
  constexpr auto operator()(auto image) const { return head(image); }  // (N, 5, H, W)
};
constexpr auto pixel_loss = [](const auto& net, auto image, auto labels) {
  return cross_entropy<reduction::mean, 1>(net(image), labels);  // PyTorch's class axis; labels (N, H, W)
};
// [/labels along an axis]

}  // namespace

TEST_CASE("losses page: a loss for images") {
  auto trainer =
      make_trainer<Segment>(Cpu{1}, pixel_loss, in<f32, 2, 3, 4, 4>, in<i32, 2, 4, 4>, optim::Adam{});
  const float loss = trainer.step(std::vector<f32>(96, 0.5f), std::vector<i32>(32, 1));
  CHECK((loss > 0.5f && loss < 4));
}
