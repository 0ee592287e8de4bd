// Ranks that MPI connects: they end where one process does that gathers the gradients of as many calls, bit
// for bit, and evaluate to the same number. Ends with 0 where that holds on this rank.

#include <cstdio>
#include <string>

#include "support/repository.hpp"
#include "weft/mpi.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<64, 128> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};

template <class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 64>,
      in<i32, 32>, optim::AdamW{.lr = 1e-3f}, clip::norm(1.0f), seed{1}, options...);
}

// Of all parameters.
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
  return all;
}

int faults = 0;
void check(bool holds, const char* what, int rank) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  ++faults;
}

// A profile takes steps, of all ranks as many, and the ranks stay equal.
void profile(const comm::Mpi& world) {
  auto trainer = trainer_of(comm::ddp<comm::Mpi>);
  const std::vector<f32> x(32 * 64, 0.1f * static_cast<f32>(world.rank() + 1));
  const std::vector<i32> y(32, 3);
  const std::string text = trainer.profile(x, y);
  check(text.find("10 runs of ") == 0, "a profile of ranks has 10 runs", world.rank());
  check(trainer.steps() == 11, "a profile takes a step to warm up, and ten", world.rank());
  const std::vector<f32> mine = weights(trainer);
  std::vector<f32> all(mine.size() * static_cast<std::size_t>(world.size()));
  comm::Mpi::connect()->all_gather(mine.data(), all.data(), static_cast<i64>(mine.size() * sizeof(f32)));
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] != mine[k % mine.size()]) return check(false, "profiled ranks differ", world.rank());
}

template <int Ranks>
void run(const comm::Mpi& world) {
  const data::Digits digits = data::load_digits(repository_file("examples/data/digits.bin"));
  // [same]
  // buckets of 4 KiB, so that there are several
  auto trainer = trainer_of(comm::ddp<comm::Mpi, 4096>);
  auto batches = data::loader<32>(digits.train,
                                  {.shuffle = true, .seed = 5, .rank = world.rank(), .ranks = world.size()});
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& [x, y] : batches) trainer.step(x, y);

  auto alone = trainer_of(accumulate<Ranks>);
  auto all = data::loader<32>(digits.train, {.shuffle = true, .seed = 5});
  for (int epoch = 0; epoch < 2; ++epoch) {
    i64 left = batches.batches() * Ranks;  // what does not fill a round is left out
    for (auto& [x, y] : all)
      if (left-- > 0) alone.step(x, y);
  }
  // [/same]
  check(weights(trainer) == weights(alone), "another state than one process's", world.rank());
  const auto hits = [](const auto& m, auto x, auto y) { return accuracy(m(x), y); };
  const f64 got = trainer.evaluate(hits, digits.test), want = alone.evaluate(hits, digits.test);
  check(got - want < 1e-12 && want - got < 1e-12, "another accuracy than one process's", world.rank());
  check(trainer.gradient_norm() == alone.gradient_norm(), "another norm than one process's", world.rank());
}

}  // namespace

int main() {
  const comm::Mpi world;
  switch (world.size()) {
    case 1:
      run<1>(world);
      break;
    case 2:
      run<2>(world);
      break;
    case 3:
      run<3>(world);
      break;
    default:
      run<4>(world);
  }
  profile(world);
  return faults == 0 ? 0 : 1;
}
