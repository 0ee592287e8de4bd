// Ranks that NCCL connects: they end where one process does that gathers the gradients of as many calls, bit
// for bit, and evaluate to the same number. Ends with 0 where that holds on this rank.

#include <cstdio>
#include <string>
#include <vector>

#include "support/labelled_batch.hpp"
#include "weft/nccl.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr i64 batch = 8, width = 64, classes = 10;

struct Net {
  nn::Linear<width, 64> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<64, 64> fc2;
  nn::Linear<64, classes> fc3;
  constexpr auto operator()(auto x) const { return fc3(relu(fc2(drop(relu(fc1(x)))))); }
};

// Values that are too large for f16: updates that are skipped, on all ranks.
struct Overflowing {
  nn::Linear<width, 64> fc1;
  nn::Linear<64, 64> fc2;
  nn::Linear<64, classes> fc3;
  constexpr auto operator()(auto x) const { return fc3(relu(fc2(relu(fc1(x * 3e3f))))); }
};

// Buckets of a KiB: fc3; fc2; fc1.
template <class Model, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Model>(
      comm::Nccl().device(), [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); },
      in<f32, batch, width>, in<i32, batch>, optim::AdamW{.lr = 1e-3f}, clip::norm(1.0f), options...);
}

// Batch number `call` of all.
test_support::LabelledBatch batch_of(i64 call) {
  return test_support::labelled_batch(call, batch, width, classes);
}
template <class T>
void run_calls(T& trainer, i64 calls, i64 rank, i64 of) {
  for (i64 c = 0; c < calls; ++c) {
    const auto b = batch_of(trainer.steps() * of + rank);
    trainer.step(b.x, b.y);
  }
}

template <class T>
std::vector<f32> weights(T& trainer) {
  std::vector<f32> all;
  const auto add = [&](const std::vector<f32>& values) {
    all.insert(all.end(), values.begin(), values.end());
  };
  add(trainer.model().template get<"fc1.weight">().to_vector());
  add(trainer.model().template get<"fc1.bias">().to_vector());
  add(trainer.model().template get<"fc2.weight">().to_vector());
  add(trainer.model().template get<"fc2.bias">().to_vector());
  add(trainer.model().template get<"fc3.weight">().to_vector());
  add(trainer.model().template get<"fc3.bias">().to_vector());
  return all;
}

int faults = 0;
void check(bool holds, const char* what, int rank) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  ++faults;
}

template <int Ranks, class Model = Net, class... O>
void compare(const comm::Nccl& world, const char* what, const O&... options) {
  const int rank = world.rank(), before = faults;
  auto trainer = trainer_of<Model>(seed{static_cast<u64>(rank + 1)}, comm::ddp<comm::Nccl, 1024>, options...);
  run_calls(trainer, 3, rank, Ranks);
  const std::vector<f32> got = weights(trainer);
  auto alone = trainer_of<Model>(seed{1}, accumulate<Ranks>, options...);
  run_calls(alone, 3 * Ranks, 0, 1);
  check(got == weights(alone), "another state than one process's", rank);
  check(trainer.gradient_norm() == alone.gradient_norm(), "another norm than one process's", rank);
  if (faults > before) std::printf("rank %d: with %s\n", rank, what);
}
template <int Ranks>
void run(const comm::Nccl& world) {
  compare<Ranks>(world, "f32");
  compare<Ranks>(world, "bf16", precision::bf16);
  compare<Ranks>(world, "f16", precision::f16);
  compare<Ranks>(world, "f8", precision::f8);
  compare<Ranks, Overflowing>(world, "f16 that overflows", precision::f16);
  compare<Ranks>(world, "a look at every kernel's results", check::finite);
}

}  // namespace

int main() try {
  if (cuda_device_count() == 0) return 77;
  const comm::Nccl world;
  if (world.size() == 1) run<1>(world);
  if (world.size() == 2) run<2>(world);
  if (world.size() == 3) run<3>(world);
  return faults == 0 ? 0 : 1;
} catch (const Error& e) {
  std::printf("%s\n", e.what());
  return 1;
}
