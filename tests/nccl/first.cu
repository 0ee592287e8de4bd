// The first program on GPUs of docs/distributed.md, which shows it from mark to mark.

// [first]
#include <cstdio>
#include <weft/nccl.hpp>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};

int main() {
  const comm::Nccl world;  // rank() of size(), and a GPU of its own
  const data::Digits digits = data::load_digits("examples/data/digits.bin");
  auto trainer = make_trainer<Mlp>(
      world.device(), [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); },  //
      in<f32, 32, 64>, in<i32, 32>,  // a batch of one rank
      optim::AdamW{.lr = 3e-3f}, seed{1}, comm::ddp<comm::Nccl>);
  auto batches = data::loader<32>(digits.train,
                                  {.shuffle = true, .seed = 1, .rank = world.rank(), .ranks = world.size()});
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto& [x, y] : batches) trainer.step(x, y);

  const f64 found = trainer.evaluate([](const auto& m, auto x, auto y) { return accuracy(m(x), y); },
                                     digits.test);  // all ranks share the work and have the result
  if (world.rank() == 0) {
    std::printf("ranks: %d, test accuracy %.3f\n", world.size(), found);
    trainer.model().save("digits.safetensors");
  }
}
// [/first]
