#pragma once
// A compiled program on the host: its steps as function pointers with resolved addresses over blocks of
// memory that the caller or the program owns. Running it is a walk over that list; nothing is allocated.

#include <cstring>

#include "weft/device/cpu.hpp"
#include "weft/targets/host/arguments.hpp"
#include "weft/targets/host/kernels.hpp"
#include "weft/targets/workspace.hpp"

namespace WEFT_NAMESPACE::exec {

using HostLaunchList = LaunchList<kernels::HostLaunch>;

// Program P (a Compiled<...>) over the caller's blocks of state, with memory of its own for what is not
// given.
template <class P>
class HostProgram {
 public:
  HostProgram(const Cpu& device, const Blocks& given)
      : threads_(device.threads),
        states_(given.model),
        optimizer_(given.optimizer),
        workspace_(host_workspace(given.workspace, memory_bytes(), P::header)),
        scalars_(static_cast<std::size_t>(P::header.scalars) * 4),
        steps_(P::header, P::image, HostKernels<P>::table.at,
               {given.model, given.optimizer, workspace_.data(), scalars_.data(), given.communicator,
                given.group, given.shards}),
        optimizer_bytes_(given.shards.optimizer.is_whole() ? P::header.optimizer_bytes
                                                           : given.shards.optimizer.bytes) {
    cpu_threads(device);  // throws
    kernels::report_pinned_core();
    if (workspace_.size() > 0) std::memset(workspace_.data(), 0, workspace_.size());
    std::memset(scalars_.data(), 0, scalars_.size());
    for (int i = 0; i < P::header.presets; ++i) {
      const u64 preset = P::image[P::header.preset_at + i];
      set_scalar(static_cast<int>(preset & 0xffffffff), std::bit_cast<float>(static_cast<u32>(preset >> 32)));
    }
  }

  // Bytes of a workspace that is given.
  static constexpr i64 memory_bytes() { return P::header.workspace_bytes; }

  void set_random(u64 seed, u64 step) {
    std::memcpy(scalars_.data(), &seed, 8);
    std::memcpy(scalars_.data() + 8, &step, 8);
  }
  // Run-time scalar k, in the order the trace asked for them.
  void set_scalar(int k, float value) { std::memcpy(scalars_.data() + 4 * k, &value, 4); }
  // Read where it lies, in the run that follows; what lies in memory that the program writes is copied first.
  void bind_input(int number, const void* data) {
    const StateBlock written{workspace_.data(), memory_bytes()};
    const StateBlock moments{optimizer_, optimizer_bytes_};
    steps_.bind_input(number,
                      arguments_.readable(number, data, input_bytes(number), written, states_, moments));
  }
  void run() const { steps_.run(threads_); }
  // The same under a Checker's eyes.
  template <class Checker>
  void run_watched(Checker& checker) const {
    const auto read = [](void* to, const void* from, i64 bytes) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    };
    watch_launches(steps_, threads_, checker, read, [] {});
  }
  // The same, and `times` is told of each launch; seconds by `clock`.
  template <class Times, class Clock>
  void run_timed(Times& times, const Clock& clock) const {
    TimedLaunches<Times, Clock> watch{times, clock};
    steps_.run(threads_, watch);
  }
  // Until everything that run() started has ended; on the host it has when run() returns.
  void wait() const {}
  std::byte* output(int k) const { return steps_.output(k); }
  // To memory of the device, before the next run.
  void copy_output(int k, void* to, i64 bytes) const { read_output(k, to, bytes); }
  void read_output(int k, void* to, i64 bytes) const {
    if (bytes > 0) std::memcpy(to, output(k), static_cast<std::size_t>(bytes));
  }

 private:
  static i64 input_bytes(int number) { return static_cast<i64>(P::image[P::header.input_at + number]); }

  int threads_ = 0;
  StateBlocks states_;
  std::byte* optimizer_;
  HostBuffer workspace_, scalars_;
  HostArguments arguments_{P::header.inputs};
  HostLaunchList steps_;
  i64 optimizer_bytes_ = 0;
};

}  // namespace WEFT_NAMESPACE::exec
