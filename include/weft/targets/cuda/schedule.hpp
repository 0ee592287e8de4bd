#pragma once
// The schedule of a compiled program for a GPU, to be read and checked: the blocks of each fused kernel and
// how many a launch has, where partial sums and inputs lie. Law: verify() asks none of the functions that
// decided it (kernels/fused/grid.hpp, targets/cuda/plan.hpp).

#include <string>

#include "weft/targets/cuda/plan.hpp"

namespace WEFT_NAMESPACE::exec {

// The blocks of a fused kernel, as kernels::FusedGrid has them.
struct FusedBlocks {
  int width = 1;    // columns that a thread takes at once
  int threads = 1;  // that share a row
  int groups = 1;   // rows that share a block
  int parts = 1;    // blocks that share a row
  int block = 32;   // threads of a block
  i64 columns = 0;  // of a row that the code knows; 0: a flat walk over rows of `tile` elements
  i64 shared_bytes = 0;
  bool large = false;   // whether it asks for more shared memory than a kernel has by itself
  i64 batch_rows = 0;   // rows that have sums of their own, 0: all of them have
  bool placed = false;  // such sums go to their places, and not into parts
  bool shifted = false, staged = false, sums = false;
  i64 access[kernels::LaunchArgs::max_operands]{};  // bytes of an access along a row; 0: element by element
};

struct CudaSchedule {
  static constexpr i64 tile = kernels::tile_length;
  struct Launch {
    FusedLaunch at;
    u64 address_bits[kernels::LaunchArgs::max_operands]{};  // exec::address_bits of each operand
  };
  List<FusedBlocks> kernels;  // of every kernel of the program; one that is not fused keeps the defaults
  List<Launch> launches;
  List<i64> inputs;  // where each begins in the block that is copied to the device; its size is the last
  List<i64> input_bytes;
  i64 scalar_bytes = 0, partial_bytes = 0;
};

namespace schedule_detail {

template <class P, int K>
constexpr FusedBlocks fused_blocks() {
  FusedBlocks shape;
  if constexpr (compiler::kernel_kind<P>(K) == compiler::StepKind::fused) {
    using Small = grid_of<P, K>;
    using Grid =
        std::conditional_t<Small::wants_large,
                           kernels::FusedGrid<compiler::code_of<P, K>, kernel_alignment<P, K>(), true>,
                           Small>;
    shape.width = Grid::width;
    shape.threads = Grid::threads;
    shape.groups = Grid::groups;
    shape.parts = Grid::parts;
    shape.block = Grid::block;
    shape.columns = Grid::Needs::last_extent;
    shape.shared_bytes = Grid::shared_bytes();
    shape.large = Small::wants_large;
    shape.shifted = Grid::shifted;
    shape.staged = Grid::stages;
    shape.sums = Grid::Needs::sums;
    shape.batch_rows = kernels::rows_of_batch<typename Grid::Needs::View>();
    shape.placed = kernels::has_any_batch_place<typename Grid::Needs::View>();
    for (int k = 0; k < Grid::header.operands; ++k) {
      const i64 bytes = Grid::width * size_of(Grid::Needs::View::operand(k).dtype);
      if (Grid::Needs::is_dense(k)) shape.access[k] = bytes < 16 ? bytes : 16;
    }
  }
  return shape;
}

}  // namespace schedule_detail

template <class P>
constexpr CudaSchedule cuda_schedule() {
  using Plan = CudaPlan<P>;
  CudaSchedule schedule;
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (schedule.kernels.push(schedule_detail::fused_blocks<P, K>()), ...);
  }
  (std::make_integer_sequence<int, P::header.kernels>{});
  for (const FusedLaunch& at : Plan::fused_launches()) {
    CudaSchedule::Launch launch{at};
    const compiler::ImageStep step = compiler::step_of<P>(at.step);
    for (int k = 0; k < step.address_count && k < kernels::LaunchArgs::max_operands; ++k)
      launch.address_bits[k] = address_bits<P>(step.addresses[k]);
    schedule.launches.push(launch);
  }
  for (int k = 0; k <= P::header.inputs; ++k) schedule.inputs.push(Plan::input_offset(k));
  for (int k = 0; k < P::header.inputs; ++k) schedule.input_bytes.push(Plan::input_bytes(k));
  schedule.scalar_bytes = i64{4} * P::header.scalars;
  schedule.partial_bytes = Plan::fused_partial_bytes();
  return schedule;
}

// What does not hold, and of which step; of no step: -1.
struct ScheduleFault {
  const char* what = nullptr;
  int step = -1;
  constexpr explicit operator bool() const { return what != nullptr; }
};

