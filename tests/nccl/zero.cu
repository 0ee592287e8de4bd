// Ranks that NCCL connects and that share their state out: they end where ranks do of which each
// has all, bit for bit, and so do those that go on from the file that they wrote. Ends with 0 where that
// holds on this rank.

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "support/labelled_batch.hpp"
#include "support/same_state.hpp"
#include "weft/nccl.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr i64 batch = 8, width = 64, classes = 10;

struct Net {  // 18,954 parameters, whose norm has two chunks
  nn::Linear<width, 250> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<250, classes> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};
struct Block {
  nn::Linear<width, width> fc;
  constexpr auto operator()(auto x) const { return x + relu(fc(x)); }
};
struct Deep {
  nn::Stack<Block, 3> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(h(x)); }
};
// Values that are too large for f16: updates that are skipped, on all ranks.
struct Overflowing {
  nn::Linear<width, classes> fc;
  constexpr auto operator()(auto x) const { return fc(x * 3e4f); }
};

// Buckets of a KiB, so that there are several.
template <int Stage>
inline constexpr auto zero = comm::zero<Stage, comm::Nccl, 1024>;
inline constexpr auto ddp = comm::ddp<comm::Nccl, 1024>;

template <class Model, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Model>(
      comm::Nccl().device(), [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); },
      in<f32, batch, width>, in<i32, batch>, options...);
}
template <class T>
void run_calls(T& trainer, i64 calls, i64 rank, i64 of) {
  for (i64 c = 0; c < calls; ++c) {
    const auto b = test_support::labelled_batch(trainer.steps() * of + rank, batch, width, classes);
    trainer.step(b.x, b.y);
  }
}

int faults = 0;
void check(const std::string& different, const char* what, const char* of) {
  if (different.empty()) return;
  std::printf("rank %d: %s, with %s: %s\n", comm::Nccl().rank(), what, of, different.c_str());
  ++faults;
}
template <class A, class B>
std::string difference(const A& a, const B& b) {
  return test_support::different_state(a.model(), b.model());
}

// Against ranks that have everything, and, from a file of behind an update on, against a run that never
// stopped.
template <int Stage, class Model = Net, class... O>
void compare(const comm::Nccl& world, const std::string& path, const char* of, const O&... options) {
  const int rank = world.rank(), ranks = world.size();
  auto shared = trainer_of<Model>(seed{static_cast<u64>(rank + 1)}, zero<Stage>, options...);
  auto whole = trainer_of<Model>(seed{1}, ddp, options...);
  run_calls(shared, 4, rank, ranks);
  run_calls(whole, 4, rank, ranks);
  check(difference(shared, whole), "another state than with everything on each rank", of);
  shared.save(path);
  auto resumed = trainer_of<Model>(seed{5}, zero<Stage>, options...);
  auto elsewhere = trainer_of<Model>(seed{6}, ddp, options...);
  resumed.load(path);
  elsewhere.load(path);
  for (auto* trainer : {&whole, &elsewhere}) run_calls(*trainer, 2, rank, ranks);
  run_calls(resumed, 2, rank, ranks);
  check(difference(resumed, whole), "another state than a run that never stopped", of);
  check(difference(elsewhere, whole), "its file leads elsewhere", of);
}

