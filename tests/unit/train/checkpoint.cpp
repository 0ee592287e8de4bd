// Checkpoints: what they say of what made them, and that a file that does not continue the run changes
// nothing.

#include "weft/train/checkpoint.hpp"

#include <doctest/doctest.h>

#include "../io/scratch.hpp"
#include "checkpoint.hpp"
#include "weft/data/loader.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/shape/coordinates.hpp"
#include "weft/optim/average.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;
using checkpoint_test::edit;
using checkpoint_test::scalar;

namespace {

struct Net {
  nn::Linear<2, 3> fc{};
};
struct Wider {
  nn::Linear<2, 4> fc{};
};

template <class M, class... O>
auto make(const O&... options) {
  return make_trainer<M>(
      Cpu{1}, [](const auto& m, auto x) { return mse_loss(m.fc(x), zeros_like(m.fc(x))); }, in<f32, 4, 2>,
      options...);
}
const std::vector<f32> x{1, 2, -1, 0.5f, 3, 1, 0, 1};

// Everything of a trainer that a load could have changed.
template <class Trainer>
std::string state_of(Trainer& trainer, const ScratchFolder& folder) {
  trainer.save(folder / "state");
  return io::read_file(folder / "state");
}
// What a load that must fail says, after a look at what it left.
template <class Trainer>
std::string refusal(Trainer& trainer, const ScratchFolder& folder, const std::string& path) {
  const std::string before = state_of(trainer, folder);
  const std::string text = error_text([&] { trainer.load(path); });
  CHECK(text != "no error");
  CHECK(state_of(trainer, folder) == before);
  return text;
}

}  // namespace

