#pragma once
// What a GPU decides about a compiled program before it runs, without needing one: how fused kernels are cut
// into blocks, where partial sums, inputs and scalars lie. Law: a function of the program alone.

#include "weft/kernels/conv/packed.hpp"
#include "weft/kernels/fused/call.hpp"
#include "weft/kernels/fused/combine_partials.hpp"
#include "weft/kernels/fused/grid.hpp"
#include "weft/targets/launch_list.hpp"

namespace WEFT_NAMESPACE::exec {

// Bits below which `address` is zero in every trip of the loops around it; blocks and inputs themselves start
// at multiples of 256.
template <class P>
constexpr u64 address_bits(u64 address) {
  using kernel_ir::BufferAddress;
  if (address == BufferAddress::none) return 0;
  u64 bits = static_cast<u64>(BufferAddress::offset(address));
  if constexpr (P::header.bindings > 0) {
    if (BufferAddress::space(address) != ir::Space::bound) return bits;
    const compiler::Binding binding =
        compiler::read_binding(P::header, P::image, BufferAddress::index(address));
    bits |= address_bits<P>(binding.first) | address_bits<P>(binding.base) | address_bits<P>(binding.other);
    bits |= static_cast<u64>(binding.stride);
  }
  return bits;
}

// Whether every address that kernel K's dense operands ever have is a multiple of 16 bytes; blocks and inputs
// themselves start at multiples of 256.
template <class P, int K>
constexpr int kernel_alignment() {
  using Needs = kernels::FusedNeeds<compiler::code_of<P, K>>;
  for (int s = 0; s < P::header.steps; ++s) {
    const compiler::ImageStep step = compiler::step_of<P>(s);
    if (step.kernel != K) continue;
    if constexpr (Needs::header.segmented) {  // ranges of which a run of a Stack's copies may be one
      const auto call = kernels::FusedCall::decode(step.numbers);
      for (int k = 0; k < call.segments(step.number_count); ++k)
        if (call.segment(step.numbers, k).offset % 4 != 0) return 1;
    }
    for (int k = 0; k < Needs::header.operands; ++k) {
      const u64 address = step.addresses[k];
      if (address != kernel_ir::BufferAddress::none && Needs::is_dense(k) &&
          address_bits<P>(address) % 16 != 0)
        return 1;
    }
  }
  return 16;
}

// The grid of fused kernel K.
template <class P, int K>
using grid_of = kernels::FusedGrid<compiler::code_of<P, K>, kernel_alignment<P, K>()>;

// Of a fused kernel: its cut, and which operands are sums along the rows.
struct FusedPlan {
  kernels::FusedCut (*cut)(i64 rows, i64 planned_chunks, i64 last_cols) = nullptr;
  u64 sums = 0;
};

// One of its launches: how its rows are cut, and where its partial sums lie among those that wait for the
// same second stage.
struct FusedLaunch {
  int step = 0, kernel = 0;
  i64 rows = 0, last_cols = 0, planned_chunks = 0;
  kernels::FusedCut cut{};
  i64 partials = -1, partial_bytes = 0;  // -1: it has none
  bool is_first = false;                 // of those that wait: a second stage has done with the ones before
};

template <class P>
struct CudaPlan {
  template <int K>
  static constexpr FusedPlan fused_plan() {
    FusedPlan plan;
    if constexpr (compiler::kernel_kind<P>(K) == compiler::StepKind::fused) {
      using Grid = grid_of<P, K>;
      plan.cut = &kernels::fused_cut<Grid>;
      for (int k = 0; k < Grid::header.operands; ++k) {
        const kernels::Role role = Grid::Needs::View::operand(k).role;
        if (role == kernels::Role::accumulate_columns || role == kernels::Role::accumulate_total)
          plan.sums |= u64{1} << k;
      }
    }
    return plan;
  }
  struct Table {
    FusedPlan at[P::header.kernels > 0 ? P::header.kernels : 1]{};
  };
  template <int... K>
  static constexpr Table make_table(std::integer_sequence<int, K...>) {
    return {{fused_plan<K>()...}};
  }
  static constexpr Table fused = make_table(std::make_integer_sequence<int, P::header.kernels>{});

  // Every launch of a fused kernel, in the order of the steps.
  static constexpr List<FusedLaunch> fused_launches() {
    List<FusedLaunch> launches;
    i64 waiting = 0;
    bool finished = false;
    for (int s = 0; s < P::header.steps; ++s) {
      const compiler::ImageStep step = compiler::step_of<P>(s);
      if (step.kind == compiler::StepKind::combine_partials) finished = true;
      if (step.kind != compiler::StepKind::fused) continue;
      const auto call = kernels::FusedCall::decode(step.numbers);
      FusedLaunch launch{s, step.kernel, call.rows, call.last_cols, call.chunks};
      launch.cut = fused.at[step.kernel].cut(call.rows, call.chunks, call.last_cols);
      if (call.partial_bytes > 0) {
        launch.is_first = finished;
        if (finished) finished = false, waiting = 0;
        launch.partials = waiting;
        launch.partial_bytes = launch.cut.chunks * call.partial_bytes;
        waiting += kernel_ir::align_up(launch.partial_bytes);
      }
      launches.push(launch);
    }
    return launches;
  }
  // Bytes of the partial sums that wait for one second stage, where these are most.
  static constexpr i64 fused_partial_bytes() {
    i64 most = 0;
    for (const FusedLaunch& launch : fused_launches()) {
      const i64 end = launch.partials + kernel_ir::align_up(launch.partial_bytes);
      if (launch.partials >= 0 && most < end) most = end;
    }
    return most;
  }

