#include "weft/train/lbfgs.hpp"

#include "../optim/reference.hpp"
#include "weft/nn/activation.hpp"

using namespace weft;
using optim_test::more;
using optim_test::values;

namespace {

struct Net {
  nn::Linear<5, 8> fc1{};
  nn::Linear<8, 3> fc2{};
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

// Losses before every step and after the last, and the number of evaluations, beside PyTorch's.
void check(const std::string& name, const optim::LBFGS& options, double tolerance) {
  auto trainer = make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); }, in<f32, 8, 5>,
      in<f32, 8, 3>, options);
  const auto& table = nn::state_table<Net>;
  for (int i = 0; i < table.size; ++i) {
    const io::SafetensorsEntry& entry = more().at("muon.start." + std::string(table.row[i].name.view()));
    std::memcpy(trainer.model().state() + table.row[i].offset, entry.data, entry.bytes);
  }
  const i64 steps = more().at(name + ".losses").shape[0] - 1;
  for (i64 k = 0; k < steps; ++k) {
    const float loss = trainer.step(values("x"), values("target"));
    CAPTURE(name);
    CAPTURE(k);
    CHECK(loss == doctest::Approx(values(name + ".losses")[k]).epsilon(tolerance));
  }
  CHECK(trainer.evaluations() == *reinterpret_cast<const i64*>(more().at(name + ".evaluations").data));
  CHECK(trainer.steps() == steps);
  const float last = trainer.step(values("x"), values("target"));
  CHECK(last == doctest::Approx(values(name + ".losses")[steps]).epsilon(tolerance));
}

}  // namespace

TEST_CASE("lbfgs: a network follows torch.optim.LBFGS, with fixed rates and with the line search") {
  // the search amplifies rounding: a thousandth after twenty evaluations
  check("lbfgs", {.lr = 0.3f, .max_iter = 5}, 1e-3);
  check("lbfgs_short", {.lr = 0.2f, .max_iter = 4, .history_size = 2}, 1e-3);
  check("lbfgs_wolfe", {.max_iter = 6, .line_search = optim::LineSearch::strong_wolfe}, 1e-3);
}
