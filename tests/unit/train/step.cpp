#include "weft/train/step.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "../io/scratch.hpp"
#include "../optim/reference.hpp"
#include "mlp.hpp"

using namespace weft;
using train_test::Mlp;

namespace {

// The largest difference between the model and the tensors called "<prefix>.<name>".
template <class M>
double distance(Model<M>& model, const io::Safetensors& file, const std::string& prefix, bool copy = false) {
  const auto& table = nn::state_table<M>;
  double most = 0;
  for (int i = 0; i < table.size; ++i) {
    float* own = reinterpret_cast<float*>(model.state() + table.row[i].offset);
    const io::SafetensorsEntry& entry = file.at(prefix + "." + std::string(table.row[i].name.view()));
    REQUIRE(entry.shape == exec::extents(table.row[i].dims));
    if (copy) std::memcpy(own, entry.data, entry.bytes);
    for (i64 k = 0; k < table.row[i].dims.size(); ++k)
      most = std::fmax(most, std::abs(own[k] - reinterpret_cast<const float*>(entry.data)[k]));
  }
  return most;
}

}  // namespace

TEST_CASE("step: 20 steps of an MLP follow PyTorch from the same weights") {
  const io::Safetensors file(repository_file("tests/parity/nn/training.safetensors"));
  auto trainer = make_trainer<Mlp>(
      Cpu{1}, [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); }, in<f32, 12, 6>,
      in<i32, 12>, optim::AdamW{.lr = 0.01f, .weight_decay = 0.1f});
  distance(trainer.model(), file, "start", true);
  const float* x = reinterpret_cast<const float*>(file.at("x").data);
  const i32* labels = reinterpret_cast<const i32*>(file.at("labels").data);
  const float* losses = reinterpret_cast<const float*>(file.at("losses").data);
  for (int step = 0; step < 20; ++step) {
    CAPTURE(step);
    const float loss = trainer.step(x + step * 72, labels + step * 12);
    CHECK(std::abs(loss - losses[step]) <= 1e-5 * std::abs(losses[step]));
  }
  // Adam divides gradients near zero by their own size: what rounding leaves of them moves a weight by up to
  // lr
  CHECK(distance(trainer.model(), file, "end") < 2e-4);
  CHECK(distance(trainer.model(), file, "start") > 0.05);
}

TEST_CASE("step: clipping agrees with torch.nn.utils") {
  optim_test::compare("clip_norm", optim::PlainSGD{.lr = 0.1f}, clip::norm(0.3f));
  optim_test::compare("clip_value", optim::PlainSGD{.lr = 0.1f}, clip::value(0.1f));
}

TEST_CASE("step: a schedule in place of the learning rate agrees with torch.optim.lr_scheduler") {
  optim_test::compare("schedule", optim::PlainSGD{.lr = schedule::warmup_linear(0.1, 5, 15)});
}
