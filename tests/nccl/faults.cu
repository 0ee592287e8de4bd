// What ranks say when one of them fails. usage: faults mismatch|silent|silent0|killed|device. Ends with 0
// where every rank that can has said what it should.

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "weft/nccl.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
auto trainer_on(Cuda device) {
  return make_trainer<nn::Linear<16, 4>>(device, loss, in<f32, 8, 16>, in<i32, 8>, optim::SGD{.lr = 0.1f},
                                         seed{1}, comm::ddp<comm::Nccl>);
}
auto other_trainer_on(Cuda device) {
  return make_trainer<nn::Linear<16, 4>>(device, loss, in<f32, 4, 16>, in<i32, 4>, optim::SGD{.lr = 0.1f},
                                         seed{1}, comm::ddp<comm::Nccl>);
}

void run(const std::string& what, const comm::Nccl& world) {
  if (what == "mismatch" && world.rank() == world.size() - 1) {
    other_trainer_on(world.device());
    return;
  }
  auto trainer = trainer_on(what == "device" ? Cuda{1 - world.device().ordinal} : world.device());
  const std::vector<f32> x(8 * 16, 0.5f);
  const std::vector<i32> y(8, 3);
  for (int step = 0; step < 100; ++step) {
    if (step == 3 && world.rank() == 0 && what == "silent0") std::raise(SIGSTOP);
    if (step == 3 && world.rank() == 1 && what == "silent") std::raise(SIGSTOP);
    if (step == 3 && world.rank() == 1 && what == "killed") std::raise(SIGKILL);
    trainer.step(x, y);
  }
  static_cast<void>(trainer.model().get<"weight">().to_vector());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (cuda_device_count() == 0) return 77;
  const comm::Nccl world;
  try {
    run(argv[1], world);
  } catch (const Error& e) {
    std::printf("rank %d: %s: %s\n", world.rank(), e.id().c_str(), e.what());
    return 3;
  }
  std::printf("rank %d never noticed\n", world.rank());
  return 0;
}
