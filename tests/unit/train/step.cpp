#include "weft/train/step.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "../io/scratch.hpp"
#include "../optim/reference.hpp"
#include "weft/nn/activation.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/norm.hpp"

using namespace weft;

namespace {

struct Block {
  nn::LayerNorm<16> norm{};
  nn::Linear<16, 16> fc{};
  constexpr auto operator()(auto x) const { return x + gelu(fc(norm(x))); }
};
// The Mlp of tests/parity/generate_nn.py.
struct Mlp {
  nn::Linear<6, 16> fc1{};
  std::array<Block, 2> h{};
  nn::Sequential<nn::ReLU, nn::Linear<16, 4, false>> tail{};
  constexpr auto operator()(auto input) const {
    auto x = fc1(input);
    for (const auto& block : h) x = block(x);
    return tail(x);
  }
};

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

struct Small {
  nn::Linear<4, 2> fc{};
};

float saved_scale(const std::string& path) { return *reinterpret_cast<const float*>(io::Safetensors(path).at("weft.scale").data); }
i32 saved_number(const std::string& path, const char* name) { return *reinterpret_cast<const i32*>(io::Safetensors(path).at(name).data); }

}  // namespace

TEST_CASE("step: 20 steps of an MLP follow PyTorch from the same weights") {
  const io::Safetensors file(repository_file("tests/parity/nn/training.safetensors"));
  auto trainer = make_trainer<Mlp>(
      Cpu{1}, [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); }, in<f32, 12, 6>, in<i32, 12>,
      optim::AdamW{.lr = 0.01f, .weight_decay = 0.1f});
  distance(trainer.model(), file, "start", true);
  const float* x = reinterpret_cast<const float*>(file.at("x").data);
  const i32* labels = reinterpret_cast<const i32*>(file.at("labels").data);
  const float* losses = reinterpret_cast<const float*>(file.at("losses").data);
  for (int step = 0; step < 20; ++step) {
    CAPTURE(step);
    const float loss = trainer.step(x + step * 72, labels + step * 12);
    CHECK(std::abs(loss - losses[step]) <= 1e-5 * std::abs(losses[step]));
  }
  // Adam divides gradients near zero by their own size: what rounding leaves of them moves a weight by up to lr
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

TEST_CASE("step: accumulate<2> over halves is one batch up to rounding") {
  const auto loss = [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); };
  auto whole = make_trainer<Mlp>(Cpu{1}, loss, in<f32, 12, 6>, in<i32, 12>, optim::SGD{.lr = 0.1f, .momentum = 0.9f}, clip::norm(0.5f), seed{3});
  auto halves = make_trainer<Mlp>(Cpu{1}, loss, in<f32, 6, 6>, in<i32, 6>, optim::SGD{.lr = 0.1f, .momentum = 0.9f}, clip::norm(0.5f), seed{3}, accumulate<2>);
  const io::Safetensors file(repository_file("tests/parity/nn/training.safetensors"));
  const float* x = reinterpret_cast<const float*>(file.at("x").data);
  for (int step = 0; step < 8; ++step) {
    std::vector<i32> labels(12);
    for (std::size_t i = 0; i < 12; ++i) labels[i] = static_cast<i32>(i + static_cast<std::size_t>(step)) % 4;
    const float one = whole.step(x + step * 72, labels.data());
    const auto before = halves.model().get<"fc1.weight">().to_vector();
    const float first = halves.step(x + step * 72, labels.data());
    CHECK(halves.model().get<"fc1.weight">().to_vector() == before);
    const float second = halves.step(x + step * 72 + 36, labels.data() + 6);
    CHECK(halves.model().get<"fc1.weight">().to_vector() != before);
    CHECK((first + second) / 2 == doctest::Approx(one).epsilon(1e-5));
  }
  double most = 0;
  for (i64 i = 0; i < 16 * 16; ++i)
    most = std::fmax(most, std::abs(whole.model().get<"h.1.fc.weight">()[i] - halves.model().get<"h.1.fc.weight">()[i]));
  CHECK(most < 1e-5);
}

TEST_CASE("step: f16 halves the loss scale and skips the update when a gradient overflows, and doubles it after 2,000") {
  const ScratchFolder folder;
  const std::string path = folder / "f16.safetensors";
  // the output's gradient is the loss scale itself: 65536 is infinite in f16, 32768 is not
  auto trainer = make_trainer<Small>(
      Cpu{1}, [](const auto& m, auto x) { return sum<>(m.fc(x)); }, in<f32, 3, 4>, optim::Adam{.lr = 1e-3f}, precision::f16);
  const std::vector<float> x{1, 2, 3, 4, -1, 0.5f, 0.25f, 2, 1, 1, 1, 1};
  const auto start = trainer.model().get<"fc.weight">().to_vector();
  const float first = trainer.step(x);
  CHECK(std::isfinite(first));
  CHECK(trainer.model().get<"fc.weight">().to_vector() == start);
  trainer.save(path);
  CHECK(saved_scale(path) == 32768);
  CHECK(saved_number(path, "weft.updates") == 0);
  const io::Safetensors skipped(path);
  for (const char* name : {"optimizer.0.fc.weight", "optimizer.1.fc.bias"})
    for (std::size_t i = 0; i < skipped.at(name).bytes / 4; ++i) CHECK(reinterpret_cast<const float*>(skipped.at(name).data)[i] == 0);

  trainer.step(x);
  // the first applied update of Adam moves every weight by lr against the sign of its gradient, the column sum of x
  const auto moved = trainer.model().get<"fc.weight">().to_vector();
  for (std::size_t i = 0; i < 8; ++i) CHECK(moved[i] - start[i] == doctest::Approx(-1e-3).epsilon(1e-3));
  for (int step = 1; step < 1999; ++step) trainer.step(x);
  trainer.save(path);
  CHECK(saved_scale(path) == 32768);
  CHECK(saved_number(path, "weft.good") == 1999);
  trainer.step(x);
  trainer.save(path);
  CHECK(saved_scale(path) == 65536);
  CHECK(saved_number(path, "weft.good") == 0);
  CHECK(saved_number(path, "weft.updates") == 2000);
  trainer.step(x);
  trainer.save(path);
  CHECK(saved_scale(path) == 32768);
  CHECK(saved_number(path, "weft.updates") == 2000);
}

TEST_CASE("step: bf16 and f16 products follow the f32 run within their rounding") {
  const auto loss = [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); };
  const auto run = [&](auto precision) {
    auto trainer = make_trainer<Mlp>(Cpu{1}, loss, in<f32, 12, 6>, in<i32, 12>, optim::PlainSGD{.lr = 0.05f}, precision, seed{9});
    const io::Safetensors file(repository_file("tests/parity/nn/training.safetensors"));
    std::vector<float> losses;
    for (int step = 0; step < 10; ++step)
      losses.push_back(trainer.step(reinterpret_cast<const float*>(file.at("x").data), reinterpret_cast<const i32*>(file.at("labels").data)));
    return losses;
  };
  const auto exact = run(precision::f32), bf16 = run(precision::bf16), f16 = run(precision::f16);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(std::abs(bf16[i] - exact[i]) <= 1.6e-2 * exact[i]);
    CHECK(std::abs(f16[i] - exact[i]) <= 2e-3 * exact[i]);
  }
  CHECK(bf16 != exact);
  CHECK(f16 != exact);
  CHECK(exact.back() < exact.front());
}
