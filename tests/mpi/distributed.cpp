// The code of docs/distributed.md that is of no other program, between its marks. usage: distributed FOLDER.
// Ends with 0 where what the page says of it holds on this rank.

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "support/repository.hpp"
#include "weft/mpi.hpp"
#include "weft/train/scaling.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

int faults = 0;
void check(bool holds, const char* what, int rank) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  ++faults;
}

struct Net {
  nn::Linear<64, 32> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<32, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

template <class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 1e-2f}, seed{1},
                           comm::ddp<comm::Mpi>, options...);
}
auto loader_of(const data::Digits& digits, const comm::Mpi& world) {
  return data::loader<32>(digits.train,
                          {.shuffle = true, .seed = 5, .rank = world.rank(), .ranks = world.size()});
}

void options(const data::Digits& digits, const comm::Mpi& world) {
  auto batches = loader_of(digits, world);
  // [options]
  auto trainer =
      make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 1e-2f}, seed{1},
                        comm::ddp<comm::Mpi, 1 << 20>,  // buckets of at least 1 MiB
                        accumulate<4>,                  // one sum over ranks for every four calls of step
                        clip::norm(1.0f),               // of the mean over ranks and calls
                        precision::f16);  // all ranks have one loss scale, and skip the same updates
  for (auto& [x, y] : batches) trainer.step(x, y);
  const f64 norm = trainer.gradient_norm();  // on every rank the same number
  // [/options]
  const auto ranks = comm::Mpi::connect();
  std::vector<f64> all(static_cast<std::size_t>(world.size()));
  ranks->all_gather(&norm, all.data(), sizeof norm);
  for (const f64 other : all) check(other == norm && norm > 0, "another norm", world.rank());
}

void gather(const data::Digits& digits, const comm::Mpi& world) {
  auto trainer = trainer_of();
  auto batches = loader_of(digits, world);
  // [gather]
  const auto ranks = comm::Mpi::connect();  // once: every rank calls it
  f64 mean = 0;
  for (auto& [x, y] : batches) {
    const f32 own = trainer.step(x, y);  // of this rank's batch
    mean = ranks->mean(own);             // over the ranks, whose batches are of one size
  }
  // [/gather]
  std::vector<f64> all(static_cast<std::size_t>(world.size()));
  const f64 own = world.rank() + 1;
  ranks->all_gather(&own, all.data(), sizeof own);
  check(ranks->sum(own) == world.size() * (world.size() + 1) / 2.0, "another sum", world.rank());
  check(mean > 0 && mean < 1.5, "no mean loss", world.rank());
  check(world.size() == 1 || all[0] + 1 == all[1], "other numbers of the ranks", world.rank());
}

void evaluate_all(const data::Digits& digits, const comm::Mpi& world) {
  auto trainer = trainer_of();
  // [evaluate]
  const auto [cost, hits] = trainer.evaluate(
      [](const auto& m, auto x, auto y) {
        const auto logits = m(x);
        return std::tuple{cross_entropy(logits, y), accuracy(logits, y)};
      },
      digits.test);
  // [/evaluate]
  const f64 alone = evaluate(trainer.model(), loss, digits.test, in<f32, 32, 64>, in<i32, 32>);
  check(cost - alone < 1e-9 && alone - cost < 1e-9, "another loss than one rank's", world.rank());
  check(hits >= 0 && hits <= 1, "no accuracy", world.rank());
}

void checkpoints(const data::Digits& digits, const comm::Mpi& world, const std::string& folder) {
  const std::string path = folder + "/distributed.safetensors";
  auto whole = trainer_of();
  auto all = loader_of(digits, world);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& [x, y] : all) whole.step(x, y);
  auto trainer = trainer_of();
  auto batches = loader_of(digits, world);
  for (auto& [x, y] : batches) {
    trainer.step(x, y);
    // [save]
    if (trainer.steps() % 10 == 0) trainer.save(path, batches);  // called by all, written by rank 0
    // [/save]
  }
  auto resumed = trainer_of(), other = trainer_of();
  auto loader = loader_of(digits, world);
  // [resume]
  resumed.load(path, loader);  // each rank reads the file, and its loader goes on where it stood
  // [/resume]
  check(resumed.steps() == batches.batches() / 10 * 10, "another step", world.rank());
  while (resumed.steps() < 2 * batches.batches())
    for (auto& [x, y] : loader) resumed.step(x, y);
  check(resumed.model().get<"fc1.weight">().to_vector() == whole.model().get<"fc1.weight">().to_vector(),
        "another state than a run that never stopped", world.rank());
  std::string said;
  try {
    other.load(world.rank() == world.size() - 1 ? folder + "/nowhere" : path);
  } catch (const Error& e) {
    said = e.id();
  }
  check(said == (world.rank() == world.size() - 1 ? "file/open" : "comm/rank"), "a rank without a file",
        world.rank());
}

