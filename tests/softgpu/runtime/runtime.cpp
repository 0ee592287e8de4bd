#include "softgpu/runtime/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "softgpu/ptx/syntax.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

Runtime& runtime() {
  static auto* const only = new Runtime;  // outlives the program's static objects, which still call it
  return *only;
}

int& current_device() {
  static thread_local int device = 0;
  return device;
}
cudaError_t& last_error() {
  static thread_local cudaError_t error = cudaSuccess;
  return error;
}

Runtime::Runtime() {
  for (int d = 0; d < Memory::devices; ++d) {
    legacy[d].device = d;
    legacy[d].legacy = true;
    legacy[d].number = static_cast<std::size_t>(d);
  }
}

Stream* Runtime::make_stream(int device, bool blocking) {
  all_streams_.push_back(std::make_unique<Stream>());
  Stream* const made = all_streams_.back().get();
  made->device = device;
  made->blocking = blocking;
  made->number = Memory::devices + all_streams_.size();
  return made;
}

Stream* Runtime::stream(cudaStream_t handle, const char* call) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &legacy[current_device()];
  if (handle == cudaStreamPerThread) {
    Stream*& mine = per_thread_[{std::this_thread::get_id(), current_device()}];
    if (mine == nullptr) mine = make_stream(current_device(), true);
    return mine;
  }
  auto* const known = reinterpret_cast<Stream*>(handle);
  if (streams.count(known) != 0) return known;
  report("invalid handle", call, std::string(call) + ": a stream that was destroyed or never made");
  return nullptr;
}

Event* Runtime::event(cudaEvent_t handle, const char* call) {
  auto* const known = reinterpret_cast<Event*>(handle);
  if (events.count(known) != 0) return known;
  report("invalid handle", call, std::string(call) + ": an event that was destroyed or never made");
  return nullptr;
}

// Whether the environment lets programs use the legacy stream; read when one first does.
static bool legacy_is_allowed() {
  static const bool allowed = Settings::number("WEFT_SOFTGPU_LEGACY", 1) != 0;
  return allowed;
}

cudaError_t Runtime::enqueue(Stream& stream, std::function<void()> run, const char* call) {
  return enqueue_task(
      stream,
      [run = std::move(run)] {
        run();
        return true;
      },
      call);
}
cudaError_t Runtime::enqueue_task(Stream& stream, Task run, const char* call) {
  if (stream.capture != nullptr) {
    Capture& capture = *stream.capture;
    if (capture.broken) return cudaErrorStreamCaptureInvalidated;
    auto node = std::make_unique<Node>();
    node->run = std::move(run);
    node->after = stream.tail;
    stream.tail = {node.get()};
    capture.graph->nodes.push_back(std::move(node));
    return cudaSuccess;
  }
  auto work = std::make_shared<Work>();
  work->run = std::move(run);
  work->stream = &stream;
  work->clock = host_;
  for (const auto& before : std::exchange(stream.wait_before_next, {})) put_behind(*work, before);
  if (stream.legacy) {
    if (!legacy_is_allowed())
      report("legacy stream", call,
             std::string(call) + " works in the legacy default stream, for which all blocking streams wait");
    if (const cudaError_t status = forbid_legacy_under_capture(stream.device, call); status != cudaSuccess)
      return status;
    for (const auto& other : all_streams_)
      if (other->blocking && other->device == stream.device) put_behind(*work, other->last);
  } else if (stream.blocking) {
    put_behind(*work, legacy[stream.device].last);
  }
  stream.pending.push_back(work);
  stream.last = work;
  return cudaSuccess;
}