TEST_CASE("checkpoint: says what made it, and refuses another optimiser, wrapper, accumulation or shape") {
  const ScratchFolder folder;
  const auto average = optim::ema(optim::AdamW{.lr = 0.01f}, 0.9f);
  auto adam = make<Net>(optim::groups(optim::no_decay(is_vector), optim::AdamW{.lr = 0.01f}));
  auto averaged = make<Net>(average, precision::f16, accumulate<2>, seed{0});
  auto amsgrad = make<Net>(optim::amsgrad(optim::AdamW{}));
  auto wider = make<Wider>(optim::AdamW{});
  for (int i = 0; i < 3; ++i) adam.step(x), averaged.step(x), amsgrad.step(x), wider.step(x);
  const std::string a = folder / "adam", e = folder / "ema", m = folder / "amsgrad", w = folder / "wider";
  adam.save(a), averaged.save(e), amsgrad.save(m), wider.save(w);
  Model<Net> model(Cpu{}, 1);
  CHECK(error_text([&] { model.load(a); }).find("it is a trainer's checkpoint: trainer.load(path)") !=
        std::string::npos);
  model.load(a, {.allow = unexpected});
  CHECK(model.get<"fc.weight">().to_vector() == adam.model().get<"fc.weight">().to_vector());

  const io::Safetensors file(e);
  CHECK(file.metadata() == io::Safetensors::Metadata{{"weft.accumulate", "2"},
                                                     {"weft.applied", "1"},
                                                     {"weft.calls", "3"},
                                                     {"weft.checkpoint", "2"},
                                                     {"weft.groups", "0 0"},
                                                     {"weft.matrices", ""},
                                                     {"weft.optimizer", "ema(AdamW)"},
                                                     {"weft.precision", "f16"},
                                                     {"weft.seed", "0"},
                                                     {"weft.version", "0.1.0"}});
  CHECK(*io::Safetensors(a).find_metadata("weft.groups") == "1 0" + std::string());
  CHECK(*io::Safetensors(m).find_metadata("weft.optimizer") == "amsgrad(AdamW)");

  CHECK(refusal(adam, folder, e) ==
        "train/mismatch: '" + e +
            "' was saved with the optimiser ema(AdamW), and this trainer has the optimiser AdamW");
  CHECK(refusal(averaged, folder, m) ==
        "train/mismatch: '" + m +
            "' was saved with the optimiser amsgrad(AdamW), and this trainer has the optimiser ema(AdamW)");
  CHECK(
      refusal(adam, folder, w) ==
      "train/mismatch: '" + w +
          "' does not fit the trainer: of another shape or dtype: fc.weight, in the file f32 (4, 2), in the "
          "trainer f32 (3, 2), fc.bias, in the file f32 (4), in the trainer f32 (3), optimizer.0.fc.weight, "
          "in "
          "the file f32 (4, 2), in the trainer f32 (3, 2), optimizer.1.fc.weight, in the file f32 (4, 2), in "
          "the "
          "trainer f32 (3, 2), optimizer.0.fc.bias, in the file f32 (4), in the trainer f32 (3), "
          "optimizer.1.fc.bias, in the file f32 (4), in the trainer f32 (3)");
  edit(a, folder / "accumulated", {.metadata = {{"weft.accumulate", "4"}, {"weft.applied", "0"}}});
  CHECK(refusal(adam, folder, folder / "accumulated") ==
        "train/mismatch: '" + (folder / "accumulated") +
            "' was saved with accumulate 4, and this trainer has accumulate 1");
  edit(a, folder / "muon", {.metadata = {{"weft.matrices", "10"}}});
  CHECK(refusal(adam, folder, folder / "muon").find("updated as matrices (10") != std::string::npos);
  // other groups decay other parameters, which changes no state
  edit(a, folder / "groups", {.metadata = {{"weft.groups", "0 0"}}});
  CHECK(adam.load(folder / "groups").text() == "the parameter groups are not those of the checkpoint");
  CHECK(adam.load(a).notes.empty());

  // A file of format 1 says none of that: names and shapes alone tell that it is another's.
  const checkpoint_test::Edit old{.metadata = {{"weft.checkpoint", "1"},
                                               {"weft.optimizer", ""},
                                               {"weft.precision", ""},
                                               {"weft.accumulate", ""},
                                               {"weft.groups", ""},
                                               {"weft.version", ""}}};
  edit(a, folder / "old_adam", old), edit(e, folder / "old_ema", old), edit(m, folder / "old_amsgrad", old);
  const std::string saved = state_of(adam, folder);
  adam.step(x);
  CHECK(adam.load(folder / "old_adam").text() == "continues");
  CHECK(state_of(adam, folder) == saved);
  CHECK(averaged.load(folder / "old_ema").text() == "continues");
  CHECK(refusal(adam, folder, folder / "old_amsgrad")
            .find("unexpected optimizer.2.fc.bias f32 (3), optimizer.2.fc.weight f32 (3, 2)") !=
        std::string::npos);
  CHECK(refusal(adam, folder, folder / "old_ema").find("1 updates cannot come of 3 calls at 1 each") !=
        std::string::npos);
  CHECK(refusal(amsgrad, folder, folder / "old_adam").find("missing optimizer.2.fc.weight f32 (3, 2)") !=
        std::string::npos);
  // models, and files that are none
  adam.model().save(folder / "model");
  CHECK(refusal(adam, folder, folder / "model").find("it lacks weft.checkpoint") != std::string::npos);
  io::write_file(folder / "cut", io::read_file(a).substr(0, io::read_file(a).size() - 1));
  CHECK(refusal(adam, folder, folder / "cut").starts_with("safetensors/"));
}

