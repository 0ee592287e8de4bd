// Capture and graphs.
#include <algorithm>
#include <utility>

#include "softgpu/report.hpp"
#include "softgpu/runtime/runtime.hpp"

using namespace softgpu;

namespace {

// One launch of a graph: every node once, behind those that it comes after, in an order that is drawn.
class GraphRun {
 public:
  explicit GraphRun(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {
    for (const auto& n : graph_->nodes) waiting_.push_back(n.get());
  }
  // As far as it goes; false where all that could run waits for another process.
  bool operator()() {
    std::set<const Node*> blocked;
    while (!waiting_.empty()) {
      std::vector<std::size_t> ready;
      for (std::size_t k = 0; k < waiting_.size(); ++k) {
        if (blocked.count(waiting_[k]) != 0) continue;
        const auto& after = waiting_[k]->after;
        if (std::all_of(after.begin(), after.end(), [&](const Node* n) { return done_.count(n) != 0; }))
          ready.push_back(k);
        if (ready.size() == 1 && graph_->nodes.size() > 64) break;  // long chains are in order anyway
      }
      if (ready.empty()) return false;
      const std::size_t k = ready[runtime().random.below(static_cast<u32>(ready.size()))];
      Node* const node = waiting_[k];
      if (!node->run()) {
        blocked.insert(node);
        continue;
      }
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(k));
      done_.insert(node);
    }
    return true;
  }

 private:
  std::shared_ptr<Graph> graph_;
  std::vector<Node*> waiting_;
  std::set<const Node*> done_;
};

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const stream = r.stream(handle, "cudaStreamBeginCapture");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture != nullptr) return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->origin = stream;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->graph = std::make_unique<Graph>();
    capture->streams.insert(stream);
    stream->capture = std::move(capture);
    stream->tail.clear();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api([&] {
    Runtime& r = runtime();
    *graph = nullptr;
    Stream* const stream = r.stream(handle, "cudaStreamEndCapture");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture == nullptr) return cudaErrorIllegalState;
    const std::shared_ptr<Capture> capture = stream->capture;
    if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
      return cudaErrorStreamCaptureWrongThread;
    // What other streams have added must come before something of the origin.
    std::set<const Node*> joined(stream->tail.begin(), stream->tail.end());
    for (std::size_t k = capture->graph->nodes.size(); k-- > 0;) {
      const Node* const node = capture->graph->nodes[k].get();
      if (joined.count(node) != 0) joined.insert(node->after.begin(), node->after.end());
    }
    const bool complete = joined.size() == capture->graph->nodes.size();
    for (Stream* s : capture->streams) {
      s->capture = nullptr;
      s->tail.clear();
    }
    if (capture->broken) return cudaErrorStreamCaptureInvalidated;
    if (!complete) return cudaErrorStreamCaptureUnjoined;
    Graph* const made = capture->graph.release();
    r.graphs.insert(made);
    *graph = reinterpret_cast<cudaGraph_t>(made);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const stream = r.stream(handle, "cudaStreamIsCapturing");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->legacy)
      if (const cudaError_t e = r.forbid_legacy_under_capture(stream->device, "cudaStreamIsCapturing");
          e != cudaSuccess)
        return e;
    *status = stream->capture == nullptr ? cudaStreamCaptureStatusNone
              : stream->capture->broken  ? cudaStreamCaptureStatusInvalidated
                                         : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaErrorNotSupported; }

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return api([&] {
    auto* const graph = reinterpret_cast<Graph*>(handle);
    if (runtime().graphs.count(graph) == 0 || nodes != nullptr) return cudaErrorInvalidValue;
    *count = graph->nodes.size();
    return cudaSuccess;
  });
}

// The executable graph takes its own nodes: the graph may be destroyed.
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t handle, unsigned long long) {
  return api([&] {
    auto* const graph = reinterpret_cast<Graph*>(handle);
    if (runtime().graphs.count(graph) == 0) return cudaErrorInvalidValue;
    auto copy = std::make_shared<Graph>();
    std::map<const Node*, Node*> of;
    for (const auto& n : graph->nodes) {
      copy->nodes.push_back(std::make_unique<Node>(*n));
      of[n.get()] = copy->nodes.back().get();
    }
    for (const auto& n : copy->nodes)
      for (Node*& before : n->after) before = of.at(before);
    auto* const made = new GraphExec{std::move(copy)};
    runtime().execs.insert(made);
    *exec = reinterpret_cast<cudaGraphExec_t>(made);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t handle, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, handle, flags);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return api([&] {
    Runtime& r = runtime();
    auto* const exec = reinterpret_cast<GraphExec*>(handle);
    if (r.execs.count(exec) == 0) {
      report("invalid handle", "cudaGraphLaunch",
             "cudaGraphLaunch of a graph that was destroyed or never made");
      return cudaErrorInvalidValue;
    }
    Stream* const stream = r.stream(stream_handle, "cudaGraphLaunch");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return r.enqueue_task(*stream, GraphRun(exec->graph), "cudaGraphLaunch");
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return api([&] {
    auto* const graph = reinterpret_cast<Graph*>(handle);
    if (runtime().graphs.erase(graph) == 0) {
      report("invalid handle", "cudaGraphDestroy",
             "cudaGraphDestroy of a graph that was destroyed or never made");
      return cudaErrorInvalidValue;
    }
    for (const auto& n : graph->nodes) n->run = nullptr;  // what it holds is held no longer
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return api([&] {
    auto* const exec = reinterpret_cast<GraphExec*>(handle);
    if (runtime().execs.erase(exec) == 0) {
      report("invalid handle", "cudaGraphExecDestroy",
             "cudaGraphExecDestroy of a graph that was destroyed or never made");
      return cudaErrorInvalidValue;
    }
    exec->graph = nullptr;
    return cudaSuccess;
  });
}

}  // extern "C"
