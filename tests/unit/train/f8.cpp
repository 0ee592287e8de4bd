// Training with precision::f8: the values of a reference that rounds where it rounds, and the state that makes
// them go on.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint.hpp"
#include "support/same_state.hpp"
#include "weft/nn/stack.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace test_support;
using checkpoint_test::edit;
using checkpoint_test::scalar;

namespace {

std::vector<float> numbers(const io::Safetensors& file, const std::string& name) {
  const auto& entry = file.at(name);
  const auto* data = reinterpret_cast<const float*>(entry.data);
  return {data, data + entry.bytes / 4};
}
// The largest difference, over the largest number.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double off = 0, most = 1e-30;
  CHECK(a.size() == b.size());
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    off = std::max(off, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    most = std::max(most, std::abs(static_cast<double>(b[i])));
  }
  return off / most;
}

// The network of tests/parity/generate_f8_training.py: b and c read one tensor, d is added to a residual.
struct Gated {
  nn::Linear<8, 16> first;
  nn::Linear<16, 16> b, c, d;
  nn::Linear<16, 4> last;
  constexpr auto operator()(auto x) const {
    const auto h = relu(first(x));
    return last(h + d(relu(b(h)) * c(h)));
  }
};
constexpr auto squares = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };
using precision::DelayedScaling;

}  // namespace

TEST_CASE("f8: steps agree with PyTorch's conversions, and so do the scales that they leave") {
  const io::Safetensors file(repository_file("tests/parity/nn/f8_training.safetensors"));
  const ScratchFolder folder;
  const std::string path = folder / "step";
  auto trainer = make_trainer<Gated>(Cpu{1}, squares, in<f32, 12, 8>, in<f32, 12, 4>,
                                     optim::PlainSGD{.lr = 0.03125f},
                                     precision::f8_with<DelayedScaling{.history = 3, .margin = 1}>);
  trainer.model().load(repository_file("tests/parity/nn/f8_training.safetensors"),
                       {.strip_prefix = "start.", .allow = unexpected});
  int tensors = 0;
  for (int step = 0; step < 7; ++step) {
    const std::string at = std::to_string(step) + ".";
    const float loss = trainer.step(numbers(file, at + "x"), numbers(file, at + "y"));
    CHECK(loss == doctest::Approx(numbers(file, at + "loss")[0]).epsilon(1e-6));
    trainer.save(path);
    const io::Safetensors saved(path);
    for (const auto& entry : file.entries()) {
      if (!entry.name.starts_with(at) || entry.name.size() == at.size() + 1 || entry.name == at + "loss")
        continue;
      const std::string name = entry.name.substr(at.size());
      ++tensors;
      CHECK_MESSAGE(distance(numbers(saved, name), numbers(file, entry.name)) < 2e-6, entry.name);
    }
  }
  CHECK(tensors == 7 * (10 + 2 * 8));
}
