// Ranks that MPI connects and that share their state out: they end where ranks do of which each has all, bit
// for bit, and so do those that go on from the file that they wrote. Ends with 0 where that holds on this
// rank.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "support/repository.hpp"
#include "unit/io/scratch.hpp"
#include "weft/mpi.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Net {  // 18,954 parameters, whose norm has two chunks
  nn::Linear<64, 250> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<250, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};

template <class M = Net, class... O>
auto trainer_with(const O&... options) {
  return make_trainer<M>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 64>,
      in<i32, 32>, seed{1}, options...);
}
template <class... O>
auto trainer_of(const O&... options) {
  return trainer_with(optim::AdamW{.lr = 1e-3f}, options...);
}

// Whose trips gather and sum their own.
struct Block {
  nn::Linear<64, 64> fc;
  constexpr auto operator()(auto x) const { return x + relu(fc(x)); }
};
struct Deep {
  nn::Stack<Block, 3> h;
  nn::Linear<64, 10> head;
  constexpr auto operator()(auto x) const { return head(h(x)); }
};

int faults = 0;
void check(bool holds, const char* what, int rank) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  ++faults;
}

template <FixedString Name>
bool same_tensor(const auto& a, const auto& b) {
  return a.model().template get<Name>().to_vector() == b.model().template get<Name>().to_vector();
}
bool same(const auto& a, const auto& b) {
  return same_tensor<"fc1.weight">(a, b) && same_tensor<"fc1.bias">(a, b) &&
         same_tensor<"fc2.weight">(a, b) && same_tensor<"fc2.bias">(a, b);
}

template <int Stage, class... O>
void run(const comm::Mpi& world, const std::string& path, const O&... options) {
  const data::Digits digits = data::load_digits(repository_file("examples/data/digits.bin"));
  auto shared = trainer_of(comm::zero<Stage, comm::Mpi, 4096>, options...);
  auto whole = trainer_of(comm::ddp<comm::Mpi, 4096>, options...);
  auto batches = data::loader<32>(digits.train,
                                  {.shuffle = true, .seed = 5, .rank = world.rank(), .ranks = world.size()});
  for (auto& [x, y] : batches) {
    shared.step(x, y);
    whole.step(x, y);
    if (whole.steps() == 10) break;  // behind an update
  }
  check(same(shared, whole), "another state than with all of it on each rank", world.rank());
  shared.save(path);
  auto resumed = trainer_of(comm::zero<Stage, comm::Mpi>, options...);
  auto elsewhere = trainer_of(comm::ddp<comm::Mpi>, options...);
  resumed.load(path);
  elsewhere.load(path);
  for (auto& [x, y] : batches) {
    whole.step(x, y);
    resumed.step(x, y);
    elsewhere.step(x, y);
    if (whole.steps() == 20) break;
  }
  check(same(resumed, whole), "another state than a run that never stopped", world.rank());
  check(same(elsewhere, whole), "its file leads elsewhere", world.rank());
}

void run_stack(const comm::Mpi& world) {
  const data::Digits digits = data::load_digits(repository_file("examples/data/digits.bin"));
  const optim::AdamW adam{.lr = 1e-3f};
  auto shared = trainer_with<Deep>(adam, comm::zero<3, comm::Mpi, 4096>);
  auto whole = trainer_with<Deep>(adam, comm::ddp<comm::Mpi, 4096>);
  auto batches = data::loader<32>(digits.train,
                                  {.shuffle = true, .seed = 5, .rank = world.rank(), .ranks = world.size()});
  for (auto& [x, y] : batches) {
    shared.step(x, y);
    whole.step(x, y);
    if (whole.steps() == 10) break;
  }
  check(same_tensor<"h.0.fc.weight">(shared, whole) && same_tensor<"h.2.fc.weight">(shared, whole) &&
            same_tensor<"h.1.fc.bias">(shared, whole),
        "another stack than with all of it on each rank", world.rank());
}

