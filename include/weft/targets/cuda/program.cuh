#pragma once
// A compiled program on a GPU: every block of memory and every launch fixed when it is made, captured once
// and replayed as one. Law: running allocates nothing, and plain launches give the results of a replay.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "weft/device/cuda_order.cuh"
#include "weft/device/cuda_staging.cuh"
#include "weft/device/graph_exec.cuh"
#include "weft/device/nvtx.cuh"
#include "weft/targets/cuda/kernels.cuh"
#include "weft/targets/memory.hpp"
#include "weft/targets/workspace.hpp"

namespace WEFT_NAMESPACE::exec {

// Scratch that products may ask of the library, in bytes: what its manual recommends for the newest GPUs.
inline constexpr i64 library_scratch_bytes = i64{32} << 20;

// Program P (a Compiled<...>) over the caller's blocks of state, which are device memory aligned to 256
// bytes, with memory of its own for what is not given. Work is enqueued on the device's stream.
template <class P>
class CudaProgram {
  using Plan = CudaPlan<P>;
  using Launch = kernels::CudaLaunch;

 public:
  // Without `graph` every step is launched by itself.
  CudaProgram(const Cuda& device, const Blocks& given, bool graph = true)
      : context_(device),
        allocator_(device.allocator),
        scalars_(static_cast<std::size_t>(P::header.scalars) * 4),
        communicators_{kernels::cuda_communicator(given.communicator),
                       kernels::cuda_communicator(given.group)} {
    const auto check = [](const std::byte* block) {
      if (reinterpret_cast<std::uintptr_t>(block) % buffer_alignment != 0)
        throw Error("cuda/misaligned", "a program's state must start at a multiple of 256 bytes");
    };
    check(given.optimizer);
    for (int k = 0; k < given.model.count; ++k) check(given.model.list[k].data);
    DeviceGuard guard(context_.ordinal());
    cuda_check_earlier();
    if (cuda_is_capturing(stream()))
      throw Error(
          "cuda/capture",
          "a program is compiled for a stream that is being captured, and takes memory and starts work that "
          "no capture may hold: compile before the capture begins");
    // What the library wants is known once its algorithms are chosen.
    constexpr auto bytes = static_cast<std::size_t>(memory_bytes()),
                   own = bytes - static_cast<std::size_t>(kernel_ir::align_up(library_bytes()));
    memory_ = given.workspace != nullptr ? DeviceBuffer::borrow(given.workspace, bytes)
                                         : allocate_or_tell([&] { return DeviceBuffer(own, allocator_); },
                                                            [] { return workspace_text(P::header); });
    i64 used = 0;
    const auto take = [&](i64 size) {
      std::byte* const at = memory_.data() + used;
      used += kernel_ir::align_up(size);
      return DeviceBuffer::borrow(at, static_cast<std::size_t>(size));
    };
    workspace_ = take(P::header.workspace_bytes);
    partial_ = take(Plan::partial_bytes());
    staged_ = take(Plan::staged_bytes());
    segments_ = take(segment_bytes());
    if (given.workspace != nullptr) library_ = take(library_bytes());
    for (DeviceBuffer* buffer : {&workspace_, &staged_})
      if (buffer->size() > 0) cuda_zero(buffer->data(), buffer->size(), stream());
    ring_.emplace(CudaStagingBackend{stream()}, staging_slots, scalars_.size());
    for (int i = 0; i < P::header.presets; ++i) {
      const u64 preset = P::image[P::header.preset_at + i];
      set_scalar(static_cast<int>(preset & 0xffffffff), std::bit_cast<float>(static_cast<u32>(preset >> 32)));
    }
    steps_.emplace(P::header, P::image, CudaKernels<P>::table.at,
                   Blocks{given.model, given.optimizer, workspace_.data(), staged_.data(), given.communicator,
                          given.group, given.shards});
    for (int k = 0; k < P::header.inputs; ++k) steps_->bind_input(k, staged_.data() + Plan::input_offset(k));
    cut_for_gpu<P>(steps_->launches(), partial_.data());
    place_segments();
    make_dots();
    context_.synchronize();
    // Recorded on a stream of its own: while one that blocks with the legacy default stream is captured, no
    // thread may copy or fill in that one.
    if (graph && P::header.steps > 0)
      graph_ = GraphExec::capture(Stream().get(), [&](cudaStream_t s) { steps_->run(s); });
  }
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;
  // Its memory must outlive what it has enqueued.
  ~CudaProgram() {
    try {
      if (waits_for_ranks()) context_.synchronize();
    } catch (const Error&) {  // what no other rank will end was aborted, and said to whom waited first
    }
    cuda_report(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
  }

  // Scratch for the library, in bytes, at most.
  static constexpr i64 library_bytes() { return CudaKernels<P>::library() ? library_scratch_bytes : 0; }
  // All device memory that the program takes beside the blocks of state, in bytes: intermediate values,
  // partial sums, inputs and scalars, ranges of parameter groups, the library's scratch. Of its own it takes
  // less, as much scratch as the algorithms that were chosen want.
  static constexpr i64 memory_bytes() {
    return kernel_ir::align_up(P::header.workspace_bytes) + kernel_ir::align_up(Plan::partial_bytes()) +
           kernel_ir::align_up(Plan::staged_bytes()) + kernel_ir::align_up(segment_bytes()) +
           kernel_ir::align_up(library_bytes());
  }

  // Pinned memory of the host, in bytes: for inputs none until the first one comes from there, then at most
  // 64 MB however large they are.
  std::size_t pinned_bytes() const {
    return staging_slots * (ring_->slot_bytes() + (pieces_ ? pieces_->slot_bytes() : 0));
  }

  void set_random(u64 seed, u64 step) {
    std::memcpy(scalars_.data(), &seed, 8);
    std::memcpy(scalars_.data() + 8, &step, 8);
  }
  void set_scalar(int k, float value) {
    std::memcpy(scalars_.data() + std::size_t{4} * static_cast<std::size_t>(k), &value, 4);
  }

  // Copies input `number`, from host memory at once and from device memory in the stream; it keeps its value
  // until it is bound again. `memory`, where it is known, has it.
  void bind_input(int number, const void* data, const Storage* memory = nullptr) {
    const auto bytes = static_cast<std::size_t>(Plan::input_bytes(number));
    if (bytes == 0) return;
    DeviceGuard guard(context_.ordinal());
    const auto offset = static_cast<std::size_t>(Plan::input_offset(number));
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
    const bool on_host = attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged;
    if (on_host && cuda_is_capturing(stream()))
      refuse_capture("is given an input that is no tensor of the device");
    bound_[number] = on_host && !in_pieces;
    if (!on_host) {
      CudaOrder* const order = order_of(memory);
      if (order != nullptr) order->before_read(stream());
      cuda_copy(staged_.data() + offset, data, bytes, stream());
      if (order != nullptr) order->after_read(stream());
    } else if (in_pieces) {
      send_in_pieces(staged_.data() + offset, static_cast<const std::byte*>(data), bytes);
    } else {
      if (ring_->slot_bytes() < staged_.size())
        ring_.emplace(CudaStagingBackend{stream()}, staging_slots, staged_.size());
      std::memcpy(slot() + offset, data, bytes);
    }
  }

  // Enqueues one step: the copy of what was bound and of the scalars, and all launches. While the caller
  // captures the stream, a step of inputs from the device becomes part of the capture; one that takes
  // anything from the host throws "cuda/capture".
  void run() {
    DeviceGuard guard(context_.ordinal());
    cuda_check_earlier();
    if (cuda_is_capturing(stream())) {
      const bool bound = std::any_of(std::begin(bound_), std::end(bound_), [](bool b) { return b; });
      if (bound) refuse_capture("was given an input that is no tensor of the device");
      if (Plan::reads_scalars())
        refuse_capture("draws random numbers or takes numbers that change from step to step");
      return steps_->run(stream());
    }
    begin_run();
    stage();
    if (graph_)
      graph_.launch(stream());
    else
      steps_->run(stream());
    end_run();
  }
  // The same under a Checker's eyes, each launch by itself.
  template <class Checker>
  void run_watched(Checker& checker) {
    DeviceGuard guard(context_.ordinal());
    begin_run();
    stage();
    const auto read = [this](void* to, const void* from, i64 bytes) {
      cuda_copy(to, from, static_cast<std::size_t>(bytes), stream());
      context_.synchronize();
    };
    watch_launches(*steps_, stream(), checker, read, [this] {
      end_run();
      context_.synchronize();
    });
  }
  // The same, and `times` is told of each launch, by the GPU's clock. Each is a range of NVTX inside those of
  // its modules, as `names` (launches by their places in the image) has them: members scope and text. Waits
  // for all.
  template <class Times, class Clock, class Names>
  void run_timed(Times& times, const Clock&, const Names& names) {
    struct Watch {
      cudaStream_t stream;
      const Names& names;
      struct Mark {
        int step;
        Event begin, end;
      };
      std::vector<Mark> marks{};
      NvtxModules modules{};
      void enter(int, i64) const {}
      void before(int step, const Launch&) {
        modules.enter(names[static_cast<std::size_t>(step)].scope);
        nvtx_push(names[static_cast<std::size_t>(step)].text.c_str());
        marks.push_back({step, Event(true), Event(true)});
        marks.back().begin.record(stream);
      }
      void after(int, const Launch&) {
        marks.back().end.record(stream);
        nvtx_pop();
      }
    };
    DeviceGuard guard(context_.ordinal());
    begin_run();
    stage();
    Watch watch{stream(), names};
    steps_->run(stream(), watch);
    end_run();
    context_.synchronize();
    for (const auto& mark : watch.marks)
      times.add(mark.step, 1e-3 * static_cast<double>(mark.end.milliseconds_since(mark.begin)));
  }
  // Until everything that run() started has ended.
  void wait() const { context_.synchronize(); }

  // Device memory, written by the stream.
  std::byte* output(int k) const { return steps_->output(k); }
  // To memory of the device, behind what the stream has to do.
  void copy_output(int k, void* to, i64 bytes) const {
    if (bytes == 0) return;
    DeviceGuard guard(context_.ordinal());
    cuda_copy(to, output(k), static_cast<std::size_t>(bytes), stream());
  }
  // To host or device memory; returns when the copy is complete.
  void read_output(int k, void* to, i64 bytes) const {
    DeviceGuard guard(context_.ordinal());
    if (cuda_is_capturing(stream()))
      throw Error(
          "cuda/capture",
          "the stream is being captured, and the host is to read a result, which is there when the capture "
          "is replayed: write it to a tensor of the device, or read it behind the replay");
    cuda_copy(to, output(k), static_cast<std::size_t>(bytes), stream());
    context_.synchronize();
  }
  // To memory of the caller: of the device as copy_output does, of the host as read_output does. `memory`,
  // where it is known, has it.
  void write_output(int k, void* to, i64 bytes, const Storage* memory) const {
    if (bytes == 0) return;
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, to), "cudaPointerGetAttributes");
    if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
      return read_output(k, to, bytes);
    if (memory != nullptr) before_write(*memory);
    copy_output(k, to, bytes);
    if (memory != nullptr) after_write(*memory);
  }
  // The stream's work on memory that other streams work on, too, runs behind theirs; and theirs behind this.
  void before_write(const Storage& memory) const {
    DeviceGuard guard(context_.ordinal());
    if (CudaOrder* const order = order_of(&memory)) order->before_write(stream());
  }
  void after_write(const Storage& memory) const {
    DeviceGuard guard(context_.ordinal());
    if (CudaOrder* const order = order_of(&memory)) order->after_write(stream());
  }
  cudaStream_t stream() const { return context_.stream(); }
  // What is enqueued from now on runs behind `event`, of whichever stream and GPU; the host goes on.
  void after(cudaEvent_t event) const {
    DeviceGuard guard(context_.ordinal());
    cuda_check(cudaStreamWaitEvent(stream(), event, 0), "cudaStreamWaitEvent");
  }
  void after(const Event& event) const { after(event.get()); }
  // An event behind everything that was enqueued so far; the next call records it anew.
  cudaEvent_t done() {
    DeviceGuard guard(context_.ordinal());
    if (!done_) done_.emplace();
    done_->record(stream());
    return done_->get();
  }
  // Rank 0's bytes of device memory become every rank's, in the stream.
  void broadcast(void* data, i64 bytes) const {
    DeviceGuard guard(context_.ordinal());
    communicators_[0]->broadcast(data, bytes, stream());
  }
  // The piece that each rank has of device memory becomes every rank's, in the stream; see Communicator.
  void gather_pieces(void* data, const i64* bounds, i64 unit) const {
    DeviceGuard guard(context_.ordinal());
    communicators_[0]->gather_pieces(data, bounds, unit, stream());
  }

