#include "weft/train/lbfgs.hpp"

#include <limits>

#include "../io/scratch.hpp"
#include "../optim/reference.hpp"
#include "checkpoint.hpp"
#include "weft/nn/activation.hpp"
#include "weft/train/any_trainer.hpp"

using namespace weft;
using optim_test::more;
using optim_test::values;

namespace {

struct Net {
  nn::Linear<5, 8> fc1{};
  nn::Linear<8, 3> fc2{};
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

auto make(const optim::LBFGS& options) {
  return make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); }, in<f32, 8, 5>,
      in<f32, 8, 3>, options);
}
using Any = AnyTrainer<Tensor<f32, Shape<8, 5>>, Tensor<f32, Shape<8, 3>>>;

// Losses before every step and after the last, and the number of evaluations, beside PyTorch's.
void check_run(const std::string& name, const optim::LBFGS& options, double tolerance) {
  auto trainer = make(options);
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
  check_run("lbfgs", {.lr = 0.3f, .max_iter = 5}, 1e-3);
  check_run("lbfgs_short", {.lr = 0.2f, .max_iter = 4, .history_size = 2}, 1e-3);
  check_run("lbfgs_wolfe", {.max_iter = 6, .line_search = optim::LineSearch::strong_wolfe}, 1e-3);
}

TEST_CASE("lbfgs: a run that is saved and continued goes on with the same bits") {
  const ScratchFolder folder;
  const std::string path = folder / "lbfgs";
  const optim::LBFGS options{.lr = 0.5f, .max_iter = 4, .history_size = 5};
  for (const int at : {0, 1, 4}) {
    CAPTURE(at);
    auto whole = make(options);
    for (int i = 0; i < at; ++i) whole.step(values("x"), values("target"));
    whole.save(path);
    auto resumed = make(options);
    resumed.step(values("x"), values("target"));  // what load must undo
    CHECK(resumed.load(path).text() == "continues");
    CHECK(resumed.steps() == at);
    CHECK(resumed.evaluations() == whole.evaluations());
    for (int i = 0; i < 4; ++i)
      CHECK(resumed.step(values("x"), values("target")) == whole.step(values("x"), values("target")));
    CHECK(resumed.model().get<"fc1.weight">().to_vector() == whole.model().get<"fc1.weight">().to_vector());
  }
  CHECK(*io::Safetensors(path).find_metadata("weft.optimizer") == "LBFGS");

  // a shorter history takes the latest pairs; through AnyTrainer as well
  Any shorter = make({.lr = 0.5f, .max_iter = 4, .history_size = 2});
  shorter.load(path);
  CHECK(shorter.steps() == 4);
  shorter.step(values("x"), values("target"));
  shorter.save(path);
  CHECK(io::Safetensors(path).at("optimizer.lbfgs.rho").size() == 2);
}

TEST_CASE("lbfgs: another's checkpoint and numbers that cannot be change nothing") {
  const ScratchFolder folder;
  const std::string path = folder / "lbfgs", bad = folder / "bad";
  auto trainer = make({.lr = 0.5f, .max_iter = 4});
  trainer.step(values("x"), values("target"));
  trainer.save(path);
  const auto before = io::read_file(path);
  const auto refused = [&](const checkpoint_test::Edit& changes) {
    checkpoint_test::edit(path, bad, changes);
    const std::string id = error_id([&] { trainer.load(bad); });
    trainer.save(folder / "after");
    CHECK(io::read_file(folder / "after") == before);
    return id;
  };
  const auto counts = [](i64 iterations, i64 evaluations) {
    const i64 both[2] = {iterations, evaluations};
    std::vector<u8> bytes(sizeof both);
    std::memcpy(bytes.data(), both, sizeof both);
    return checkpoint_test::Edit{.tensors = {{"optimizer.lbfgs.counts", bytes}}};
  };
  const f64 infinity = std::numeric_limits<f64>::infinity();
  CHECK(refused({.metadata = {{"weft.optimizer", "AdamW"}}}) == "train/mismatch");
  CHECK(refused({.metadata = {{"weft.calls", "-3"}}}) == "train/no-checkpoint");
  for (const auto& [iterations, evaluations] :
       {std::pair<i64, i64>{-1, 5}, {5, 4}, {0, 5}, {1, 5}, {5, INT64_MAX}, {INT64_MIN, 0}})
    CHECK(refused(counts(iterations, evaluations)) == "train/no-checkpoint");
  const f64 rates[2] = {infinity, 1};
  std::vector<u8> bytes(sizeof rates);
  std::memcpy(bytes.data(), rates, sizeof rates);
  CHECK(refused({.tensors = {{"optimizer.lbfgs.rates", bytes}}}) == "train/no-checkpoint");
}
