#pragma once
// A compiled program on the host: its steps as function pointers with resolved addresses over blocks of
// memory that the caller or the program owns. Running it is a walk over that list; nothing is allocated.

#include <cstring>

#include "weft/device/cpu.hpp"
#include "weft/exec/host_arguments.hpp"
#include "weft/exec/launch_list.hpp"
#include "weft/kernels/attention/host.hpp"
#include "weft/kernels/axis/host.hpp"
#include "weft/kernels/collective/host.hpp"
#include "weft/kernels/custom/host.hpp"

namespace WEFT_NAMESPACE::exec {

using HostKernel = void (*)(const kernels::HostLaunch&, int);

template <class P, int K>
constexpr HostKernel host_axis_kernel() {
  constexpr compiler::StepKind kind = compiler::kernel_kind<P>(K);
  using C = compiler::code_of<P, K>;
  if constexpr (kind == compiler::StepKind::scan)
    return &kernels::run_scan<C>;
  else if constexpr (kind == compiler::StepKind::argsort)
    return &kernels::run_argsort<C>;
  else if constexpr (kind == compiler::StepKind::take_along_axis)
    return &kernels::run_take<C>;
  else if constexpr (kind == compiler::StepKind::scatter_reduce)
    return &kernels::run_scatter<C>;
  else
    return &kernels::run_search<C>;
}

// The function of every kernel of program P.
template <class P, int K>
constexpr HostKernel host_kernel() {
  constexpr compiler::StepKind kind = compiler::kernel_kind<P>(K);
  if constexpr (kind == compiler::StepKind::fused)
    return &kernels::run_fused<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::dot)
    return &kernels::run_dot<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::conv)
    return &kernels::run_conv<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::take_rows)
    return &kernels::run_gather<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::scatter_add)
    return &kernels::run_scatter_add<compiler::code_of<P, K>>;
  else if constexpr (kind >= compiler::StepKind::scan && kind <= compiler::StepKind::searchsorted)
    return host_axis_kernel<P, K>();
  else if constexpr (kind == compiler::StepKind::dynamic_slice)
    return &kernels::run_block_copy<compiler::code_of<P, K>, false>;
  else if constexpr (kind == compiler::StepKind::dynamic_update_slice)
    return &kernels::run_block_copy<compiler::code_of<P, K>, true>;
  else if constexpr (kind == compiler::StepKind::custom)
    return &kernels::run_custom<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::all_reduce_start)
    return &kernels::run_all_reduce_start;
  else if constexpr (kind == compiler::StepKind::all_reduce_done)
    return &kernels::run_all_reduce_done;
  else if constexpr (kind == compiler::StepKind::reduce_scatter_start)
    return &kernels::run_reduce_scatter_start;
  else if constexpr (kind == compiler::StepKind::all_gather_start)
    return &kernels::run_all_gather_start;
  else if constexpr (kind == compiler::StepKind::reduce_scatter_done ||
                     kind == compiler::StepKind::all_gather_done)
    return &kernels::run_pieces_done;
  else if constexpr (kind == compiler::StepKind::attention)
    return &kernels::run_attention<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::attention_gradient)
    return &kernels::run_attention_gradient<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::combine_partials)
    return &kernels::run_combine_partials<combine_set<P>()>;
  else if constexpr (kind == compiler::StepKind::repeat)
    return nullptr;  // LaunchList walks what is inside
  else
    return &kernels::run_copy;
}

template <class P>
struct HostKernels {
  struct Table {
    HostKernel at[P::header.kernels > 0 ? P::header.kernels : 1]{};
  };
  template <int... K>
  static constexpr Table make(std::integer_sequence<int, K...>) {
    return {{host_kernel<P, K>()...}};
  }
  static constexpr Table table = make(std::make_integer_sequence<int, P::header.kernels>{});
};

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
        workspace_(host_workspace(given.workspace, memory_bytes())),
        scalars_(static_cast<std::size_t>(P::header.scalars) * 4),
        steps_(P::header, P::image, HostKernels<P>::table.at,
               {given.model, given.optimizer, workspace_.data(), scalars_.data(), given.communicator,
                given.shard}),
        optimizer_bytes_(given.shard.is_whole() ? P::header.optimizer_bytes : given.shard.bytes) {
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