 private:
  // Null where nothing is known of the memory, and while the caller captures: order within a capture is
  // theirs.
  CudaOrder* order_of(const Storage* memory) const {
    if (memory == nullptr || cuda_is_capturing(stream())) return nullptr;
    return static_cast<CudaOrder*>(memory->order());
  }
  // The communicators have to know of what waits for other ranks.
  void begin_run() const {
    for (kernels::CudaCommunicator* ranks : communicators_)
      if (ranks != nullptr) ranks->check();
  }
  void end_run() const {
    for (kernels::CudaCommunicator* ranks : communicators_)
      if (ranks != nullptr) ranks->launched("sums over ranks of a step", stream());
  }
  bool waits_for_ranks() const { return communicators_[0] != nullptr || communicators_[1] != nullptr; }

  static constexpr i64 segment_bytes() {
    return Plan::segments() * static_cast<i64>(sizeof(kernels::Segment));
  }
  static constexpr int staging_slots = 4;
  static constexpr std::size_t piece_bytes = std::size_t{16} << 20;
  // Whether inputs from the host are too large for slots that hold all of them, and go in pieces at once.
  static constexpr bool in_pieces = Plan::staged_bytes() > static_cast<i64>(piece_bytes);
  static constexpr int input_count = P::header.inputs > 0 ? P::header.inputs : 1;

