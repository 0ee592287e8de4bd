#pragma once
// A compiled program's image as a list of launches: pointers resolved, numbers in place. Law: running is a
// walk over that list in order, and allocates nothing.

#include "weft/comm/communicator.hpp"
#include "weft/comm/shares.hpp"
#include "weft/compiler/image.hpp"
#include "weft/compiler/lower/collective.hpp"
#include "weft/core/group_call.hpp"
#include "weft/kernels/fused/call.hpp"
#include "weft/kernels/fused/combine_partials.hpp"
#include "weft/targets/shard.hpp"
#include "weft/targets/state_blocks.hpp"

namespace WEFT_NAMESPACE::exec {

// The blocks a program works on. A caller who leaves the workspace out gets one that is the program's own;
// scalars always are.
struct Blocks {
  StateBlocks model;
  std::byte* optimizer = nullptr;
  std::byte* workspace = nullptr;
  std::byte* scalars = nullptr;
  comm::Communicator* communicator = nullptr;  // of a program of several ranks
  comm::Communicator* group = nullptr;         // of the ranks that hold parts of one model
  Shards shards{};
};

// The types and folds of the second stage of all sums of program P.
template <class P>
constexpr u64 combine_set() {
  u64 set = 0;
  for (int s = 0; s < P::header.steps; ++s) {
    const compiler::ImageStep step = compiler::step_of<P>(s);
    if (step.kind != compiler::StepKind::combine_partials) continue;
    for (int k = 0; k < step.number_count; k += kernels::CombineCall::numbers) {
      const auto sum = kernels::CombineCall::decode(step.numbers + k);
      set |= kernels::combine_set(sum.dtype, sum.fold);
    }
  }
  return set;
}

// `Launch`: how the device wants one step, with members run, args, numbers, number_count, sums and sum_count.
template <class Launch>
class LaunchList {
 public:
  // Reads an image's steps; `kernels` has its kernels' functions.
  LaunchList(const compiler::ImageHeader& header, const u64* image, const decltype(Launch::run)* kernels,
             const Blocks& blocks)
      : header_(header), image_(image), blocks_(blocks), launches_(header.steps), bindings_(header.bindings) {
    for (int k = 0; k < header.bindings; ++k) {
      const compiler::Binding from = compiler::read_binding(header, image, k);
      Bound& binding = bindings_[k];
      binding.stride = from.stride;
      binding.ahead = from.ahead;
      binding.has_first = from.first != kernel_ir::BufferAddress::none;
      binding.alternates = from.other != kernel_ir::BufferAddress::none;
      place(from.first, binding.first);
      place(from.base, binding.base);
      place(from.other, binding.other);
    }
    sums_.reserve(count_sums());  // pointers into it are kept
    for (int s = 0; s < header.steps; ++s) {
      const compiler::ImageStep step = compiler::read_step(header, image, s);
      Launch& launch = launches_[s];
      launch.run = kernels[step.kernel];
      launch.numbers = step.numbers;
      launch.number_count = step.number_count;
      if (step.kind == compiler::StepKind::combine_partials) {
        launch.sum_count = step.address_count / 2;
        for (int k = 0; k < launch.sum_count; ++k) {
          const auto call = kernels::CombineCall::decode(step.numbers + kernels::CombineCall::numbers * k);
          sums_.push(kernels::partial_sum(call, resolve(step.addresses[2 * k]), nullptr));
          place(step.addresses[2 * k + 1], sums_.back().to);
        }
        continue;
      }
      for (int a = 0; a < step.address_count; ++a) place(step.addresses[a], launch.args.pointer[a]);
      if (compiler::is_collective(step.kind)) {
        launch.args.pointer[1] = blocks_.communicator;
        if (step.kind == compiler::StepKind::all_reduce_start ||
            step.kind == compiler::StepKind::all_reduce_done)
          launch.args.pointer[2] = blocks_.group;
        if (launch.number_count > 3) reserve_start(step.kind, launch);  // a done has no begin
      }
      if (step.kind == compiler::StepKind::group_collective) {
        launch.args.pointer[1] = blocks_.group;
        launch.args.rows = reserve_group(launch.numbers);
      }
      if (step.kind == compiler::StepKind::copy && step.number_count > 1 &&
          !blocks_.shards.optimizer.is_whole())
        throw Error("comm/copy",
                    "the update of a parameter group is kept in other memory until the end of the step, as "
                    "something reads the old values after it, and of a rank's share it is not copied back: "
                    "return what is read late from a function of its own");
      if (step.kind == compiler::StepKind::fused) {
        const auto call = kernels::FusedCall::decode(step.numbers);
        kernels::LaunchArgs& args = launch.args;
        args.rows = call.rows;
        args.rows_per_chunk = call.rows_per_chunk;
        args.chunks = call.chunks;
        args.last_cols = call.last_cols;
        args.partial_bytes = call.partial_bytes;
        for (int k = 0; k < call.streams; ++k)
          args.stream[k] = static_cast<u32>(step.numbers[call.streams_at + k]);
        args.segment_count = call.segments(step.number_count);
        for (int k = 0; k < args.segment_count; ++k) segments_.push(call.segment(step.numbers, k));
        if (!blocks_.shards.optimizer.is_whole()) {
          if (args.segment_count > 0)
            clip(args);
          else if (reads_shared_vector(step))
            clip_rows(args);
        }
      }
    }
    sort_uses();
    kernels::PartialSum* next_sum = sums_.data();
    const kernels::Segment* next = segments_.data();
    for (Launch& launch : launches_) {
      launch.sums = next_sum;
      next_sum += launch.sum_count;
      launch.args.segments = next;
      next += launch.args.segment_count;
    }
  }

