// The program that opens the README, as it stands there.
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
  auto digits = data::load_digits("examples/data/digits.bin");
  auto trainer = make_trainer<Mlp>(
      best_device{},
      [](const auto& model, auto image, auto label) { return cross_entropy(model(image), label); },
      in<f32, 128, 64>, in<i32, 128>, optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f}, precision::bf16,
      checkpoint::none, comm::none);
  static_assert(trainer.workspace_bytes() < 1'000'000);
  for (auto& [image, label] : data::loader<128>(digits.train, {.shuffle = true})) trainer.step(image, label);
  trainer.model().save("digits.safetensors");
}