namespace schedule_detail {

// Whether the blocks are ones that every GPU of compute capability 8.0 and later runs, and reach every
// column.
constexpr const char* fault_of(const FusedBlocks& b) {
  const i64 reached = i64{b.threads} * b.width * b.parts;
  if (b.width < 1 || b.threads < 1 || b.groups < 1 || b.parts < 1) return "a block has no threads";
  if (b.threads * b.groups > b.block || b.block > 1024 || b.block % 32 != 0)
    return "a block has too many threads, or no whole warps";
  if (b.shared_bytes > (b.large ? 227 : 48) * i64{1024}) return "a block takes too much shared memory";
  if (b.parts > 1 && b.groups > 1) return "rows share blocks, and blocks share rows";
  if (b.columns == 0 && b.parts > 1 && reached != CudaSchedule::tile)
    return "the parts of a flat walk's row are not the row";
  if (b.columns > 0 && b.parts > 1 && reached < b.columns) return "the parts of a row do not reach its end";
  return nullptr;
}
// Whether the chunks of a launch are its rows, each once.
constexpr const char* fault_of(const FusedBlocks& b, const FusedLaunch& l) {
  const kernels::FusedCut& cut = l.cut;
  if (l.rows == 0) return cut.blocks == 0 ? nullptr : "a launch without rows has blocks";
  const i64 together = b.batch_rows > 0 ? b.batch_rows : l.rows, batches = l.rows / together;
  if (l.rows % together != 0 || cut.chunks % batches != 0) return "a chunk has rows of two batches";
  const i64 chunks = cut.chunks / batches;
  if (cut.rows_per_chunk < 1 || chunks < 1 || chunks * cut.rows_per_chunk < together)
    return "rows are left out";
  if ((chunks - 1) * cut.rows_per_chunk >= together) return "a chunk has no rows";
  if (cut.blocks > 0x7fffffff) return "a launch has more blocks than a grid";
  if (cut.blocks > cut.chunks * b.parts) return "a launch has blocks for which there are no rows";
  const i64 last = cut.blocks - (cut.chunks - 1) * b.parts;  // the blocks of the last chunk
  if (last < 1) return "a chunk has no blocks";
  if (last < b.parts && (b.columns > 0 || last * b.threads * b.width < l.last_cols))
    return "the last row's end is left out";
  if (b.sums && (b.placed || (b.batch_rows == 0 && l.planned_chunks <= 1)) && chunks != 1)
    return "a sum in one part has become several";
  if (!b.sums && l.partials >= 0) return "a launch without sums has partial ones";
  return nullptr;
}

}  // namespace schedule_detail

constexpr ScheduleFault verify(const CudaSchedule& s) {
  i64 waiting = 0;  // the end of the partial sums that wait
  for (const CudaSchedule::Launch& launch : s.launches) {
    const FusedLaunch& l = launch.at;
    if (l.kernel < 0 || l.kernel >= s.kernels.size()) return {"a launch of no kernel", l.step};
    const FusedBlocks& b = s.kernels[l.kernel];
    if (const char* what = schedule_detail::fault_of(b)) return {what, l.step};
    if (const char* what = schedule_detail::fault_of(b, l)) return {what, l.step};
    for (int k = 0; k < kernels::LaunchArgs::max_operands; ++k)
      if (b.access[k] > 1 && launch.address_bits[k] % static_cast<u64>(b.access[k]) != 0)
        return {"an access is wider than its address is aligned", l.step};
    if (l.partials < 0) continue;
    if (l.is_first) waiting = 0;
    if (l.partials < waiting || l.partials % 64 != 0) return {"partial sums lie on others", l.step};
    waiting = l.partials + l.partial_bytes;
    if (waiting > s.partial_bytes) return {"partial sums lie outside of their memory", l.step};
  }
  i64 end = s.scalar_bytes;
  for (int k = 0; k + 1 < s.inputs.size(); ++k) {
    if (s.inputs[k] < end || s.inputs[k] % 256 != 0) return {"an input lies on what is before it", -1};
    end = s.inputs[k] + s.input_bytes[k];
  }
  if (s.inputs.empty() || s.inputs[s.inputs.size() - 1] < end)
    return {"the inputs lie outside of their memory", -1};
  return {};
}

// A line a launch of a fused kernel: its step, its kernel, the blocks and what is in one.
inline std::string to_string(const CudaSchedule& s) {
  std::string text;
  const auto add = [&](const char* before, i64 number, const char* behind = "") {
    text += before;
    text += std::to_string(number);
    text += behind;
  };
  for (const CudaSchedule::Launch& launch : s.launches) {
    const FusedLaunch& l = launch.at;
    const FusedBlocks& b = s.kernels[l.kernel];
    add("step ", l.step);
    add(": kernel ", l.kernel);
    add(", ", l.cut.blocks, " blocks of ");
    add("", b.block, " threads");
    if (b.groups > 1) add(", ", b.groups, " rows a block");
    if (b.parts > 1) add(", ", b.parts, " blocks a row");
    if (b.sums) add(", ", l.cut.rows_per_chunk, " rows a sum");
    if (b.width > 1) add(", ", b.width, " columns at once");
    if (b.shifted) text += ", shifted";
    if (b.staged) text += ", staged";
    if (b.shared_bytes > 0) add(", ", b.shared_bytes, " bytes shared");
    if (l.partials >= 0) add(", ", l.partial_bytes), add(" bytes of partial sums at ", l.partials);
    text += "\n";
  }
  return text;
}

}  // namespace WEFT_NAMESPACE::exec