  // Input `number` is read from `data` until the next call.
  void bind_input(int number, const void* data) {
    for (const Use& use : inputs_)
      if (use.number == number)
        *use.pointer = const_cast<std::byte*>(static_cast<const std::byte*>(data)) + use.offset;
  }
  // Sets what the steps inside loops read and write to what it is in the first trips.
  void bind_first_trips() const {
    for (int s = 0; s < header_.steps; ++s)
      if (is_repeat(s)) bind(s, 0);
  }

  // Runs every step; `context` is what the device's functions take beside the step. `watch` is told of each:
  // before(step, launch), after(step, launch).
  template <class Context>
  void run(const Context& context) const {
    const NoWatch nobody;
    run(0, header_.steps, context, nobody);
  }
  template <class Context, class Watch>
  void run(const Context& context, Watch& watch) const {
    run(0, header_.steps, context, watch);
  }

  // A program's pointers lead into these lists.
  LaunchList(const LaunchList&) = delete;
  LaunchList& operator=(const LaunchList&) = delete;

  // In the order of the image's steps.
  List<Launch>& launches() { return launches_; }

  std::byte* output(int k) const { return static_cast<std::byte*>(resolve(image_[header_.output_at + k])); }

 private:
  // Before the first start of a collective.
  void reserve_start(compiler::StepKind kind, Launch& launch) {
    using compiler::StepKind;
    comm::Communicator& ranks = *blocks_.communicator;
    const int request = static_cast<int>(launch.numbers[0]);
    const i64 count = static_cast<i64>(launch.numbers[1]), begin = static_cast<i64>(launch.numbers[3]);
    const DType dtype = static_cast<DType>(launch.numbers[2]);
    if (kind == StepKind::reduce_scatter_state_start)  // which begins where its trip says
      return ranks.reserve_any_part(request, count, dtype);
    if (kind == StepKind::all_reduce_max) return ranks.reserve_max(request, count);
    ranks.note(request, begin, count);
    if (kind == StepKind::all_reduce_start)
      ranks.reserve(request, count, dtype);
    else if (kind == StepKind::all_gather_state_start)
      reserve_state(launch);
    else
      reserve_pieces(launch.numbers, kind == StepKind::reduce_scatter_into_start);
  }
  // Of a collective on pieces: which piece of its operand each rank has.
  void reserve_pieces(const u64* numbers, bool into) {
    const i64 length = static_cast<i64>(numbers[1]), begin = static_cast<i64>(numbers[3]);
    const comm::Shares shares{static_cast<i64>(numbers[4]), static_cast<i64>(numbers[5])};
    const i64 ranks = blocks_.communicator->size();
    List<i64> bounds;
    for (i64 r = 0; r <= ranks; ++r) bounds.push(shares.begin_in(r, ranks, begin, length));
    const int request = static_cast<int>(numbers[0]);
    const DType dtype = static_cast<DType>(numbers[2]);
    if (into)
      blocks_.communicator->reserve_scatter_into(request, bounds.data(), dtype);
    else
      blocks_.communicator->reserve_pieces(request, bounds.data(), dtype);
  }
  // Of a gathering of state: what this rank has of it.
  void reserve_state(Launch& launch) {
    blocks_.communicator->reserve_state(static_cast<int>(launch.numbers[0]),
                                        static_cast<i64>(launch.numbers[1]));
    launch.args.first_row = blocks_.shards.model.begin;
    launch.args.rows = blocks_.shards.model.end - blocks_.shards.model.begin;
  }
  // Of a group_collective: its request.
  int reserve_group(const u64* numbers) {
    const GroupCall call = GroupCall::decode(numbers[0]);
    const i64 count = static_cast<i64>(numbers[1]);
    const DType dtype = static_cast<DType>(numbers[2]);
    if (call.kind != GroupKind::gather && call.kind != GroupKind::part && dtype != DType::f32 &&
        dtype != DType::f64)
      throw Error("comm/dtype", "a sum of parts is of f32 or f64");
    if (call.kind == GroupKind::sum) {
      blocks_.group->reserve(group_requests_, count, dtype);
    } else if (call.kind == GroupKind::scatter) {
      List<i64> bounds;
      for (int r = 0; r <= call.degree; ++r) bounds.push(count / call.degree * r);
      blocks_.group->reserve_scatter_into(group_requests_, bounds.data(), dtype);
    } else {
      return -1;
    }
    return group_requests_++;
  }
  // Leaves of the last segments, which are a launch's, what this rank has of them.
  void clip(kernels::LaunchArgs& args) {
    const int first = segments_.size() - args.segment_count;
    int kept = first;
    i64 tiles = 0;
    for (int k = first; k < segments_.size(); ++k) {
      const kernels::Segment& whole = segments_[k];
      const i64 end = whole.offset + whole.length;
      const i64 from =
          whole.offset < blocks_.shards.optimizer.begin ? blocks_.shards.optimizer.begin : whole.offset;
      const i64 to = end < blocks_.shards.optimizer.end ? end : blocks_.shards.optimizer.end;
      if (from >= to) continue;
      segments_[kept++] = {tiles, from, to - from};
      tiles += (to - from + kernels::tile_length - 1) / kernels::tile_length;
    }
    segments_.resize(kept);
    args.segment_count = kept - first;
    args.rows = tiles;
    args.chunks = (tiles + args.rows_per_chunk - 1) / args.rows_per_chunk;
    args.clipped = true;
  }
  bool reads_shared_vector(const compiler::ImageStep& step) const {
    using kernel_ir::BufferAddress;
    const Shard& own = blocks_.shards.optimizer;
    bool reads = false;
    for (int a = 0; a < step.address_count; ++a) {
      const i64 at = BufferAddress::offset(step.addresses[a]);
      reads = reads || (BufferAddress::space(step.addresses[a]) == ir::Space::optimizer && at >= own.from &&
                        at < own.behind);
    }
    return reads;
  }
  // Leaves of the rows of a shared vector, each as many elements as are one rank's together, this rank's; of
  // a vector that is one row, that or nothing.
  void clip_rows(kernels::LaunchArgs& args) const {
    const Shard& own = blocks_.shards.optimizer;
    const i64 rows = (own.end - own.begin + own.grain - 1) / own.grain;
    const bool is_one_row = own.grain * own.unit >= own.vector;
    args.clipped = true;
    if (is_one_row && rows > 0) return;
    args.first_row = own.begin / own.grain;
    args.rows = rows;
    args.chunks = (rows + args.rows_per_chunk - 1) / args.rows_per_chunk;
  }
  // A pointer that is an input's, or a binding's, plus `offset`.
  struct Use {
    int number;
    void** pointer;
    i64 offset;
  };
  // A binding (compiler/lowered.hpp), resolved; uses_ [begin, end) are the pointers that it sets.
  struct Bound {
    void* first = nullptr;
    void* base = nullptr;
    void* other = nullptr;
    i64 stride = 0;
    bool has_first = false, alternates = false, ahead = false;
    int begin = 0, end = 0;
  };