void sharded(const data::Digits& digits, const comm::Mpi& world, const std::string& folder) {
  auto batches = loader_of(digits, world);
  // [zero]
  auto trainer = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 1e-2f},
                                   seed{1}, comm::zero<1, comm::Mpi>);
  // parameters and, of each, two moments: what a rank holds of them is a constant for any number of ranks
  static_assert(trainer.state_bytes(1) == 30'208);
  static_assert(trainer.state_bytes(4) == 15'360);
  for (auto& [x, y] : batches) trainer.step(x, y);
  // [/zero]
  // [zero2]
  auto least = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 1e-2f},
                                 seed{1}, comm::zero<2, comm::Mpi>);
  static_assert(least.state_bytes(4) == 17'920);  // with a piece of the gradients
  // [/zero2]
  // [zero3]
  auto pieces = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 1e-2f},
                                  seed{1}, comm::zero<3, comm::Mpi>);
  static_assert(pieces.state_bytes(1) == 40'192);
  static_assert(pieces.state_bytes(4) == 10'496);  // a fourth of everything
  const f64 before = pieces.evaluate(digits.test);
  const auto whole_model = pieces.model();  // calls of all ranks, this and evaluate
  if (world.rank() == 0) whole_model.save(folder + "/model.safetensors");
  // [/zero3]
  check(before > 0, "a loss", world.rank());
  for (auto& [x, y] : batches) {
    least.step(x, y);
    pieces.step(x, y);
  }
  check(pieces.model().get<"fc1.weight">().to_vector() == least.model().get<"fc1.weight">().to_vector(),
        "another state than with whole parameters", world.rank());
  const std::string path = folder + "/sharded.safetensors";
  trainer.save(path);
  // [unshare]
  auto whole = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 1e-2f},
                                 seed{1}, comm::ddp<comm::Mpi>);
  whole.load(path);  // what ranks with pieces wrote
  // [/unshare]
  for (auto& [x, y] : batches) {
    trainer.step(x, y);
    whole.step(x, y);
  }
  check(trainer.model().get<"fc1.weight">().to_vector() == whole.model().get<"fc1.weight">().to_vector(),
        "another state than with all moments on each rank", world.rank());
}

void in_files(const data::Digits& digits, const comm::Mpi& world, const std::string& folder) {
  const std::string path = folder + "/parts.safetensors.index.json", one = folder + "/one.safetensors";
  auto trainer = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 1e-2f},
                                   seed{1}, comm::zero<1, comm::Mpi>);
  auto batches = loader_of(digits, world);
  // [background]
  Saving saving;
  for (auto& [x, y] : batches) {
    trainer.step(x, y);
    if (trainer.steps() % 10 == 0) saving = trainer.save_in_background(path, batches);
  }
  saving.wait();  // of the last one; each before it was waited for by the one that came next
  // [/background]
  trainer.save(one, batches);
  auto resumed = trainer_of(), other = trainer_of();
  resumed.load(path), other.load(one);
  check(resumed.steps() == batches.batches() / 10 * 10, "another step", world.rank());
  trainer.save(path, batches);
  resumed.load(path);
  check(resumed.model().get<"fc1.weight">().to_vector() == other.model().get<"fc1.weight">().to_vector(),
        "another state in several files than in one", world.rank());
  const auto [x, y] = *batches.begin();
  resumed.step(x, y), other.step(x, y);
  check(resumed.model().get<"fc1.weight">().to_vector() == other.model().get<"fc1.weight">().to_vector(),
        "other moments in several files than in one", world.rank());
}

void streams(const comm::Mpi& world) {
  const i64 rank = world.rank(), ranks = world.size();
  // [stream]
  // sample k of the stream is that of rank k % ranks
  const auto own = data::from_generator([rank, ranks](i64) {
    return [k = rank, ranks]() mutable -> std::optional<std::tuple<f32, i32>> {
      if (k >= 24 * ranks) return std::nullopt;  // as many for each rank
      const i64 at = k;
      k += ranks;
      return std::tuple{static_cast<f32>(at), static_cast<i32>(at % 10)};
    };
  });
  // [/stream]
  i64 rows = 0;
  for (auto& [x, y] : data::loader<8>(own)) {
    for (i64 i = 0; i < 8; ++i, ++rows)
      check(x[i] == static_cast<f32>(rank + rows * ranks), "another sample", world.rank());
  }
  check(rows == 24, "another number of samples", world.rank());
}

// A prediction is the same on every rank, whatever their number.
void predicted(const comm::Mpi& world) {
  auto trainer = trainer_of();
  // [scaling]
  const Cluster cluster{.rank = {.bytes_per_second = 20e9, .flops_per_second = 100e9},  // a core
                        .ranks_per_node = 16,
                        .node = {.bytes_per_second = 5e9, .seconds = 1e-6},
                        .network = {.bytes_per_second = 1e9, .seconds = 10e-6},
                        .overlaps = false};  // comm::Mpi moves bytes with the cores that compute
  const auto points = predict_scaling(trainer, cluster, {1, 16, 64});
  if (world.rank() == 0) std::fputs(to_text(points).c_str(), stdout);
  // [/scaling]
  check(points.size() == 3 && points[0].efficiency() == 1, "one rank waits for none", world.rank());
  check(points[1].efficiency() < 1 && points[2].efficiency() < points[1].efficiency(),
        "ranks wait for nothing", world.rank());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const comm::Mpi world;
  const data::Digits digits = data::load_digits(repository_file("examples/data/digits.bin"));
  options(digits, world);
  gather(digits, world);
  evaluate_all(digits, world);
  checkpoints(digits, world, argv[1]);
  sharded(digits, world, argv[1]);
  in_files(digits, world, argv[1]);
  streams(world);
  predicted(world);
  return faults == 0 ? 0 : 1;
}
