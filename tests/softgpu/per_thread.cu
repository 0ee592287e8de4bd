// A program whose default stream is the calling thread's (--default-stream=per-thread), and launches with
// attributes.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace {

__global__ void add(int* p, int by) { p[blockIdx.x * blockDim.x + threadIdx.x] += by; }

}  // namespace

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "this file tests a default stream a thread"
#endif

TEST_CASE("per thread: copies, fills, launches and captures go to the thread's own stream") {
  const auto work = [](int by) {
    int* p = nullptr;
    REQUIRE(cudaMalloc(&p, 256) == cudaSuccess);
    CHECK(cudaMemset(p, 0, 256) == cudaSuccess);
    add<<<2, 32>>>(p, by);
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    add<<<2, 32>>>(p, by);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CHECK(cudaStreamEndCapture(0, &graph) == cudaSuccess);
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess);
    CHECK(cudaGraphLaunch(exec, 0) == cudaSuccess);
    int host[64]{};
    CHECK(cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(host[63] == 2 * by);
    CHECK(cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, 0) == cudaSuccess);
    CHECK(cudaStreamSynchronize(0) == cudaSuccess);
    CHECK(cudaStreamQuery(0) == cudaSuccess);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaFree(p);
  };
  std::thread other(work, 5);
  other.join();
  work(3);
}

TEST_CASE("per thread: a launch with attributes") {
  int* p = nullptr;
  REQUIRE(cudaMalloc(&p, 256) == cudaSuccess);
  CHECK(cudaMemset(p, 0, 256) == cudaSuccess);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, add, p, 4) == cudaSuccess);
  CHECK(cudaLaunchKernelEx(&config, add, p, 4) == cudaSuccess);
  config.blockDim = dim3(2000);
  CHECK(cudaLaunchKernelEx(&config, add, p, 4) == cudaErrorInvalidConfiguration);
  int host[64]{};
  CHECK(cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host[0] == 8);
  cudaFree(p);
}