  // Puts what an address means into `pointer`, now or when it is known.
  void place(u64 address, void*& pointer) {
    using kernel_ir::BufferAddress;
    pointer = resolve(address);
    if (address == BufferAddress::none) return;
    const Use use{BufferAddress::index(address), &pointer, BufferAddress::offset(address)};
    if (BufferAddress::space(address) == ir::Space::input) inputs_.push(use);
    if (BufferAddress::space(address) == ir::Space::bound) uses_.push(use);
  }
  // Uses by binding (a counting sort).
  void sort_uses() {
    for (const Use& use : uses_) ++bindings_[use.number].end;
    int at = 0;
    for (Bound& b : bindings_) {
      b.begin = at;
      at += b.end;
      b.end = b.begin;
    }
    List<Use> sorted(uses_.size());
    for (const Use& use : uses_) sorted[bindings_[use.number].end++] = use;
    uses_ = static_cast<List<Use>&&>(sorted);
  }

  // Sums that second stages put together.
  int count_sums() const {
    int n = 0;
    for (int s = 0; s < header_.steps; ++s) {
      const compiler::ImageStep step = compiler::read_step(header_, image_, s);
      if (step.kind == compiler::StepKind::combine_partials) n += step.address_count / 2;
    }
    return n;
  }

  bool is_repeat(int s) const {
    return compiler::read_step(header_, image_, s).kind == compiler::StepKind::repeat;
  }
  struct NoWatch {
    void enter(int, i64) const {}
    void before(int, const Launch&) const {}
    void after(int, const Launch&) const {}
  };
  template <class Context, class Watch>
  void run(int begin, int end, const Context& context, Watch& watch) const {
    for (int s = begin; s < end; ++s) {
      const Launch& launch = launches_[s];
      if (launch.run != nullptr) {
        watch.before(s, launch);
        launch.run(launch, context);
        watch.after(s, launch);
        if (blocks_.communicator != nullptr) [[unlikely]]
          blocks_.communicator->progress();
        continue;
      }
      const auto loop = compiler::RepeatCall::decode(launch.numbers);
      for (i64 trip = 0; trip < loop.trips; ++trip) {
        watch.enter(s, trip);
        bind(s, trip);
        run(s + 1, s + 1 + loop.inside, context, watch);
      }
      s += loop.inside;
    }
  }
  // What the steps inside step s, a loop, read and write in one trip.
  void bind(int s, i64 trip) const {
    const auto loop = compiler::RepeatCall::decode(launches_[s].numbers);
    const i64 left = loop.trips - 1 - trip;
    for (int k = loop.first_binding; k < loop.first_binding + loop.bindings; ++k) {
      const Bound& b = bindings_[k];
      if (b.begin == b.end) continue;
      std::byte* at = static_cast<std::byte*>(trip == 0 && b.has_first        ? b.first
                                              : b.alternates && left % 2 == 1 ? b.other
                                                                              : b.base) +
                      (b.stride != 0 ? trip * b.stride : 0);
      const bool none = b.ahead && left == 0;
      for (int u = b.begin; u < b.end; ++u) *uses_[u].pointer = none ? nullptr : at + uses_[u].offset;
    }
  }

