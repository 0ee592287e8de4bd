// Rank 1 stops in the middle of training: the others end with an Error that names it.

#include <csignal>
#include <cstdio>

#include "weft/mpi.hpp"
#include "weft/weft.hpp"

using namespace weft;

int main() {
  const comm::Mpi world;
  auto trainer = make_trainer<nn::Linear<64, 10>>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 64>,
      in<i32, 32>, optim::SGD{.lr = 0.1f}, comm::ddp<comm::Mpi>);
  const std::vector<f32> x(32 * 64, 0.5f);
  const std::vector<i32> y(32, 3);
  try {
    for (int step = 0; step < 100; ++step) {
      if (step == 3 && world.rank() == 1) std::raise(SIGSTOP);
      trainer.step(x, y);
    }
  } catch (const Error& e) {
    std::printf("rank %d: %s\n", world.rank(), e.what());
    std::fflush(stdout);
    return 1;
  }
  std::printf("rank %d never noticed\n", world.rank());
  return 1;
}
