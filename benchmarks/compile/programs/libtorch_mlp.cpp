// mlp.cpp in libtorch, with random numbers for data: libtorch reads no file of this kind.
#include <torch/torch.h>

struct Mlp : torch::nn::Module {
  Mlp() {
    fc1 = register_module("fc1", torch::nn::Linear(64, 128));
    drop = register_module("drop", torch::nn::Dropout(0.1));
    fc2 = register_module("fc2", torch::nn::Linear(128, 10));
  }
  torch::Tensor forward(torch::Tensor x) { return fc2(drop(torch::relu(fc1(x)))); }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
  torch::nn::Dropout drop{nullptr};
};

int main() {
  const auto images = torch::rand({1280, 64});
  const auto labels = torch::randint(10, {1280});
  auto model = std::make_shared<Mlp>();
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(1e-3).weight_decay(0.01));
  for (int i = 0; i < 1280; i += 128) {
    optimizer.zero_grad();
    torch::cross_entropy_loss(model->forward(images.slice(0, i, i + 128)), labels.slice(0, i, i + 128))
        .backward();
    optimizer.step();
  }
  torch::save(model, "digits.pt");
}