  // The open slot of the ring; it has the layout of the staged block.
  std::byte* slot() {
    if (slot_ == nullptr) slot_ = ring_->begin();
    return slot_;
  }

  [[noreturn]] static void refuse_capture(const std::string& what) {
    throw Error("cuda/capture",
                "the stream is being captured, and the program " + what +
                    ", which comes from the host and would be the same in every replay: run it "
                    "outside of the capture, or on another stream");
  }

  void send_in_pieces(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (!pieces_) pieces_.emplace(CudaStagingBackend{stream()}, staging_slots, piece_bytes);
    for (std::size_t done = 0; done < bytes; done += piece_bytes)
      pieces_->send(to + done, from + done, std::min(piece_bytes, bytes - done));
  }

  // The scalars and the inputs that were bound since the last step, neighbours as one copy.
  void stage() {
    if (Plan::staged_bytes() == 0) return;
    if (!scalars_.empty()) std::memcpy(slot(), scalars_.data(), scalars_.size());
    i64 begin = 0, end = static_cast<i64>(scalars_.size());
    const auto flush = [&] {
      if (end > begin)
        ring_->copy(staged_.data() + begin, static_cast<std::size_t>(begin),
                    static_cast<std::size_t>(end - begin));
    };
    for (int k = 0; k < P::header.inputs; ++k) {
      if (!bound_[k]) continue;
      const i64 from = Plan::input_offset(k);
      if (kernel_ir::align_up(end) != from) {
        flush();
        begin = from;
      }
      end = from + Plan::input_bytes(k);
      bound_[k] = false;
    }
    slot();
    flush();
    ring_->end();
    slot_ = nullptr;
  }