TEST_CASE("checkpoint: another precision is taken with a note, and the loss scale starts anew") {
  const ScratchFolder folder;
  const std::string path = folder / "checkpoint";
  const auto adam = optim::AdamW{.lr = 0.01f};
  auto f32s = make<Net>(optim::groups(optim::no_decay(is_vector), adam));
  auto f16s = make<Net>(optim::groups(optim::no_decay(is_vector), adam), precision::f16);
  const std::vector<f32> bad(8, std::numeric_limits<f32>::quiet_NaN());
  const auto saved = [&](const char* name) {
    const io::Safetensors file(path);
    const io::SafetensorsEntry& entry = file.at(name);
    return entry.dtype == DType::i32 ? static_cast<f32>(entry.to_vector<i32>()[0])
                                     : entry.to_vector<f32>()[0];
  };
  f16s.step(x), f16s.step(bad), f16s.step(x);
  f16s.save(path);
  CHECK(saved("weft.scale") == 32768);
  CHECK(saved("weft.updates") == 2);
  CHECK(
      f32s.load(path).text() ==
      "the checkpoint is of precision f16, this trainer of f32; the updates that were skipped are no longer "
      "counted");
  CHECK(f32s.steps() == 3);
  f32s.step(x);
  f32s.save(path);
  CHECK(*io::Safetensors(path).find_metadata("weft.applied") == "3");
  CHECK(*io::Safetensors(path).find_metadata("weft.calls") == "4");
  CHECK(saved("weft.updates") == 3);
  CHECK(saved("weft.scale") == 65536);
  CHECK(f16s.load(path).text() ==
        "the checkpoint is of precision f32, this trainer of f16; the loss scale starts anew");
  CHECK(f32s.load(path).text() == "continues");
  const f32 one = f32s.step(x), two = f16s.step(x);
  CHECK(two == doctest::Approx(one).epsilon(1e-3));
  f16s.save(path);
  CHECK(saved("weft.good") == 1);
  CHECK(saved("weft.updates") == 4);
  // a scale from before there were bounds
  edit(path, folder / "far", {.tensors = {scalar("weft.scale", 1e30f)}});
  CHECK(f16s.load(folder / "far").text() == "the loss scale is brought within its bounds");
  f16s.save(path);
  CHECK(saved("weft.scale") == train::LossScale::most);
}

TEST_CASE("checkpoint: numbers that cannot be are refused before anything changes") {
  const ScratchFolder folder;
  auto trainer = make<Net>(optim::groups(optim::no_decay(is_vector), optim::AdamW{.lr = 0.01f}));
  for (int i = 0; i < 5; ++i) trainer.step(x);
  const std::string path = folder / "checkpoint", bad = folder / "bad";
  const data::Arrays<f32> rows({std::vector<f32>(40), {2}});
  auto loader = data::loader<4>(rows);
  trainer.save(path, loader);
  // a number that is none, in each place of a number; "" is one that is missing
  for (const char* key : {"weft.calls", "weft.applied", "weft.epoch", "weft.batch", "weft.checkpoint",
                          "weft.accumulate", "weft.seed"})
    for (const char* value : {"-5", "-0", "+5", " 5", "5 ", "05", "0x5", "5.0", "5e0", "abc", "nan",
                              "9223372036854775808", "99999999999999999999999", "18446744073709551616", "-1",
                              "-9223372036854775808", "5,", "\xC2\xB9", ""}) {
      if (*value == 0 && key == std::string("weft.accumulate")) continue;  // checked below
      if (*value == '9' && std::string(value).size() == 19 && key == std::string("weft.seed"))
        continue;  // 64 bits hold 2^63
      CAPTURE(key);
      CAPTURE(value);
      edit(path, bad, {.metadata = {{key, value}}});
      CHECK(refusal(trainer, folder, bad).starts_with("train/no-checkpoint: "));
    }
  // numbers that are too large, or do not go together
  for (const auto& [key, value] : {std::pair{"weft.calls", "9223372036854775807"},
                                   {"weft.calls", "9007199254740993"},
                                   {"weft.calls", "4"},
                                   {"weft.applied", "6"},
                                   {"weft.applied", "2147483648"},
                                   {"weft.applied", "4"},
                                   {"weft.epoch", "9223372036854775807"},
                                   {"weft.batch", "9223372036854775807"},
                                   {"weft.accumulate", ""},
                                   {"weft.optimizer", ""},
                                   {"weft.precision", ""},
                                   {"weft.version", ""},
                                   {"weft.version", "abc"},
                                   {"weft.version", "0.1"},
                                   {"weft.version", "0..1"},
                                   {"weft.version", "0.1.0."},
                                   {"weft.groups", ""}}) {
    CAPTURE(key);
    CAPTURE(value);
    edit(path, bad, {.metadata = {{key, value}}});
    CHECK(refusal(trainer, folder, bad).starts_with("train/no-checkpoint: "));
  }
  edit(path, bad, {.metadata = {{"weft.seed", "18446744073709551615"}}});
  CHECK(error_id([&] { trainer.load(bad); }) == "no error");
  edit(path, bad, {.metadata = {{"weft.checkpoint", "3"}, {"weft.version", "9.1.0"}}});
  CHECK(refusal(trainer, folder, bad) == "train/newer-checkpoint: '" + bad +
                                             "' is a checkpoint of format 3, written by weft 9.1.0; this one "
                                             "reads up to 2");
  const auto tensor = [&](const std::pair<std::string, std::vector<u8>>& changed) {
    edit(path, bad, {.tensors = {changed}});
    CAPTURE(changed.first);
    CHECK(refusal(trainer, folder, bad).starts_with("train/no-checkpoint: "));
  };
  for (const i32 n : {-1, 6, INT32_MIN, INT32_MAX}) tensor(scalar("weft.updates", n));
  for (const i32 n : {-1, 2000, INT32_MIN, INT32_MAX}) tensor(scalar("weft.good", n));
  for (const f32 s : {0.0f, -1.0f, std::numeric_limits<f32>::infinity(),
                      -std::numeric_limits<f32>::infinity(), std::numeric_limits<f32>::quiet_NaN()})
    tensor(scalar("weft.scale", s));
}

