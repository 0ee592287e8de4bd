#pragma once
// A compiled program's image as a list of launches: pointers resolved, numbers in place. Law: running is a
// walk over that list in order, and allocates nothing.

#include "weft/comm/communicator.hpp"
#include "weft/comm/shares.hpp"
#include "weft/compiler/image.hpp"
#include "weft/compiler/lower/collective.hpp"
#include "weft/exec/shard.hpp"
#include "weft/exec/state_blocks.hpp"
#include "weft/kernels/fused/combine_partials.hpp"

namespace WEFT_NAMESPACE::exec {

// The blocks a program works on. A caller who leaves the workspace out gets one that is the program's own;
// scalars always are.
struct Blocks {
  StateBlocks model;
  std::byte* optimizer = nullptr;
  std::byte* workspace = nullptr;
  std::byte* scalars = nullptr;
  comm::Communicator* communicator = nullptr;  // of a program of several ranks
  Shard shard{};                               // of the optimiser's block
};

// The types and folds of the second stage of all sums of program P.
template <class P>
constexpr u64 combine_set() {
  u64 set = 0;
  for (int s = 0; s < P::header.steps; ++s) {
    const u64* w = P::image + P::header.step_at + compiler::step_words * s;
    if (static_cast<compiler::StepKind>(w[0] & 255) != compiler::StepKind::combine_partials) continue;
    const u64* n = P::image + P::header.number_at + (w[2] & 0xffffffff);
    for (int k = 0; k < static_cast<int>(w[2] >> 32); k += kernels::combine_numbers)
      set |=
          kernels::combine_set(static_cast<DType>(n[k + 3] & 255), static_cast<kernels::Fold>(n[k + 3] >> 8));
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
      const u64* w = image + header.binding_at + compiler::binding_words * k;
      Bound& binding = bindings_[k];
      binding.stride = static_cast<i64>(w[3]);
      binding.has_first = w[0] != kernel_ir::BufferAddress::none;
      binding.alternates = w[2] != kernel_ir::BufferAddress::none;
      place(w[0], binding.first);
      place(w[1], binding.base);
      place(w[2], binding.other);
    }
    sums_.reserve(count_sums());  // pointers into it are kept
    for (int s = 0; s < header.steps; ++s) {
      const u64* w = image + header.step_at + compiler::step_words * s;
      Launch& launch = launches_[s];
      launch.run = kernels[w[0] >> 8];
      const int first = static_cast<int>(w[1] & 0xffffffff), addresses = static_cast<int>(w[1] >> 32);
      launch.numbers = image + header.number_at + (w[2] & 0xffffffff);
      launch.number_count = static_cast<int>(w[2] >> 32);
      if (static_cast<compiler::StepKind>(w[0] & 255) == compiler::StepKind::combine_partials) {
        launch.sum_count = addresses / 2;
        for (int k = 0; k < launch.sum_count; ++k) {
          sums_.push(kernels::partial_sum(launch.numbers + kernels::combine_numbers * k,
                                          resolve(image[header.address_at + first + 2 * k]), nullptr));
          place(image[header.address_at + first + 2 * k + 1], sums_.back().to);
        }
        continue;
      }
      for (int a = 0; a < addresses; ++a) {
        const u64 address = image[header.address_at + first + a];
        place(address, launch.args.pointer[a]);
      }
      const auto kind = static_cast<compiler::StepKind>(w[0] & 255);
      if (compiler::is_collective(kind)) {
        launch.args.pointer[1] = blocks_.communicator;
        if (kind == compiler::StepKind::all_reduce_start)
          blocks_.communicator->reserve(static_cast<int>(launch.numbers[0]),
                                        static_cast<i64>(launch.numbers[1]),
                                        static_cast<DType>(launch.numbers[2]));
        if (launch.number_count > 3) reserve_pieces(launch.numbers);
      }
      if (static_cast<compiler::StepKind>(w[0] & 255) == compiler::StepKind::fused) {
        kernels::LaunchArgs& args = launch.args;
        args.rows = static_cast<i64>(launch.numbers[0]);
        args.rows_per_chunk = static_cast<i64>(launch.numbers[1]);
        args.chunks = static_cast<i64>(launch.numbers[2]);
        args.last_cols = static_cast<i64>(launch.numbers[3]);
        args.partial_bytes = static_cast<i64>(launch.numbers[4]);
        const int streams = static_cast<int>(launch.numbers[5]), tail = 6 + streams;
        for (int k = 0; k < streams; ++k) args.stream[k] = static_cast<u32>(launch.numbers[6 + k]);
        for (int k = tail; k + 2 < launch.number_count; k += 3)
          segments_.push({static_cast<i64>(launch.numbers[k]), static_cast<i64>(launch.numbers[k + 1]),
                          static_cast<i64>(launch.numbers[k + 2])});
        args.segment_count = (launch.number_count - tail) / 3;
        if (!blocks_.shard.is_whole() && args.segment_count > 0) clip(args);
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
  // Of a collective on pieces: which piece of its operand each rank has.
  void reserve_pieces(const u64* numbers) {
    const i64 length = static_cast<i64>(numbers[1]), begin = static_cast<i64>(numbers[3]);
    const comm::Shares shares{static_cast<i64>(numbers[4]), static_cast<i64>(numbers[5])};
    const i64 ranks = blocks_.communicator->size();
    List<i64> bounds;
    for (i64 r = 0; r <= ranks; ++r) {
      const i64 at = shares.begin(r, ranks) - begin;
      bounds.push(at < 0 ? 0 : at < length ? at : length);
    }
    blocks_.communicator->reserve_pieces(static_cast<int>(numbers[0]), bounds.data(),
                                         static_cast<DType>(numbers[2]));
  }
  // Leaves of the last segments, which are a launch's, what this rank has of them.
  void clip(kernels::LaunchArgs& args) {
    const int first = segments_.size() - args.segment_count;
    int kept = first;
    i64 tiles = 0;
    for (int k = first; k < segments_.size(); ++k) {
      const kernels::Segment& whole = segments_[k];
      const i64 end = whole.offset + whole.length;
      const i64 from = whole.offset < blocks_.shard.begin ? blocks_.shard.begin : whole.offset;
      const i64 to = end < blocks_.shard.end ? end : blocks_.shard.end;
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
    bool has_first = false, alternates = false;
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
      const u64* w = image_ + header_.step_at + compiler::step_words * s;
      if (static_cast<compiler::StepKind>(w[0] & 255) == compiler::StepKind::combine_partials)
        n += static_cast<int>(w[1] >> 33);
    }
    return n;
  }

  bool is_repeat(int s) const {
    const u64 w = image_[header_.step_at + compiler::step_words * s];
    return static_cast<compiler::StepKind>(w & 255) == compiler::StepKind::repeat;
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
      const i64 trips = static_cast<i64>(launch.numbers[0]);
      const int inside = static_cast<int>(launch.numbers[1]);
      for (i64 trip = 0; trip < trips; ++trip) {
        watch.enter(s, trip);
        bind(s, trip);
        run(s + 1, s + 1 + inside, context, watch);
      }
      s += inside;
    }
  }
  // What the steps inside step s, a loop, read and write in one trip.
  void bind(int s, i64 trip) const {
    const u64* numbers = launches_[s].numbers;
    const i64 left = static_cast<i64>(numbers[0]) - 1 - trip;
    const int first = static_cast<int>(numbers[2]), count = static_cast<int>(numbers[3]);
    for (int k = first; k < first + count; ++k) {
      const Bound& b = bindings_[k];
      if (b.begin == b.end) continue;
      std::byte* at = static_cast<std::byte*>(trip == 0 && b.has_first        ? b.first
                                              : b.alternates && left % 2 == 1 ? b.other
                                                                              : b.base) +
                      (b.stride != 0 ? trip * b.stride : 0);
      for (int u = b.begin; u < b.end; ++u) *uses_[u].pointer = at + uses_[u].offset;
    }
  }

  void* resolve(u64 address) const {
    if (address == kernel_ir::BufferAddress::none) return nullptr;
    const i64 offset = kernel_ir::BufferAddress::offset(address);
    switch (kernel_ir::BufferAddress::space(address)) {
      case ir::Space::model:
        return blocks_.model.at(offset);
      case ir::Space::optimizer:
        return blocks_.optimizer + blocks_.shard.at(offset);
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
