#pragma once
// The device that an example runs on: the best one there is, with --threads of the CPU.

#include <string>
#include <type_traits>
#include <weft/weft.hpp>

#include "options.hpp"

// run(device, place) on it, where `place` is what the closing line says: "cuda", "cpu, 2 threads".
auto on_chosen_device(const Options& options, auto run) {
  const weft::Cpu cpu{options.number("threads", 0, 0, 4096)};
  return weft::on_best_device([&](auto device) {
    if constexpr (std::is_same_v<decltype(device), weft::Cpu>) {
      const int threads = weft::cpu_threads(cpu);
      return run(cpu, "cpu, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
    } else {
      return run(device, std::string("cuda"));
    }
  });
}
