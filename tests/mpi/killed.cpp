// Ranks that save all the time, until one of them is killed; and ranks that go on from what is there.
// usage: killed save|load FOLDER

#include <cstdio>
#include <string>

#include "weft/mpi.hpp"
#include "weft/weft.hpp"

using namespace weft;

struct Net {
  nn::Linear<64, 300> fc1{};
  nn::Linear<300, 10> fc2{};
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string what = argv[1], file = std::string(argv[2]) + "/run.safetensors.index.json";
  const comm::Mpi world;
  try {
    auto trainer = make_trainer<Net>(
        Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 64>,
        in<i32, 32>, optim::AdamW{.lr = 1e-3f}, comm::zero<3, comm::Mpi, 65536>);
    const std::vector<f32> x(32 * 64, 0.5f);
    const std::vector<i32> y(32, 3);
    if (what == "load") {
      trainer.load(file);
      const float loss = trainer.step(x, y).value();
      if (world.rank() == 0)
        std::printf("step %lld, loss %g\n", static_cast<long long>(trainer.steps()), loss);
      return loss < 3 ? 0 : 1;
    }
    for (;;) {
      trainer.step(x, y);
      trainer.save(file);
    }
  } catch (const Error& e) {
    std::printf("rank %d: %s\n", world.rank(), e.what());
    std::fflush(stdout);
    return 1;
  }
}