// With a norm, whose sum has another order than a whole arena's on a GPU: the same to rounding, and the same
// bits in every run and on every rank.
template <int Stage>
void compare_clipped(const comm::Nccl& world) {
  const int rank = world.rank(), ranks = world.size();
  const auto adam = optim::AdamW{.lr = 1e-2f};
  auto shared = trainer_of<Net>(seed{1}, zero<Stage>, adam, clip::norm(0.5f), check::finite);
  auto again = trainer_of<Net>(seed{1}, zero<Stage>, adam, clip::norm(0.5f));
  auto whole = trainer_of<Net>(seed{1}, ddp, adam, clip::norm(0.5f));
  run_calls(shared, 3, rank, ranks);
  run_calls(again, 3, rank, ranks);
  run_calls(whole, 3, rank, ranks);
  check(difference(shared, again), "another state than the same run", "a norm");
  const f64 norm = shared.gradient_norm(), right = whole.gradient_norm();
  check(std::fabs(norm - right) < 1e-5 * right ? "" : "norm",
        "another norm than with everything on each rank", "a norm");
  const auto got = shared.model().template get<"fc1.weight">().to_vector(),
             want = whole.model().template get<"fc1.weight">().to_vector();
  f64 most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) most = std::fmax(most, std::fabs(got[i] - want[i]));
  check(most < 1e-4 ? "" : std::to_string(most), "weights far from those with everything on each rank",
        "a norm");
  std::vector<f32> of_first = got;
  comm::Nccl::connect()->broadcast(of_first.data(), static_cast<i64>(of_first.size() * sizeof(f32)));
  check(of_first == got ? "" : "fc1.weight", "another state than rank 0's", "a norm");
}

// Stages 2 and 3 add the calls of all ranks in their order, as one process does, and a file between two
// updates has what they have added so far.
template <int Stage, int Ranks>
void compare_gathered(const comm::Nccl& world, const std::string& path) {
  const int rank = world.rank();
  const auto adam = optim::AdamW{.lr = 1e-2f};
  auto shared = trainer_of<Net>(seed{1}, zero<Stage>, accumulate<3>, adam);
  run_calls(shared, 5, rank, Ranks);
  shared.save(path);
  run_calls(shared, 4, rank, Ranks);
  auto resumed = trainer_of<Net>(seed{2}, zero<Stage>, accumulate<3>, adam);
  resumed.load(path);
  run_calls(resumed, 4, rank, Ranks);
  check(difference(resumed, shared), "another state than one that was not saved between updates",
        "accumulate");
  auto alone = trainer_of<Net>(seed{1}, accumulate<3 * Ranks>, adam);
  run_calls(alone, 9 * Ranks, 0, 1);
  check(difference(alone, shared), "another state than one process", "accumulate");
}

// NCCL's own reductions, and gradients of bf16: near those of sums in the order of ranks, and on every rank
// the same bits.
template <class Comm>
void compare_reduction(const comm::Nccl& world, const Comm& comm, f64 near) {
  const int rank = world.rank(), ranks = world.size();
  const optim::SGD sgd{.lr = 0.1f};  // AdamW makes a step of what is nearly 0
  auto shared = trainer_of<Net>(seed{1}, comm, sgd);
  auto whole = trainer_of<Net>(seed{1}, ddp, sgd);
  run_calls(shared, 2, rank, ranks);
  run_calls(whole, 2, rank, ranks);
  const auto got = shared.model().template get<"fc1.weight">().to_vector(),
             want = whole.model().template get<"fc1.weight">().to_vector();
  f64 most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) most = std::fmax(most, std::fabs(got[i] - want[i]));
  check(most < near ? "" : std::to_string(most), "weights far from sums in order", "a reduction");
  std::vector<f32> of_first = got;
  comm::Nccl::connect()->broadcast(of_first.data(), static_cast<i64>(of_first.size() * sizeof(f32)));
  check(of_first == got ? "" : "fc1.weight", "another state than rank 0's", "a reduction");
}

// Ranks gather the average of the weights, and write a file each.
void compare_files(const comm::Nccl& world, const std::string& folder) {
  const int rank = world.rank(), ranks = world.size();
  const auto averaged = optim::ema(optim::AdamW{.lr = 1e-2f}, 0.9f);
  auto shared = trainer_of<Net>(seed{1}, zero<1>, averaged);
  auto whole = trainer_of<Net>(seed{1}, ddp, averaged);
  run_calls(shared, 3, rank, ranks);
  run_calls(whole, 3, rank, ranks);
  check(test_support::different_state(shared.average(), whole.average()), "another average", "files");
  shared.save(folder + "/pieces.safetensors.index.json");
  auto resumed = trainer_of<Net>(seed{2}, zero<2>, averaged);
  resumed.load(folder + "/pieces.safetensors.index.json");
  run_calls(resumed, 2, rank, ranks);
  run_calls(whole, 2, rank, ranks);
  check(difference(resumed, whole), "another state than a run that never stopped", "files");
}

