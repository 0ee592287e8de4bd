#include "weft/train/trainer.hpp"

#include <doctest/doctest.h>

#include "../io/scratch.hpp"
#include "weft/data/digits.hpp"
#include "weft/data/loader.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<64, 48> fc1{};
  nn::BatchNorm1d<48> norm{};
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<48, 10> fc2{};
  constexpr auto operator()(auto x) const { return fc2(drop(relu(norm(fc1(x))))); }
};
struct Objective {
  constexpr auto operator()(const auto& model, auto image, auto label) const {
    return cross_entropy(model(image), label);
  }
};

const data::Digits& digits() {
  static const data::Digits set = data::load_digits(repository_file("examples/data/digits.bin"));
  return set;
}

template <class Trainer>
std::vector<std::byte> state_of(Trainer& trainer) {
  return std::vector<std::byte>(trainer.model().state(),
                                trainer.model().state() + trainer.model().state_bytes());
}

// Trains for `steps` batches from the loader's position on.
template <class Trainer, class Loader>
std::vector<float> advance(Trainer& trainer, Loader& loader, int steps) {
  std::vector<float> losses;
  while (steps > 0)
    for (auto& [image, label] : loader) {
      losses.push_back(trainer.step(image, label));
      if (--steps == 0) break;
    }
  return losses;
}

template <class... O>
auto make(Cpu device, O... options) {
  return make_trainer<Mlp>(device, Objective{}, in<f32, 128, 64>, in<i32, 128>, optim::AdamW{.lr = 1e-3f},
                           clip::norm(1.0f), options...);
}

// A run that is saved after `at` steps and continued by a new trainer and loader ends as the uninterrupted
// one.
template <class... O>
void check_resume(int at, O... options) {
  const ScratchFolder folder;
  const data::LoaderOptions order{.shuffle = true, .seed = 4};
  auto whole = make(Cpu{2}, options..., seed{21});
  auto loader = data::loader<128>(digits().train, order);
  auto losses = advance(whole, loader, at);
  whole.save(folder / "checkpoint", loader);

  auto resumed = make(Cpu{1}, options..., seed{99});
  auto other = data::loader<128>(digits().train, order);
  resumed.load(folder / "checkpoint", other);
  CHECK(resumed.steps() == at);
  CHECK(state_of(resumed) == state_of(whole));
  CHECK(other.position() == loader.position());
  // both go on from the position that was saved
  loader.seek(loader.position());
  CHECK(advance(resumed, other, 9) == advance(whole, loader, 9));
  CHECK(state_of(resumed) == state_of(whole));
  CHECK(resumed.steps() == whole.steps());
  whole.save(folder / "a", loader);
  resumed.save(folder / "b", other);
  CHECK(io::read_file(folder / "a") == io::read_file(folder / "b"));
}

}  // namespace

TEST_CASE("trainer: two runs give the same bits, with one thread and with two") {
  const auto run = [](int threads, u64 start) {
    auto trainer = make(Cpu{threads}, seed{start});
    auto loader = data::loader<128>(digits().train, {.shuffle = true, .seed = 5});
    auto losses = advance(trainer, loader, 25);
    return std::pair{losses, state_of(trainer)};
  };
  const auto first = run(1, 7), again = run(1, 7), two = run(2, 7), other = run(1, 8);
  CHECK(first == again);
  CHECK(first == two);
  CHECK(first.first != other.first);
  CHECK(first.first.back() < 0.7f * first.first.front());
}

TEST_CASE("trainer: resuming is exact in f32") { check_resume(13); }
TEST_CASE("trainer: resuming is exact in bf16") { check_resume(5, precision::bf16); }
TEST_CASE("trainer: resuming is exact in f16, between the calls of accumulate<2>") {
  check_resume(7, precision::f16, accumulate<2>);
}

