// Rank 1 stops, or leaves, at a place that the argument names: the others end with an Error that names it.
// usage: silent step|before|left|alone

#include <csignal>
#include <cstdio>
#include <string>

#include "weft/mpi.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

template <class Ranks>
void train_on(const std::string& what, int rank, const Ranks& ranks) {
  auto trainer = make_trainer<nn::Sequential<nn::Linear<64, 32>, nn::Linear<32, 10>>>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 64>,
      in<i32, 32>, optim::SGD{.lr = 0.1f}, ranks);
  const std::vector<f32> x(32 * 64, 0.5f);
  const std::vector<i32> y(32, 3);
  for (int step = 0; step < 100; ++step) {
    if (step == 3 && rank == 1 && what == "step") std::raise(SIGSTOP);
    trainer.step(x, y);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "step";
  const comm::Mpi world;
  try {
    if (world.rank() == 1 && what == "left") return 1;
    if (world.rank() == 1 && what == "before") std::raise(SIGSTOP);
    if (world.rank() == 1 && what == "alone")
      train_on(what, world.rank(), comm::none);
    else
      train_on(what, world.rank(), comm::ddp<comm::Mpi>);
  } catch (const Error& e) {
    std::printf("rank %d: %s\n", world.rank(), e.what());
    std::fflush(stdout);
    return 1;
  }
  std::printf("rank %d never noticed\n", world.rank());
  return 1;
}