// Whether it has ended.
bool Runtime::run(Work& work) {
  const std::shared_ptr<Work> held = work.stream->pending.front();
  Stream& stream = *work.stream;
  for (const auto& before : work.after) work.clock.join(before->clock);
  work.clock.join(stream.clock);
  work.clock.reach(stream.number, ++stream.time);
  stream.clock = work.clock;
  order().begin(work.clock, stream.number, stream.time, next_tag++);
  if (sticky == cudaSuccess) {
    try {
      if (!work.run()) {
        order().postpone();
        return false;
      }
    } catch (const KernelFault& f) {
      sticky = static_cast<cudaError_t>(f.status);
    }
  }
  order().end(next_tag);
  work.stream->pending.pop_front();
  work.done = true;
  work.run = nullptr;
  work.after.clear();
  return true;
}

// From the work that is waited for, back over what must come before it, to something that can run. Now and
// then anything else that can run goes first.
void Runtime::complete(Work& target) {
  while (!target.done) {
    if (random.below(8) == 0) {
      if (Work* const other = random_ready()) {
        run(*other);
        continue;
      }
    }
    Work* now = &target;
    for (;;) {
      if (!is_head(*now)) {
        now = now->stream->pending.front().get();
        continue;
      }
      std::vector<Work*> open;
      for (const auto& before : now->after)
        if (!before->done) open.push_back(before.get());
      if (open.empty()) break;
      now = open[random.below(static_cast<u32>(open.size()))];
    }
    if (run(*now)) continue;
    mutex.unlock();  // other threads may call meanwhile
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    mutex.lock();
  }
  seen_done(target);
  if (nothing_pending()) order().forget(host_);
}

bool Runtime::nothing_pending() const {
  for (const Stream& s : legacy)
    if (!s.pending.empty()) return false;
  return std::all_of(all_streams_.begin(), all_streams_.end(),
                     [](const auto& s) { return s->pending.empty(); });
}

Work* Runtime::random_ready() {
  std::vector<Work*> ready;
  const auto look = [&](Stream& s) {
    if (s.pending.empty()) return;
    Work& head = *s.pending.front();
    if (std::all_of(head.after.begin(), head.after.end(), [](const auto& w) { return w->done; }))
      ready.push_back(&head);
  };
  for (Stream& s : legacy) look(s);
  for (const auto& s : all_streams_) look(*s);
  return ready.empty() ? nullptr : ready[random.below(static_cast<u32>(ready.size()))];
}

void Runtime::complete(Stream& stream) {
  if (const std::shared_ptr<Work> last = stream.last; last != nullptr) complete(*last);
  // what only waits has no work of its own
  for (const auto& before : std::exchange(stream.wait_before_next, {})) complete(*before);
}

void Runtime::complete_device(int device) {
  std::vector<Stream*> open;
  const auto look = [&](Stream& s) {
    if (s.device == device && (!s.pending.empty() || !s.wait_before_next.empty())) open.push_back(&s);
  };
  look(legacy[device]);
  for (const auto& s : all_streams_) look(*s);
  const auto seen = [&](const Stream& s) {
    if (s.device == device && s.pending.empty() && s.last != nullptr) seen_done(*s.last);
  };
  seen(legacy[device]);
  for (const auto& s : all_streams_) seen(*s);
  for (std::size_t n = open.size(); n > 0; --n) {
    std::swap(open[n - 1], open[random.below(static_cast<u32>(n))]);
    complete(*open[n - 1]);
  }
}

void Runtime::progress() {
  if (Work* const work = random_ready()) run(*work);
}

