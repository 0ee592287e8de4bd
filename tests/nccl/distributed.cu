// What a trainer of several ranks does on GPUs beside its steps: running statistics, gathered
// gradients, checkpoints, evaluation, the order of its launches. usage: distributed FOLDER. Ends with 0 where
// it does on this rank.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "weft/nccl.hpp"
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
  nn::BatchNorm1d<32> norm;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<32, 4> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(norm(fc1(x))))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

auto trainer_of(const comm::Nccl& world) {
  return make_trainer<Net>(world.device(), loss, in<f32, 8, 64>, in<i32, 8>, optim::AdamW{.lr = 1e-2f},
                           seed{1}, comm::ddp<comm::Nccl, 256>, accumulate<2>, clip::norm(1.0f));
}
// 51 samples, so that the last batch is padded.
auto samples() {
  std::vector<f32> x(51 * 64);
  std::vector<i32> y(51);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(std::sin(0.37 * static_cast<f64>(i)));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<i32>(i * 7 % 4);
  return data::Arrays<f32, i32>({x, {64}}, {y, {}});
}
auto loader_of(const auto& dataset, const comm::Nccl& world) {
  return data::loader<8>(data::by_reference(dataset),
                         {.shuffle = true, .seed = 5, .rank = world.rank(), .ranks = world.size()});
}

std::vector<f32> state(auto& trainer) {
  std::vector<f32> all;
  const auto add = [&](const std::vector<f32>& values) {
    all.insert(all.end(), values.begin(), values.end());
  };
  add(trainer.model().template get<"fc1.weight">().to_vector());
  add(trainer.model().template get<"norm.running_mean">().to_vector());
  add(trainer.model().template get<"norm.running_var">().to_vector());
  add(trainer.model().template get<"fc2.bias">().to_vector());
  return all;
}
void check_equal(const std::vector<f32>& mine, const char* what, const comm::Nccl& world) {
  const auto ranks = comm::Nccl::connect();
  std::vector<f32> all(mine.size() * static_cast<std::size_t>(world.size()));
  ranks->all_gather(mine.data(), all.data(), static_cast<i64>(mine.size() * sizeof(f32)));
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] != mine[k % mine.size()]) return check(false, what, world.rank());
}

void checkpoints(const auto& dataset, const comm::Nccl& world, const std::string& folder) {
  const std::string path = folder + "/nccl.safetensors";  // of rank 0, on one machine
  auto whole = trainer_of(world);
  auto all = loader_of(dataset, world);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& [x, y] : all) {
      whole.step(x, y);
      if (whole.steps() == 2) whole.save(path, all);
    }
  check(whole.gradient_norm() > 0, "no norm", world.rank());
  check_equal(state(whole), "ranks differ", world);

  auto resumed = trainer_of(world);
  auto loader = loader_of(dataset, world);
  resumed.load(path, loader);
  while (resumed.steps() < whole.steps())
    for (auto& [x, y] : loader) resumed.step(x, y);
  check(state(resumed) == state(whole), "another state than a run that never stopped", world.rank());

  const auto hits = [](const auto& m, auto x, auto y) { return accuracy(m(x), y); };
  const f64 got = whole.evaluate(hits, dataset);
  const f64 alone = evaluate(whole.model(), hits, dataset, in<f32, 8, 64>, in<i32, 8>);
  check(got - alone < 1e-12 && alone - got < 1e-12, "another accuracy than one rank's", world.rank());

  std::string said;
  try {
    resumed.load(world.rank() == world.size() - 1 ? folder + "/nowhere" : path);
  } catch (const Error& e) {
    said = e.id();
  }
  check(said == (world.rank() == world.size() - 1 ? "file/open" : "comm/rank"), "a rank without a file",
        world.rank());
}

// The first sum begins before the backward pass ends, and all are waited for behind it.
void check_order(auto& trainer, const comm::Nccl& world) {
  const std::string text = trainer.explain();
  std::size_t starts = 0, first = std::string::npos, last = 0;
  for (std::size_t at = text.find("all_reduce_start"); at != std::string::npos;
       at = text.find("all_reduce_start", at + 1)) {
    if (starts++ == 0) first = at;
    last = at;
  }
  const std::size_t done = text.find("all_reduce_done");
  check(starts > 1 && done != std::string::npos && last < done, "sums are not awaited together",
        world.rank());
  check(text.find("dot", first) < last, "no product of the backward pass between two sums", world.rank());
}

// The other ranks still wait for something before when rank 0 begins a connection.
void check_early_connection(const comm::Nccl& world) {
  if (world.rank() > 0)
    comm::NcclRanks::get().wait("a pause",
                                [end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300)] {
                                  return std::chrono::steady_clock::now() > end;
                                });
  check_equal({1, 2, 3}, "ranks that connect at different times", world);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  if (cuda_device_count() == 0) return 77;
  const comm::Nccl world;
  const auto dataset = samples();
  checkpoints(dataset, world, argv[1]);
  auto trainer = trainer_of(world);
  check_order(trainer, world);
  check_early_connection(world);
  return faults == 0 ? 0 : 1;
} catch (const Error& e) {
  std::printf("%s\n", e.what());
  return 1;
}
