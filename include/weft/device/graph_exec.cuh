#pragma once
// A captured sequence of launches, replayed as one. Law: replaying does what the captured calls would have
// done; a capture that fails leaves the stream usable and nothing behind.

#include <cstddef>
#include <utility>

#include "weft/device/cuda.cuh"

namespace WEFT_NAMESPACE {

class GraphExec {
 public:
  GraphExec() = default;

  // Calls f(stream) while `stream` records instead of running, then instantiates what was recorded. Capture
  // is thread-local, so other threads may use CUDA meanwhile. The legacy default stream cannot be captured.
  // What f throws passes through; f must not wait for the stream. A stream that does not block with the
  // legacy default stream leaves that one to other threads meanwhile.
  template <class F>
  static GraphExec capture(cudaStream_t stream, F&& f) {
    const std::lock_guard lock(capture_mutex());
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    Graph graph;
    try {
      std::forward<F>(f)(stream);
    } catch (...) {
      // The capture is abandoned; the status repeats what f has reported.
      static_cast<void>(cudaStreamEndCapture(stream, &graph.handle));
      static_cast<void>(cudaGetLastError());
      throw;
    }
    cuda_check(cudaStreamEndCapture(stream, &graph.handle), "cudaStreamEndCapture");
    GraphExec exec;
    cuda_check(cudaGraphGetNodes(graph.handle, nullptr, &exec.nodes_), "cudaGraphGetNodes");
    cuda_check(cudaGraphInstantiateWithFlags(&exec.exec_, graph.handle, 0), "cudaGraphInstantiateWithFlags");
    return exec;
  }

  GraphExec(GraphExec&& other) noexcept
      : exec_(std::exchange(other.exec_, nullptr)), nodes_(std::exchange(other.nodes_, 0)) {}
  GraphExec& operator=(GraphExec&& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(nodes_, other.nodes_);
    return *this;
  }
  ~GraphExec() {
    if (exec_ != nullptr) cuda_report(cudaGraphExecDestroy(exec_), "cudaGraphExecDestroy");
  }

  explicit operator bool() const { return exec_ != nullptr; }
  // Kernels, copies and whatever else was recorded.
  std::size_t node_count() const { return nodes_; }
  // Enqueues a replay on any stream of the same device.
  void launch(cudaStream_t stream) const { cuda_check(cudaGraphLaunch(exec_, stream), "cudaGraphLaunch"); }

 private:
  struct Graph {
    cudaGraph_t handle = nullptr;
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() {
      if (handle != nullptr) cuda_report(cudaGraphDestroy(handle), "cudaGraphDestroy");
    }
  };

  cudaGraphExec_t exec_ = nullptr;
  std::size_t nodes_ = 0;
};

}  // namespace WEFT_NAMESPACE
