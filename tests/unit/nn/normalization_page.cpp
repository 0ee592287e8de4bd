// The programs of docs/normalization.md; what it says of them is checked.
#include <doctest/doctest.h>

#include "weft/weft.hpp"

using namespace weft;

namespace {

// [block]
struct Block {
  nn::Conv2d<3, 8, 3, nn::ConvOptions{.padding = 1, .bias = false}> conv;
  nn::BatchNorm2d<8> norm{.momentum = 0.05f};
  nn::InstanceNorm2d<8, nn::InstanceNormOptions{.affine = true}> style;
  nn::DropPath drop{.p = 0.1f};
  constexpr auto operator()(auto x) const {
    const auto y = nn::Mish{}(norm(conv(x)));
    return y + drop(style(y));
  }
};
// [/block]

// [start]
struct Net {
  nn::Linear<16, 32, true, f32, nn::init::Orthogonal<>, nn::init::Zeros> recurrent;  // named in the type
  nn::Linear<32, 4> head;
};
// [/start]

}  // namespace

TEST_CASE("layers page: a block trains with batch statistics and evaluates with running ones") {
  auto trainer = make_trainer<Block>(
      Cpu{1}, [](const auto& m, auto x) { return mean<>(square(m(x))); }, in<f32, 2, 3, 4, 4>,
      optim::SGD{.lr = 0.1f});
  std::vector<f32> x(96);
  for (std::size_t i = 0; i < 96; ++i) x[i] = static_cast<f32>(i % 11) - 5;
  trainer.step(x);
  CHECK(trainer.model().get<"norm.num_batches_tracked">().item() == 1);
  CHECK(trainer.model().get<"norm.running_var">()[0] != 1);
}

TEST_CASE("layers page: starting values in the type, and of a model that exists") {
  // [apply]
  Model<Net> model(Cpu{}, 7);
  apply<nn::init::TruncNormal<1, 50>>(  // deviation 1 / 50
      model, [](std::string_view name, const Dims& d) { return name == "head.weight" && d.rank == 2; }, 7);
  // [/apply]
  for (float v : model.get<"recurrent.bias">()) CHECK(v == 0);
  double sum = 0;
  for (float v : model.get<"head.weight">()) sum += static_cast<double>(v) * v;
  CHECK(std::sqrt(sum / 128) == doctest::Approx(0.02).epsilon(0.3));
}