TEST_CASE("checkpoint: a loader's position is taken last, and left alone by an error") {
  const ScratchFolder folder;
  auto trainer = make<Net>(optim::groups(optim::no_decay(is_vector), optim::AdamW{.lr = 0.01f}));
  trainer.step(x);
  const data::Arrays<f32> rows({std::vector<f32>(40), {2}}), more({std::vector<f32>(80), {2}});
  auto loader = data::loader<4>(rows, {.shuffle = true}), longer = data::loader<4>(more);
  const std::string path = folder / "checkpoint", plain = folder / "plain";
  longer.seek({3, 7});
  trainer.save(path, longer);
  trainer.save(plain);
  trainer.step(x);
  // a loop that was left early: the next one begins a new epoch, unless a load said otherwise
  for ([[maybe_unused]] auto& batch : loader) break;
  CHECK(loader.position() == data::Position{0, 1});
  const std::string before = state_of(trainer, folder);
  CHECK(error_id([&] { trainer.load(path, loader); }) == "loader/position");  // it has 5 batches
  CHECK(error_text([&] { trainer.load(plain, loader); }).find("no position of a loader") !=
        std::string::npos);
  edit(path, folder / "bad", {.metadata = {{"weft.calls", "-1"}, {"weft.batch", "2"}}});
  CHECK(error_id([&] { trainer.load(folder / "bad", loader); }) == "train/no-checkpoint");
  edit(path, folder / "other", {.metadata = {{"weft.optimizer", "SGD"}, {"weft.batch", "2"}}});
  CHECK(error_id([&] { trainer.load(folder / "other", loader); }) == "train/mismatch");
  CHECK(state_of(trainer, folder) == before);
  CHECK(loader.position() == data::Position{0, 1});
  for ([[maybe_unused]] auto& batch : loader) break;
  CHECK(loader.position() == data::Position{1, 1});
  edit(path, folder / "good", {.metadata = {{"weft.batch", "2"}}});
  trainer.load(folder / "good", loader);
  CHECK(trainer.steps() == 1);
  CHECK(loader.position() == data::Position{3, 2});
}