  // The ranges of parameter groups, which the walk reads on the device.
  void place_segments() {
    List<kernels::Segment> all;
    for (const Launch& launch : steps_->launches())
      all.append(launch.args.segments, launch.args.segment_count);
    if (all.empty()) return;
    cuda_copy(segments_.data(), all.data(), static_cast<std::size_t>(all.size()) * sizeof(kernels::Segment),
              stream());  // of ranks that share state out fewer than there is room for
    context_.synchronize();
    const auto* next = reinterpret_cast<const kernels::Segment*>(segments_.data());
    for (Launch& launch : steps_->launches()) {
      launch.args.segments = next;
      next += launch.args.segment_count;
    }
  }

  void make_dots() {
    if constexpr (CudaKernels<P>::library()) {
      // The library loads its kernels at their first use, for which no thread may be capturing.
      const std::lock_guard lock(capture_mutex());
      handle_.emplace();
      steps_->bind_first_trips();
      std::size_t scratch = 0;
      for (int s = 0; s < P::header.steps; ++s) {
        const compiler::ImageStep step = compiler::step_of<P>(s);
        if (step.kind != compiler::StepKind::dot) continue;
        Launch& launch = steps_->launches()[s];
        const DotChoice choice = choose_dot(compiler::kernel_of<P>(step.kernel).words, launch.numbers);
        if (!choice.library) continue;
        kernels::CublasLtDotSpec spec;
        spec.shape = choice.call.shape;
        spec.batch = choice.call.batch;
        spec.ab = choice.ab;
        spec.c = choice.c;
        spec.accumulate = choice.accumulate;
        spec.tf32 = choice.tf32;
        spec.finish = choice.finish;
        spec.workspace_cap = static_cast<u64>(library_bytes());
        std::uintptr_t bits = 16;
        for (int k = 0; k < step.address_count; ++k)
          bits |=
              reinterpret_cast<std::uintptr_t>(launch.args.pointer[k]) | address_bits<P>(step.addresses[k]);
        spec.alignment = static_cast<u32>(bits & (~bits + 1));
        std::unique_ptr<kernels::CublasLtDots> dot = library_dot(spec);
        if (!dot) continue;
        dots_.push_back(std::move(dot));
        launch.dot = dots_.back().get();
        scratch = std::max(scratch, launch.dot->workspace_bytes());
      }
      if (library_.size() == 0) library_ = DeviceBuffer(scratch, allocator_);
      for (Launch& launch : steps_->launches()) {
        if (launch.dot == nullptr) continue;
        launch.library = library_.data();
        // Results in the workspace are not read before they are computed, and are never what is added.
        const auto* to = static_cast<const std::byte*>(launch.args.pointer[2]);
        if (to >= workspace_.data() && to < workspace_.data() + workspace_.size())
          launch.run(launch, stream());
      }
    }
  }

