// A compiled program whose GPU kernels run in emulated blocks on the host: the bodies, the cuts and the plan
// of a GPU, with everything that runs in one block checked for races and missing barriers.
#pragma once

// g++ does not see that a thread which skips one pass over a row skips them all.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <cstring>
#include <vector>

#include "emulated/conv.hpp"
#include "weft/exec/function.hpp"
#include "weft/kernels/team/emulated.hpp"
#include "weft/targets/cuda/schedule.hpp"

namespace weft::emulated {

// Which order of threads and blocks the next launch is run in.
inline u64 seed = 1;
inline i64 barriers = 0;

template <class C, int Align>
void run_fused(const kernels::HostLaunch& launch, int) {
  using Grid = kernels::FusedGrid<C, Align>;
  barriers += emulate_grid(launch.args.chunks, Grid::block, Grid::shared_bytes(), ++seed,
                           [&](EmulatedTeam& team, i64 block) { Grid::run(team, launch.args, block); })
                  .barriers;
}

template <u64 Set>
void run_combine_partials(const kernels::HostLaunch& launch, int) {
  constexpr int threads = 128;
  i64 blocks = 0;
  const kernels::CombineArgs args = kernels::combine_args(launch.sums, launch.sum_count, threads, blocks);
  emulate_grid(blocks, threads, 8 * threads, ++seed,
               [&](EmulatedTeam& team, i64 block) { kernels::combine_block<Set>(team, args, block); });
}

template <class C>
void run_conv(const kernels::HostLaunch& launch, int) {
  using X = ctype<static_cast<DType>(C::w[0])>;
  using W = ctype<static_cast<DType>(C::w[1])>;
  using Y = ctype<static_cast<DType>(C::w[2])>;
  const kernels::ConvBlockArgs from{
      {}, {}, launch.args.pointer[0], launch.args.pointer[1], launch.args.pointer[2], launch.args.pointer[3]};
  kernels::for_each_conv_phase<W, Y>(
      kernels::conv_call(launch.numbers), from,
      [](const kernels::ConvShape& phase) { return kernels::conv_blocks(phase); },
      [](const kernels::ConvBlockArgs& args) { emulate_conv<X, W, Y>(args, ++seed); });
}

template <class P, int K>
constexpr exec::HostKernel kernel() {
  if constexpr (compiler::kernel_kind<P>(K) == compiler::StepKind::fused)
    return &run_fused<compiler::code_of<P, K>, exec::kernel_alignment<P, K>()>;
  else if constexpr (compiler::kernel_kind<P>(K) == compiler::StepKind::combine_partials)
    return &run_combine_partials<exec::combine_set<P>()>;
  else if constexpr (compiler::kernel_kind<P>(K) == compiler::StepKind::conv)
    return &run_conv<compiler::code_of<P, K>>;
  else
    return exec::host_kernel<P, K>();
}

// A device for compile() and make_trainer().
struct Device {};

// Program P, with the interface of HostProgram.
template <class P>
class Program {
 public:
  Program(const Device&, const exec::Blocks& given)
      : workspace_(given.workspace != nullptr
                       ? HostBuffer::borrow(given.workspace, static_cast<std::size_t>(memory_bytes()))
                       : HostBuffer(static_cast<std::size_t>(memory_bytes()))),
        partial_(static_cast<std::size_t>(exec::CudaPlan<P>::partial_bytes())),
        scalars_(static_cast<std::size_t>(P::header.scalars) * 4),
        steps_(P::header, P::image, table().data(),
               {given.model, given.optimizer, workspace_.data(), scalars_.data()}) {
    // as every program does: the padding of a gradient arena counts as zeros
    if (workspace_.size() > 0) std::memset(workspace_.data(), 0, workspace_.size());
    if (partial_.size() > 0) std::memset(partial_.data(), 0xff, partial_.size());
    std::memset(scalars_.data(), 0, scalars_.size());
    const exec::ScheduleFault fault = exec::verify(exec::cuda_schedule<P>());
    if (fault) throw Error("emulated/schedule", fault.what);
    exec::cut_for_gpu<P>(steps_.launches(), partial_.data());
    for (int k = 0; k < P::header.inputs; ++k)
      inputs_.emplace_back(static_cast<std::size_t>(kernel_ir::align_up(exec::CudaPlan<P>::input_bytes(k))));
    for (int i = 0; i < P::header.presets; ++i) {
      const u64 preset = P::image[P::header.preset_at + i];
      set_scalar(static_cast<int>(preset & 0xffffffff), std::bit_cast<float>(static_cast<u32>(preset >> 32)));
    }
  }
  static constexpr i64 memory_bytes() { return P::header.workspace_bytes; }
  // A GPU's inputs lie in aligned slots that end at a multiple of 16 bytes.
  void bind_input(int number, const void* data) {
    const auto bytes = static_cast<std::size_t>(exec::CudaPlan<P>::input_bytes(number));
    std::byte* slot = inputs_[static_cast<std::size_t>(number)].data();
    if (bytes > 0) std::memcpy(slot, data, bytes);
    steps_.bind_input(number, slot);
  }
  void set_scalar(int k, float value) { std::memcpy(scalars_.data() + 4 * k, &value, 4); }
  void set_random(u64 value, u64 step) {
    std::memcpy(scalars_.data(), &value, 8);
    std::memcpy(scalars_.data() + 8, &step, 8);
  }
  void run() const { steps_.run(1); }
  template <class Checker>
  void run_watched(Checker& checker) const {
    const auto read = [](void* to, const void* from, i64 bytes) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    };
    exec::watch_launches(steps_, 1, checker, read, [] {});
  }
  void wait() const {}
  std::byte* output(int k) const { return steps_.output(k); }
  void copy_output(int k, void* to, i64 bytes) const { read_output(k, to, bytes); }
  void read_output(int k, void* to, i64 bytes) const {
    std::memcpy(to, output(k), static_cast<std::size_t>(bytes));
  }

 private:
  static const std::vector<exec::HostKernel>& table() {
    static const std::vector<exec::HostKernel> kernels = []<int... K>(std::integer_sequence<int, K...>) {
      return std::vector<exec::HostKernel>{kernel<P, K>()...};
    }
    (std::make_integer_sequence<int, P::header.kernels>{});
    return kernels;
  }

  HostBuffer workspace_, partial_, scalars_;
  std::vector<HostBuffer> inputs_;
  exec::HostLaunchList steps_;
};

}  // namespace weft::emulated

template <class P>
struct weft::exec::ProgramOf<weft::emulated::Device, P> {
  using type = emulated::Program<P>;
};
