#pragma once
// The runtime's objects: devices, streams, events, captures and graphs, and the work that waits in streams.
// Law: asynchronous work runs when somebody waits for it, not before, in an order that a seed draws from
// those that the program allows.

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "softgpu/block.hpp"
#include "softgpu/fat_binary.hpp"
#include "softgpu/memory.hpp"
#include "softgpu/order.hpp"
#include "softgpu/settings.hpp"

namespace softgpu {

struct Stream;

// Something to do, with the runtime's lock held. False: it waits for another process, and is called again.
using Task = std::function<bool()>;

// What a stream has to do.
struct Work {
  Task run;
  std::vector<std::shared_ptr<Work>> after;  // in other streams
  Stream* stream = nullptr;
  bool done = false;
  Clock clock;  // what comes before it, and when it is done itself too (order.hpp)
};

struct Node {
  Task run;
  std::vector<Node*> after;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};

struct Capture {
  Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool broken = false;
  std::unique_ptr<Graph> graph;
  std::set<Stream*> streams;
};

struct Stream {
  int device = 0;
  std::size_t number = 0;
  u64 time = 0;          // works that it has done
  Clock clock;           // of the last of them
  bool blocking = true;  // waits for the legacy stream, which waits for it
  bool legacy = false;
  std::deque<std::shared_ptr<Work>> pending;
  std::shared_ptr<Work> last;
  std::vector<std::shared_ptr<Work>> wait_before_next;  // from cudaStreamWaitEvent
  std::shared_ptr<Capture> capture;
  std::vector<Node*> tail;  // what the next captured node comes after
};

struct Event {
  int device = 0;
  bool timing = false;
  std::shared_ptr<Work> mark;
  std::shared_ptr<Capture> capture;  // recorded in one
  std::vector<Node*> captured;
  std::shared_ptr<u64> ticks;  // instructions that the device had run
};

struct GraphExec {
  std::shared_ptr<Graph> graph;
};

// A fat binary that was registered; its PTX is read when a kernel of it is first asked for.
struct Module {
  const void* wrapper = nullptr;
  bool loaded = false;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

// A kernel by the address of its host stub.
struct Function {
  Module* module = nullptr;
  std::string name;
  const Kernel* kernel = nullptr;
  u64 max_dynamic_shared = 0;  // what was opted in to
};

class Runtime {
 public:
  Runtime();
  std::recursive_mutex mutex;
  Random random{settings().seed};

  // What a program's handle means; null, and a report, for one that was destroyed or never made.
  Stream* stream(cudaStream_t handle, const char* call);
  Event* event(cudaEvent_t handle, const char* call);

  // Puts work into a stream, or a node into the graph that it captures.
  cudaError_t enqueue(Stream& stream, std::function<void()> run, const char* call);
  // `work` comes after `before`, done or not.
  static void put_behind(Work& work, const std::shared_ptr<Work>& before) {
    if (before == nullptr) return;
    if (before->done)
      work.clock.join(before->clock);
    else
      work.after.push_back(before);
  }
  // The host has seen that it is done.
  void seen_done(const Work& work) { host_.join(work.clock); }
  cudaError_t enqueue_task(Stream& stream, Task run, const char* call);
  // Until all that the stream, the device has to do is done.
  void complete(Work& work);
  void complete(Stream& stream);
  void complete_device(int device);
  // A little of what is pending, as a device would do while the host asks.
  void progress();

  // What a call that waits, frees or uses the legacy stream may not do under a capture; breaks the capture.
  cudaError_t forbid_under_capture(Stream* waited_for, const char* call);
  cudaError_t forbid_legacy_under_capture(int device, const char* call);
  cudaError_t forbid_unsafe_under_capture(const char* call);

  const Kernel* kernel(Function& function);
  void finish();  // at the end of the process

  cudaError_t sticky = cudaSuccess;
  u64 ticks = 0;
  Tag next_tag = first_block_tag;
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::set<Graph*> graphs;
  std::set<GraphExec*> execs;
  std::map<const void*, std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<std::string, std::pair<u64, Counts>> counts;  // launches and what they did, by kernel
  Stream legacy[Memory::devices];

 private:
  void load(Module& unit);
  bool run(Work& work);
  bool is_head(const Work& work) const { return work.stream->pending.front().get() == &work; }
  Work* random_ready();
  bool nothing_pending() const;
  Clock host_;  // what the host has waited for
  std::map<std::pair<std::thread::id, int>, Stream*> per_thread_;
  std::vector<std::unique_ptr<Stream>> all_streams_;  // never freed: pending work outlives a handle

 public:
  Stream* make_stream(int device, bool blocking);
};

Runtime& runtime();

// The calling thread's device and last error.
int& current_device();
cudaError_t& last_error();

// A body of an entry point: under the lock, refused once the device is lost, its error remembered.
template <class F>
cudaError_t api(F body) {
  const std::lock_guard lock(runtime().mutex);
  const cudaError_t before = runtime().sticky;
  cudaError_t status = before != cudaSuccess ? before : body();
  if (status == cudaSuccess) status = runtime().sticky;
  if (status != cudaSuccess) last_error() = status;  // cudaErrorNotReady too: the manual excepts none
  return status;
}

}  // namespace softgpu