  // Null where the library has no algorithm.
  std::unique_ptr<kernels::CublasLtDots> library_dot(const kernels::CublasLtDotSpec& spec) const {
    try {
      return std::make_unique<kernels::CublasLtDots>(*handle_, spec);
    } catch (const Error& e) {
      if (e.id() != "cublas/no-algorithm") throw;
      return nullptr;
    }
  }

  CudaContext context_;
  CudaAllocator* allocator_;
  std::vector<std::byte> scalars_;
  // Of the ranks, and of those that have parts of its model; null: it is of one rank, of a whole model.
  kernels::CudaCommunicator* communicators_[2];
  DeviceBuffer memory_, workspace_, partial_, staged_, segments_;  // the last four are parts of the first
  DeviceBuffer library_;                                           // a part too, where memory is lent
  // Slots of the scalars, and of all inputs once one comes from the host; pieces of large inputs.
  std::optional<CudaStagingRing> ring_, pieces_;
  std::byte* slot_ = nullptr;
  bool bound_[input_count]{};  // from host memory, since the last step
  std::optional<kernels::CublasLtHandle> handle_;
  std::vector<std::unique_ptr<kernels::CublasLtDots>> dots_;
  std::optional<LaunchList<Launch>> steps_;
  GraphExec graph_;
  std::optional<Event> done_;  // once somebody has asked
};

}  // namespace WEFT_NAMESPACE::exec