  // The same and, behind it, what the convolution that wants most needs; each has done with it at its end.
  static constexpr i64 partial_bytes() {
    i64 most = 0;
    for (int s = 0; s < P::header.steps; ++s) {
      const compiler::ImageStep step = compiler::step_of<P>(s);
      if (step.kind != compiler::StepKind::conv) continue;
      const auto words = compiler::kernel_of<P>(step.kernel).words;
      const i64 bytes = kernels::conv_scratch_bytes(
          kernels::conv_call(step.numbers), static_cast<DType>(words[0]), static_cast<DType>(words[1]),
          static_cast<DType>(words[2]), words[3] == kernels::conv_is_tf32);
      if (most < bytes) most = bytes;
    }
    return fused_partial_bytes() + kernel_ir::align_up(most);
  }

  // The ranges of parameter groups that fused kernels walk.
  static constexpr i64 segments() {
    i64 count = 0;
    for (int s = 0; s < P::header.steps; ++s) {
      const compiler::ImageStep step = compiler::step_of<P>(s);
      if (step.kind == compiler::StepKind::fused)
        count += kernels::FusedCall::decode(step.numbers).segments(step.number_count);
    }
    return count;
  }

  // Whether a launch reads what the host hands over anew for every step: numbers, or random numbers' key.
  static constexpr bool reads_scalars() {
    for (int k = P::header.address_at; k < P::header.number_at; ++k)
      if (kernel_ir::BufferAddress::space(P::image[k]) == ir::Space::scalars) return true;
    return false;
  }

  // The scalars and the inputs lie in one block, which is copied to the device as one: where input `number`
  // begins; that of the number after the last is the block's size.
  static constexpr i64 input_offset(int number) {
    i64 at = kernel_ir::align_up(i64{4} * P::header.scalars);
    for (int k = 0; k < number; ++k) at += kernel_ir::align_up(input_bytes(k));
    return at;
  }
  static constexpr i64 input_bytes(int number) {
    return static_cast<i64>(P::image[P::header.input_at + number]);
  }
  static constexpr i64 staged_bytes() { return input_offset(P::header.inputs); }
};

// Cuts the fused kernels of a list of launches for a GPU. `partial` holds CudaPlan<P>::partial_bytes().
template <class P, class Launch>
void cut_for_gpu(List<Launch>& launches, std::byte* partial) {
  struct Waiting {
    const void* planned = nullptr;
    const std::byte* parts = nullptr;
    i64 chunks = 0;
  };
  List<Waiting> waiting;
  const List<FusedLaunch> fused = CudaPlan<P>::fused_launches();
  const i64 behind = CudaPlan<P>::fused_partial_bytes();  // where convolutions have their memory
  int next = 0;
  for (int s = 0; s < P::header.steps; ++s) {
    const compiler::ImageStep step = compiler::step_of<P>(s);
    Launch& launch = launches[s];
    if (step.kind == compiler::StepKind::combine_partials)
      for (int k = 0; k < launch.sum_count; ++k)
        for (const Waiting& x : waiting)
          if (x.planned == launch.sums[k].partial) {
            launch.sums[k].partial = reinterpret_cast<const char*>(x.parts);
            launch.sums[k].chunks = x.chunks / launch.sums[k].batches;
            break;
          }
    if (step.kind == compiler::StepKind::conv) launch.args.pointer[3] = partial + behind;
    if (step.kind != compiler::StepKind::fused) continue;
    kernels::LaunchArgs& args = launch.args;
    const FusedLaunch& planned = fused[next++];
    if (planned.is_first) waiting.clear();
    if (planned.partials >= 0) {
      const std::byte* begin = nullptr;  // where the kernel's parts begin: its first sum
      for (int k = 0; k < kernels::LaunchArgs::max_operands; ++k) {
        if (!(CudaPlan<P>::fused.at[step.kernel].sums >> k & 1u)) continue;
        const auto* at = static_cast<const std::byte*>(args.pointer[k]);
        if (begin == nullptr) begin = at;
        const std::byte* const to = partial + planned.partials + (at - begin);
        waiting.push({at, to, planned.cut.chunks});
        args.pointer[k] = const_cast<std::byte*>(to);
      }
    }
    args.rows_per_chunk = planned.cut.rows_per_chunk;
    args.chunks = planned.cut.blocks;
  }
}

}  // namespace WEFT_NAMESPACE::exec