cudaError_t Runtime::forbid_under_capture(Stream* waited_for, const char* call) {
  if (waited_for == nullptr || waited_for->capture == nullptr) return cudaSuccess;
  waited_for->capture->broken = true;
  report("illegal under capture", call, std::string(call) + " waits for a stream that is being captured");
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t Runtime::forbid_legacy_under_capture(int device, const char* call) {
  for (const auto& other : all_streams_) {
    if (!other->blocking || other->device != device || other->capture == nullptr) continue;
    const bool foreign = other->capture->thread != std::this_thread::get_id();
    other->capture->broken = true;
    report("legacy stream under capture", call,
           std::string(call) + " uses the legacy default stream while " +
               (foreign ? "another thread" : "this thread") + " captures a stream that blocks with it");
    return cudaErrorStreamCaptureImplicit;
  }
  return cudaSuccess;
}

cudaError_t Runtime::forbid_unsafe_under_capture(const char* call) {
  for (const auto& other : all_streams_) {
    if (other->capture == nullptr || other->capture->origin != other.get()) continue;
    const bool mine = other->capture->thread == std::this_thread::get_id();
    const bool forbidden = other->capture->mode == cudaStreamCaptureModeGlobal ||
                           (mine && other->capture->mode == cudaStreamCaptureModeThreadLocal);
    if (!forbidden) continue;
    other->capture->broken = true;
    report("illegal under capture", call, std::string(call) + " is not allowed while this thread captures");
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

void Runtime::load(Module& unit) {
  const FatBinary binary = read_fat_binary(unit.wrapper);
  const ptx::Module source = ptx::parse(binary.ptx);
  std::map<std::string, u64> symbols;
  for (const ptx::Variable& v : source.variables) {  // on the first device: others have none
    if (v.space == ptx::Space::shared) continue;
    Region* const region = memory().allocate(0, v.size);
    if (region == nullptr) stop("no memory for the variable " + v.name);
    region->permanent = true;
    Memory::mark(*region, region->begin, region->size(), written_by_copy);
    std::copy(v.initial.begin(), v.initial.end(), reinterpret_cast<u8*>(region->store));
    symbols[v.name] = region->begin;
  }
  unit.kernels = decode(source, symbols);
  for (auto& [name, kernel] : unit.kernels)
    if (const auto at = binary.registers.find(name); at != binary.registers.end())
      kernel->machine_registers = at->second;
  for (const auto& [name, bytes] : binary.local)
    if (const auto at = unit.kernels.find(name); at != unit.kernels.end()) at->second->machine_local = bytes;
  unit.loaded = true;
}

const Kernel* Runtime::kernel(Function& function) {
  if (function.kernel != nullptr) return function.kernel;
  if (!function.module->loaded) load(*function.module);
  const auto at = function.module->kernels.find(function.name);
  return function.kernel = at == function.module->kernels.end() ? nullptr : at->second.get();
}

void Runtime::finish() {
  const std::lock_guard lock(mutex);
  if (settings().count) {
    for (const auto& [name, pair] : counts) {
      const auto& [launches, c] = pair;
      std::fprintf(stderr, "softgpu: %s: %llu launches, %llu warp instructions", readable(name).c_str(),
                   static_cast<unsigned long long>(launches),
                   static_cast<unsigned long long>(c.all_instructions()));
      for (int k = 0; k < class_count; ++k)
        if (c.instructions[k] != 0)
          std::fprintf(stderr, ", %llu %s", static_cast<unsigned long long>(c.instructions[k]),
                       class_names[k]);
      const auto number = [](u64 n) { return static_cast<unsigned long long>(n); };
      std::fprintf(stderr,
                   ", %llu sectors loaded (%llu distinct), %llu stored (%llu), %llu shared accesses and %llu "
                   "bank conflicts, %llu barriers, %llu bytes in flight a thread at the most\n",
                   number(c.sectors_loaded), number(c.distinct_loaded), number(c.sectors_stored),
                   number(c.distinct_stored), number(c.shared_accesses), number(c.bank_conflicts),
                   number(c.barriers), number(c.most_in_flight));
    }
  }
  if (sticky != cudaSuccess) return;
  for (const auto& [address, region] : memory().regions())
    if (!region.freed && !region.permanent)
      report("never freed", std::to_string(region.number), "the " + region.describe());
  const auto left = [](const char* what, std::size_t count) {
    if (count > 0) report("never destroyed", what, std::to_string(count) + " " + what);
  };
  left("streams", streams.size());
  left("events", events.size());
  left("graphs", graphs.size());
  left("instantiated graphs", execs.size());
}

}  // namespace softgpu
