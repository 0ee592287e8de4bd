#include "weft/train/update.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "mlp.hpp"
#include "support/compile_verified.hpp"
#include "weft/nn/stack.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/optim.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;
using train_test::Mlp;

namespace {

constexpr auto loss = [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); };

// The losses of five steps.
template <class Model, class... O>
std::vector<float> losses_of(const O&... options) {
  auto trainer = make_trainer<Model>(Cpu{1}, loss, in<f32, 8, 6>, in<f32, 8, 4>, seed{5}, options...);
  std::vector<float> x(48), y(32), losses;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.7f * static_cast<float>(i));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::cos(2.3f * static_cast<float>(i));
  for (int k = 0; k < 5; ++k) losses.push_back(trainer.step(x, y));
  return losses;
}

struct Equal {
  std::array<nn::Linear<16, 16, false>, 2> h;
  constexpr auto operator()(auto x) const { return slice<1, 0, 4>(h[1](relu(h[0](pad<0, 10>(x))))); }
};

// How many kernels work on each parameter group.
template <class... O>
std::vector<int> kernels_of_groups() {
  using Step = train::StepSource<Mlp, std::remove_const_t<decltype(loss)>, train::Options<O...>, true,
                                 Input<f32, Shape<8, 6>>, Input<f32, Shape<8, 4>>>;
  const compiler::Module m = testing::compile_verified(Step::graph());
  std::vector<int> kernels(static_cast<std::size_t>(m.graph.param_groups.size()), 0);
  for (const kernel_ir::Kernel& kernel : m.fusion.kernels)
    if (kernel.walk >= 0) ++kernels[static_cast<std::size_t>(kernel.walk)];
  return kernels;
}

struct Layer {
  nn::Linear<16, 16> fc;
  constexpr auto operator()(auto x) const { return x + relu(fc(x)); }
};
struct Deep {
  nn::Linear<6, 16> in;
  nn::Stack<Layer, 3> h;
  nn::Linear<16, 4> out;
  constexpr auto operator()(auto x) const { return out(h(in(x))); }
};
// The products of 8 samples, which are the gradients of weights, as explain() has them: "16 x 6 x 8: bf16 to
// f32".
template <class Model, class... O>
std::vector<std::string> gradients_of_weights(const O&... options) {
  auto trainer = make_trainer<Model>(Cpu{1}, loss, in<f32, 8, 6>, in<f32, 8, 4>, precision::bf16, options...);
  const std::string text = trainer.explain();
  std::vector<std::string> found;
  for (std::size_t at = text.find(" x 8: "); at != std::string::npos; at = text.find(" x 8: ", at + 1))
    found.push_back(text.substr(at + 6, 11));
  return found;
}

}  // namespace

TEST_CASE("update: a parameter group that changes nothing changes no bit, whatever the optimiser keeps") {
  const auto same = optim::no_decay(optim::is_vector);  // of a decay of 0
  const auto ema = optim::ema(optim::AdamW{.lr = 0.01f, .weight_decay = 0}, 0.9f);
  CHECK(losses_of<Mlp>(optim::groups(same, ema), precision::f16) == losses_of<Mlp>(ema, precision::f16));
  const auto swa =
      optim::swa(optim::amsgrad(optim::AdamW{.lr = 0.01f, .weight_decay = 0}), {.start = 1, .every = 2});
  CHECK(losses_of<Mlp>(optim::groups(same, swa), precision::f16, clip::norm(0.5f)) ==
        losses_of<Mlp>(swa, precision::f16, clip::norm(0.5f)));
}

TEST_CASE("update: groups of one length keep to their own ranges") {
  const auto second = [](std::string_view name, const Dims&) { return name.starts_with("h.1."); };
  const auto adam = optim::AdamW{.lr = 0.01f, .weight_decay = 0};
  CHECK(losses_of<Equal>(optim::groups(optim::no_decay(second), adam)) == losses_of<Equal>(adam));
}

TEST_CASE("update: one kernel updates a parameter group, however many numbers and moments it reads") {
  const auto much = optim::swa(optim::amsgrad(optim::AdamW{}), {.start = 1});
  const auto groups = optim::groups(optim::no_decay(optim::is_vector), much);
  CHECK(kernels_of_groups<std::remove_const_t<decltype(groups)>, precision::F16, clip::Norm>() ==
        std::vector<int>{1, 1});
}

TEST_CASE("update: each copy of a Stack's tensors keeps all of an optimiser's moments") {
  auto trainer = make_trainer<Deep>(Cpu{1}, loss, in<f32, 8, 6>, in<f32, 8, 4>, seed{5},
                                    optim::ema(optim::swa(optim::ema(optim::Adafactor{}, 0.9f)), 0.0f));
  trainer.step(std::vector<f32>(48, 0.5f), std::vector<f32>(32, 0.25f));
  // the outermost average, with a decay of 0, is the parameters themselves
  const auto average = trainer.average();
  CHECK(average.get<"h.1.fc.weight">().to_vector() == trainer.model().get<"h.1.fc.weight">().to_vector());
  CHECK(average.get<"in.weight">().to_vector() == trainer.model().get<"in.weight">().to_vector());
}

TEST_CASE("update: gradients keep the sums of products in f32, whatever reads them") {
  const std::string exact = "bf16 to f32";
  const auto first = [](std::string_view name, const Dims&) { return name.starts_with("h.0."); };
  const auto sgd = optim::SGD{.lr = 0.1f};
  CHECK(gradients_of_weights<Deep>(sgd) == std::vector<std::string>(3, exact));
  CHECK(gradients_of_weights<Deep>(optim::groups(optim::frozen(first), sgd)) ==
        std::vector<std::string>(3, exact));
  CHECK(gradients_of_weights<Mlp>(optim::Adafactor{}) == std::vector<std::string>(4, exact));
  CHECK(gradients_of_weights<Mlp>(optim::Muon{}) == std::vector<std::string>(4, exact));
}