  void* resolve(u64 address) const {
    if (address == kernel_ir::BufferAddress::none) return nullptr;
    const i64 offset = kernel_ir::BufferAddress::offset(address);
    switch (kernel_ir::BufferAddress::space(address)) {
      case ir::Space::model:
        return blocks_.model.at(blocks_.shards.model.at(offset));
      case ir::Space::optimizer:
        return blocks_.optimizer + blocks_.shards.optimizer.at(offset);
      case ir::Space::scalars:
        return blocks_.scalars + offset;
      case ir::Space::input:
      case ir::Space::bound:
        return nullptr;
      default:
        return blocks_.workspace + offset;
    }
  }

  compiler::ImageHeader header_;
  const u64* image_;
  Blocks blocks_;
  int group_requests_ = 0;
  List<Launch> launches_;
  List<Bound> bindings_;
  List<Use> inputs_, uses_;
  List<kernels::Segment> segments_;  // of all segmented kernels
  List<kernels::PartialSum> sums_;   // of all second stages
};

// Tells a StepTimes of every step; `clock` gives seconds, when all that was begun has ended.
template <class Times, class Clock>
struct TimedLaunches {
  Times& times;
  const Clock& clock;
  double start = 0;
  void enter(int, i64) const {}
  template <class Launch>
  void before(int, const Launch&) {
    start = clock();
  }
  template <class Launch>
  void after(int step, const Launch&) const {
    times.add(step, clock() - start);
  }
};

// Shows a Checker every step, one at a time: `settle` returns when the last one has ended, `read` brings the
// device's memory to the host.
template <class Checker, class Read, class Settle>
struct CheckedLaunches {
  Checker& checker;
  const Read& read;
  const Settle& settle;
  void enter(int step, i64 trip) const { checker.enter(step, trip); }
  template <class Launch>
  void before(int step, const Launch& launch) const {
    settle();
    checker.before(step, launch, read);
  }
  template <class Launch>
  void after(int step, const Launch& launch) const {
    settle();
    checker.after(step, launch, read);
  }
};
template <class LaunchList, class Context, class Checker, class Read, class Settle>
void watch_launches(const LaunchList& steps, const Context& context, Checker& checker, const Read& read,
                    const Settle& settle) {
  const CheckedLaunches<Checker, Read, Settle> watch{checker, read, settle};
  steps.run(context, watch);
}

}  // namespace WEFT_NAMESPACE::exec