// MPI's own reductions, and gradients of bf16: every rank ends with the same bits, near those of sums in the
// order of ranks.
template <class... O>
void run_reduction(const comm::Mpi& world, f32 near, const O&... options) {
  const optim::SGD sgd{.lr = 0.1f};  // AdamW makes a step of what is nearly 0
  auto whole = trainer_with(sgd, comm::ddp<comm::Mpi, 4096>);
  auto other = trainer_with(sgd, options...);
  std::vector<f32> x(32 * 64);
  std::vector<i32> y(32);
  for (int call = 0; call < 3; ++call) {
    const int batch = call * world.size() + world.rank();
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<f32>((static_cast<int>(i) * 7 + batch * 13) % 17) / 8;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = (static_cast<int>(i) + batch) % 10;
    whole.step(x, y);
    other.step(x, y);
  }
  const auto want = whole.model().template get<"fc1.weight">().to_vector();
  auto got = other.model().template get<"fc1.weight">().to_vector();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::fabs(got[i] - want[i]) <= near)) return check(false, "far from sums in order", world.rank());
  const auto own = got;
  comm::Mpi::connect()->broadcast(got.data(), static_cast<i64>(got.size() * sizeof(f32)));
  check(got == own, "another state than rank 0's", world.rank());
}
void run_reductions(const comm::Mpi& world) {
  constexpr comm::Reduction by_engine{.by_engine = true}, in_bf16{.in_bf16 = true};
  run_reduction(world, 1e-6f, comm::ddp<comm::Mpi, 4096, by_engine>);
  run_reduction(world, 1e-6f, comm::zero<1, comm::Mpi, 4096, by_engine>);
  run_reduction(world, 1e-6f, comm::zero<2, comm::Mpi, 4096, by_engine>);
  run_reduction(world, 1e-3f, comm::ddp<comm::Mpi, 4096, in_bf16>);
  run_reduction(world, 1e-3f, comm::zero<1, comm::Mpi, 4096, in_bf16>);
  run_reduction(world, 1e-3f, comm::zero<3, comm::Mpi, 4096, in_bf16>);
}

// Stages 2 and 3 add the calls of all ranks in their order, as one process does, and a file between two
// updates has what they have added so far.
template <int Stage>
void run_gathered(const comm::Mpi& world, const std::string& path) {
  const auto steps = [&](auto& trainer, int first, int last, int rank, int ranks) {
    std::vector<f32> x(32 * 64);
    std::vector<i32> y(32);
    for (int call = first; call < last; ++call) {
      const int batch = call * ranks + rank;
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<f32>((static_cast<int>(i) * 7 + batch * 13) % 17) / 8;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = (static_cast<int>(i) + batch) % 10;
      trainer.step(x, y);
    }
  };
  auto whole = trainer_of(comm::zero<Stage, comm::Mpi, 4096>, accumulate<3>, clip::norm(0.5f));
  steps(whole, 0, 5, world.rank(), world.size());
  whole.save(path);
  steps(whole, 5, 9, world.rank(), world.size());
  auto resumed = trainer_of(comm::zero<Stage, comm::Mpi>, accumulate<3>, clip::norm(0.5f));
  resumed.load(path);
  steps(resumed, 5, 9, world.rank(), world.size());
  check(same(resumed, whole), "another state than one that was not saved between updates", world.rank());
  const auto compare = [&](auto alone) {
    steps(alone, 0, 9 * world.size(), 0, 1);
    check(same(alone, whole), "another state than one process", world.rank());
  };
  if (world.size() == 1) compare(trainer_of(accumulate<3>, clip::norm(0.5f)));
  if (world.size() == 2) compare(trainer_of(accumulate<6>, clip::norm(0.5f)));
}

constexpr auto in_8_bits =
    precision::f8_with<precision::DelayedScaling{}, [](std::string_view, const Dims&) { return true; }>;

}  // namespace

int main() {
  const comm::Mpi world;
  const ScratchFolder folder;  // rank 0's
  std::string path = folder / "shared.safetensors";
  path.resize(512);
  comm::Mpi::connect()->broadcast(path.data(), 512);
  path = path.c_str();
  run<1>(world, path);
  run<1>(world, path, clip::norm(0.5f), precision::f16);
  run<1>(world, path, clip::norm(0.5f), accumulate<2>);
  run<2>(world, path);
  run<2>(world, path, clip::norm(0.5f), precision::f16);
  run<3>(world, path);
  run<3>(world, path, clip::norm(0.5f), precision::f16);
  run<3>(world, path, precision::bf16, check::finite);
  run<1>(world, path, in_8_bits);
  run<3>(world, path, clip::norm(0.5f), in_8_bits);
  run_stack(world);
  run_reductions(world);
  run_gathered<2>(world, path);
  run_gathered<3>(world, path);
  return faults == 0 ? 0 : 1;
}