// The page's excerpt: what a rank holds is a constant.
void share_out(const comm::Nccl& world) {
  const auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
  const auto b = test_support::labelled_batch(world.rank(), batch, width, classes);
  // [zero]
  auto trainer = make_trainer<Net>(world.device(), loss, in<f32, 8, 64>, in<i32, 8>,
                                   optim::AdamW{.lr = 1e-2f}, comm::zero<2, comm::Nccl>);
  static_assert(trainer.state_bytes(1) == 302'336);  // of each parameter itself, two moments, the gradient
  static_assert(trainer.state_bytes(8) == 104'192);
  trainer.step(b.x, b.y);
  // [/zero]
}

constexpr auto every_product = [](std::string_view, const Dims&) { return true; };
constexpr auto in_8_bits = precision::f8_with<precision::DelayedScaling{}, every_product>;

template <int Ranks>
void run(const comm::Nccl& world, const std::string& folder) {
  const std::string path = folder + "/shared.safetensors";
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const auto is_head = [](std::string_view name, const Dims&) { return name.starts_with("head"); };
  compare<1>(world, path, "stage 1", adam);
  compare<2>(world, path, "stage 2", adam);
  compare<1, Deep>(world, path, "stage 1, a Stack, accumulate", optim::SGD{.lr = 0.1f}, accumulate<2>);
  compare<2, Deep>(world, path, "stage 2, a Stack, groups, bf16",
                   optim::groups(optim::frozen(is_head), optim::no_decay(optim::is_vector), adam),
                   precision::bf16);
  compare<2>(world, path, "stage 2, f16", adam, precision::f16);
  compare<1, Overflowing>(world, path, "stage 1, f16 that overflows", adam, precision::f16);
  compare<3>(world, path, "stage 3", adam);
  compare<3, Deep>(world, path, "stage 3, a Stack, groups, bf16",
                   optim::groups(optim::frozen(is_head), optim::no_decay(optim::is_vector), adam),
                   precision::bf16);
  compare<3>(world, path, "stage 3, f16", adam, precision::f16);
  compare<2, Deep>(world, path, "stage 2, a Stack, f8", adam, in_8_bits);
  compare<3>(world, path, "stage 3, f8", adam, in_8_bits);
  compare_clipped<1>(world);
  compare_clipped<2>(world);
  compare_clipped<3>(world);
  compare_reduction(world, comm::ddp<comm::Nccl, 1024, comm::Reduction{.by_engine = true}>, 1e-5);
  compare_reduction(world, comm::zero<2, comm::Nccl, 1024, comm::Reduction{.by_engine = true}>, 1e-5);
  compare_reduction(world, comm::ddp<comm::Nccl, 1024, comm::Reduction{.in_bf16 = true}>, 1e-3);
  compare_reduction(world, comm::zero<3, comm::Nccl, 1024, comm::Reduction{.in_bf16 = true}>, 1e-3);
  compare_gathered<2, Ranks>(world, path);
  compare_gathered<3, Ranks>(world, path);
  compare_files(world, folder);
  share_out(world);
}

}  // namespace

// arguments: a folder that all ranks see
int main(int, char** arguments) try {
  if (cuda_device_count() == 0) return 77;
  const comm::Nccl world;
  const std::string folder = arguments[1];
  if (world.size() == 1) run<1>(world, folder);
  if (world.size() == 2) run<2>(world, folder);
  if (world.size() == 3) run<3>(world, folder);
  return faults == 0 ? 0 : 1;
} catch (const Error& e) {
  std::printf("%s\n", e.what());
  return 1;
}