TEST_CASE("trainer: a checkpoint that does not fit changes nothing") {
  const ScratchFolder folder;
  auto trainer = make(Cpu{1}, seed{1});
  auto loader = data::loader<128>(digits().train);
  advance(trainer, loader, 3);
  const auto before = state_of(trainer);
  trainer.model().save(folder / "model");
  CHECK(error_id([&] { trainer.load(folder / "model"); }) == "train/no-checkpoint");
  trainer.save(folder / "good");
  CHECK(error_id([&] { trainer.load(folder / "good", loader); }) == "train/no-checkpoint");
  const std::string whole = io::read_file(folder / "good");
  for (std::size_t cut : {std::size_t{9}, whole.size() / 2, whole.size() - 1}) {
    io::write_file(folder / "cut", whole.substr(0, cut));
    CHECK_THROWS_AS(trainer.load(folder / "cut"), Error);
  }
  struct Wider {
    nn::Linear<64, 50> fc1{};
  };
  auto wider = make_trainer<Wider>(
      Cpu{1}, [](const auto& m, auto x) { return mean<>(m.fc1(x)); }, in<f32, 2, 64>, optim::AdamW{});
  wider.save(folder / "wider");
  CHECK(error_id([&] { trainer.load(folder / "wider"); }) == "train/mismatch");
  trainer.save(folder / "in the third batch", loader);
  auto fewer = data::loader<1024>(digits().train);  // one batch an epoch
  CHECK(state_of(trainer) == before);
  CHECK(trainer.steps() == 3);
  advance(trainer, loader, 1);
  const auto later = state_of(trainer);
  CHECK(error_id([&] { trainer.load(folder / "in the third batch", fewer); }) == "loader/position");
  CHECK(state_of(trainer) == later);
  CHECK(fewer.position().batch == 0);
  trainer.load(folder / "good");
  CHECK(state_of(trainer) == before);
}

TEST_CASE("trainer: the last 64 losses can be read, older ones are an Error") {
  auto trainer = make(Cpu{1}, seed{0});
  auto loader = data::loader<128>(digits().train);
  std::vector<weft::StepLoss> handles;
  std::vector<float> read;
  while (handles.size() < 70)
    for (auto& [image, label] : loader) {
      handles.push_back(trainer.step(image, label));
      read.push_back(handles.back());
    }
  const std::size_t count = handles.size();
  for (std::size_t i = count - 64; i < count; ++i) CHECK(handles[i] == read[i]);
  for (std::size_t i = 0; i < count - 64; ++i)
    CHECK(error_id([&] { handles[i].value(); }) == "train/old-loss");
}

TEST_CASE("trainer: set_lr holds from the next step on") {
  auto trainer = make(Cpu{1}, seed{0});
  auto loader = data::loader<128>(digits().train);
  CHECK(trainer.lr() == 1e-3f);
  trainer.set_lr(0);
  CHECK(trainer.lr() == 0);
  const auto before = trainer.model().get<"fc1.weight">().to_vector();
  advance(trainer, loader, 2);
  CHECK(trainer.model().get<"fc1.weight">().to_vector() == before);
  trainer.set_lr(0.01f);
  advance(trainer, loader, 1);
  CHECK(trainer.model().get<"fc1.weight">().to_vector() != before);
}

TEST_CASE("trainer: sizes are constants") {
  using T = decltype(make(Cpu{1}, seed{0}));
  static_assert(T::workspace_bytes() > 128 * 48 * 4 && T::workspace_bytes() < 1'000'000);
  // parameters, buffers, two moments of each parameter, and 256 bytes of counters
  constexpr i64 parameters = nn::state_table<Mlp>.trained_bytes;
  static_assert(T::state_bytes() == nn::state_table<Mlp>.bytes + 2 * parameters + 256);
}

TEST_CASE("trainer: mode::eval trains without dropout and with the running statistics") {
  auto trainer = make(Cpu{1}, mode::eval, seed{2});
  auto loader = data::loader<128>(digits().train);
  const auto mean_before = trainer.model().get<"norm.running_mean">().to_vector();
  auto evaluate = compile(trainer.model(), Objective{}, in<f32, 128, 64>, in<i32, 128>);
  for (auto& [image, label] : loader) {
    const float wanted = evaluate(image, label);
    const float loss = trainer.step(image, label);
    CHECK(loss == doctest::Approx(wanted).epsilon(1e-6));
    break;
  }
  CHECK(trainer.model().get<"norm.running_mean">().to_vector() == mean_before);
}
