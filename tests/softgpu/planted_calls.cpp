// Faults of calls, one by one: memory, copies, handles, captures, and the operands of products.
#include <cublasLt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "softgpu/planted.hpp"

namespace planted {

namespace {

// An address at which no handle is.
template <class Handle>
Handle never_made() {
  static int nothing[64];
  return reinterpret_cast<Handle>(nothing);
}

cudaStream_t capturing(cudaStream_t stream) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  return stream;
}
// A graph of one fill.
cudaGraph_t new_graph() {
  int* const p = device_memory(8);
  finish();
  cudaStream_t const stream = capturing(new_stream());
  cudaMemsetAsync(p, 0, 32, stream);
  cudaGraph_t made = nullptr;
  cudaStreamEndCapture(stream, &made);
  return made;
}
cudaGraphExec_t new_exec() {
  cudaGraphExec_t made = nullptr;
  cudaGraphInstantiateWithFlags(&made, new_graph(), 0);
  return made;
}
cudaEvent_t new_event() {
  cudaEvent_t made = nullptr;
  cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
  return made;
}

// D = A B of 8 x 8 numbers; the library is told the alignment of every operand, and given 4 KiB of scratch.
struct Operands {
  const float *a = nullptr, *b = nullptr;
  float* d = nullptr;
  void* workspace = nullptr;
  unsigned alignment = 4;
  cudaStream_t stream = nullptr;
  static constexpr std::size_t scratch = 4096;
};
Operands good_operands() {
  return {device_memory<float>(64), device_memory<float>(64), device_memory<float>(64),
          device_memory<char>(Operands::scratch)};
}
void multiply(cublasLtHandle_t handle, const Operands& o) {
  cublasLtMatmulDescOpaque_t what;
  cublasLtMatrixLayoutOpaque_t matrix;
  cublasLtMatmulPreferenceOpaque_t preference;
  cublasLtMatmulDescInit(&what, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutInit(&matrix, CUDA_R_32F, 8, 8, 8);
  cublasLtMatmulPreferenceInit(&preference);
  const std::uint64_t scratch = Operands::scratch;
  cublasLtMatmulPreferenceSetAttribute(&preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &scratch,
                                       sizeof scratch);
  for (const auto which :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    cublasLtMatmulPreferenceSetAttribute(&preference, which, &o.alignment, sizeof o.alignment);
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  cublasLtMatmulAlgoGetHeuristic(handle, &what, &matrix, &matrix, &matrix, &matrix, &preference, 1, &found,
                                 &count);
  const float one = 1, zero = 0;
  cublasLtMatmul(handle, &what, &one, o.a, &matrix, o.b, &matrix, &zero, o.d, &matrix, o.d, &matrix,
                 count == 1 ? &found.algo : nullptr, o.workspace, Operands::scratch, o.stream);
}
cublasLtHandle_t new_library() {
  cublasLtHandle_t made = nullptr;
  cublasLtCreate(&made);
  return made;
}
void multiply(const Operands& o) {
  cublasLtHandle_t const handle = new_library();
  multiply(handle, o);
  finish();
  cublasLtDestroy(handle);
}

const Case memory[] = {
    {"the host reads device memory", [] { std::printf("%d\n", *device_memory(1)); },
     "host access: the host read or wrote device memory at 0x[0-9a-f]+, byte 0 of the device 0's allocation"},
    {"the host writes pinned memory that was freed",
     [] {
       int* p = nullptr;
       cudaMallocHost(&p, 64);
       cudaFreeHost(p);
       *p = 1;
     },
     "freed memory: the host read or wrote"},
    {"freed twice",
     [] {
       int* p = device_memory(8);
       cudaFree(p);
       cudaFree(p);
     },
     "freed memory: cudaFree of 0x"},
    {"a part is freed", [] { cudaFree(device_memory(8) + 1); },
     "invalid handle: cudaFree of 0x[0-9a-f]+, byte 4 of the device 0's allocation"},
    {"memory of the host is freed",
     [] {
       int own[8];
       cudaFreeHost(own);
     },
     "invalid handle: cudaFreeHost of 0x"},
    {"never freed", [] { static_cast<void>(device_memory(1000)); },
     "never freed: the device 0's allocation 1 of 4000 bytes"},
    {"pinned memory that is never freed",
     [] {
       int* p = nullptr;
       cudaMallocHost(&p, 64);
     },
     "never freed: the pinned allocation 1 of 64 bytes"},
    {"a question about freed memory",
     [] {
       int* p = device_memory(8);
       cudaFree(p);
       cudaPointerAttributes attributes;
       cudaPointerGetAttributes(&attributes, p);
     },
     "out of bounds: cudaPointerGetAttributes of 0x[0-9a-f]+, byte 0 of the freed device 0's allocation"},
    {"a copy to the host of what nobody wrote",
     [] {
       int *p = device_memory(32, false), host[32];
       cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
     },
     "uninitialised read: cudaMemcpy to the host of 128 bytes"},
    {"a copy to the null pointer",
     [] { cudaMemcpy(nullptr, device_memory(32), 128, cudaMemcpyDeviceToDevice); },
     "null pointer: cudaMemcpy of 128 bytes at 0x0"},
    {"a copy of more than there is",
     [] {
       int host[33];
       cudaMemcpyAsync(host, device_memory(32), sizeof host, cudaMemcpyDeviceToHost, new_stream());
     },
     "out of bounds: cudaMemcpyAsync of 132 bytes at 0x[0-9a-f]+, byte 0 of the device 0's allocation"},
    {"a copy from where no memory is",
     [] {
       int host[1];
       cudaMemcpy(host, device_memory(32) - 1, sizeof host, cudaMemcpyDeviceToHost);
     },
     "out of bounds: cudaMemcpy of 4 bytes at 0x[0-9a-f]+, which belongs to no allocation"},
    {"a fill of freed memory",
     [] {
       int* p = device_memory(8);
       cudaFree(p);
       cudaMemset(p, 0, 32);
     },
     "freed memory: cudaMemset of 32 bytes at 0x[0-9a-f]+, byte 0 of the freed device 0's allocation"},
    {"a copy from where another stream fills",
     [] {
       in_two_streams(
           [](int* p, cudaStream_t s) { cudaMemsetAsync(p, 1, 128, s); },
           [](int* p, cudaStream_t s) { cudaMemcpyAsync(p + 32, p, 128, cudaMemcpyDeviceToDevice, s); });
     },
     "unordered streams: a copy reads at 0x[0-9a-f]+, byte 0 of [^\n]*, where other work wrote"},
    {"a copy to where another stream fills",
     [] {
       in_two_streams(
           [](int* p, cudaStream_t s) { cudaMemsetAsync(p + 32, 1, 128, s); },
           [](int* p, cudaStream_t s) { cudaMemcpyAsync(p + 32, p, 128, cudaMemcpyDeviceToDevice, s); });
     },
     "unordered streams: a copy writes at 0x[0-9a-f]+, byte 128 of [^\n]*, where other work wrote"},
    {"a fill of what another stream has copied",
     [] {
       in_two_streams(
           [](int* p, cudaStream_t s) { cudaMemcpyAsync(p + 32, p, 128, cudaMemcpyDeviceToDevice, s); },
           [](int* p, cudaStream_t s) { cudaMemsetAsync(p, 1, 128, s); });
     },
     "unordered streams: a fill writes at 0x[0-9a-f]+, byte 0 of [^\n]*, where other work read"},
};

const Case handles[] = {
    {"a stream that was never made",
     [] { cudaMemsetAsync(device_memory(1), 0, 4, never_made<cudaStream_t>()); },
     "invalid handle: cudaMemsetAsync: a stream that was destroyed or never made"},
    {"a stream that is destroyed twice",
     [] {
       cudaStream_t const s = new_stream();
       cudaStreamDestroy(s);
       cudaStreamDestroy(s);
     },
     "invalid handle: cudaStreamDestroy: a stream that was destroyed or never made"},
    {"an event that was never made", [] { cudaEventRecord(never_made<cudaEvent_t>(), nullptr); },
     "invalid handle: cudaEventRecord: an event that was destroyed or never made"},
    {"a null event", [] { cudaEventSynchronize(nullptr); },
     "invalid handle: cudaEventSynchronize: an event that was destroyed or never made"},
    {"an event that was destroyed",
     [] {
       cudaEvent_t const e = new_event();
       cudaEventDestroy(e);
       cudaStreamWaitEvent(new_stream(), e, 0);
     },
     "invalid handle: cudaStreamWaitEvent: an event that was destroyed or never made"},
    {"a graph that was never made", [] { cudaGraphDestroy(never_made<cudaGraph_t>()); },
     "invalid handle: cudaGraphDestroy of a graph that was destroyed or never made"},
    {"an instantiated graph that was never made",
     [] { cudaGraphLaunch(never_made<cudaGraphExec_t>(), new_stream()); },
     "invalid handle: cudaGraphLaunch of a graph that was destroyed or never made"},
    {"a graph that is destroyed twice",
     [] {
       cudaGraph_t const g = new_graph();
       cudaGraphDestroy(g);
       cudaGraphDestroy(g);
     },
     "invalid handle: cudaGraphDestroy of a graph that was destroyed or never made"},
    {"an instantiated graph that was destroyed",
     [] {
       cudaGraphExec_t const g = new_exec();
       cudaGraphExecDestroy(g);
       cudaGraphLaunch(g, new_stream());
     },
     "invalid handle: cudaGraphLaunch of a graph that was destroyed or never made"},
    {"an instantiated graph that is destroyed twice",
     [] {
       cudaGraphExec_t const g = new_exec();
       cudaGraphExecDestroy(g);
       cudaGraphExecDestroy(g);
     },
     "invalid handle: cudaGraphExecDestroy of a graph that was destroyed or never made"},
    {"a stream that is never destroyed", [] { static_cast<void>(new_stream()); },
     "never destroyed: 1 streams"},
    {"an event that is never destroyed", [] { static_cast<void>(new_event()); }, "never destroyed: 1 events"},
    {"a graph that is never destroyed", [] { static_cast<void>(new_graph()); }, "never destroyed: 1 graphs"},
    {"an instantiated graph that is never destroyed", [] { static_cast<void>(new_exec()); },
     "never destroyed: 1 instantiated graphs"},
    {"a handle of the library that is never destroyed", [] { static_cast<void>(new_library()); },
     "never destroyed: 1 cuBLASLt handles"},
    {"a handle of the library that is destroyed twice",
     [] {
       cublasLtHandle_t const h = new_library();
       cublasLtDestroy(h);
       cublasLtDestroy(h);
     },
     "invalid handle: cublasLtDestroy: a cuBLASLt handle that was destroyed or never made"},
    {"a product of a handle that was never made",
     [] { multiply(never_made<cublasLtHandle_t>(), good_operands()); },
     "invalid handle: cublasLtMatmulAlgoGetHeuristic: a cuBLASLt handle that was destroyed or never made\n"
     "softgpu: invalid handle: cublasLtMatmul: a cuBLASLt handle that was destroyed or never made"},
    {"a product in a stream that was destroyed",
     [] {
       Operands o = good_operands();
       o.stream = new_stream();
       cudaStreamDestroy(o.stream);
       multiply(o);
     },
     "invalid handle: cublasLtMatmul: a stream that was destroyed or never made"},
};

const Case captures[] = {
    {"a wait under capture",
     [] {
       cudaStream_t const s = capturing(new_stream());
       if (cudaStreamSynchronize(s) != cudaErrorStreamCaptureUnsupported) std::exit(went_on);
       cudaGraph_t graph = nullptr;
       if (cudaStreamEndCapture(s, &graph) != cudaErrorStreamCaptureInvalidated) std::exit(went_on);
     },
     "illegal under capture: cudaStreamSynchronize waits"},
    {"a wait for a captured event",
     [] {
       cudaStream_t const s = capturing(new_stream());
       cudaEvent_t const e = new_event();
       cudaEventRecord(e, s);
       if (cudaEventSynchronize(e) != cudaErrorCapturedEvent) std::exit(went_on);
     },
     "illegal under capture: cudaEventSynchronize of an event that was recorded in a captured stream"},
    {"a captured stream is destroyed", [] { cudaStreamDestroy(capturing(new_stream())); },
     "illegal under capture: cudaStreamDestroy of a stream that is being captured"},
    {"an allocation under capture",
     [] {
       capturing(new_stream());
       void* p = nullptr;
       if (cudaMalloc(&p, 8) != cudaErrorStreamCaptureUnsupported) std::exit(went_on);
     },
     "illegal under capture: cudaMalloc is not allowed"},
    {"the legacy stream under capture",
     [] {
       cudaStream_t s = nullptr;
       cudaStreamCreate(&s);
       int* p = device_memory(8);
       finish();
       capturing(s);
       if (cudaMemsetAsync(p, 0, 8, nullptr) != cudaErrorStreamCaptureImplicit) std::exit(went_on);
     },
     "legacy stream under capture: cudaMemsetAsync uses the legacy default stream while this thread "
     "captures"},
    {"the legacy stream where it is not wanted",
     [] {
       setenv("WEFT_SOFTGPU_LEGACY", "0", 1);
       int* const p = device_memory(8, false);
       cudaMemsetAsync(p, 0, 8, cudaStreamPerThread);
       finish();
       cudaMemset(p, 0, 8);
     },
     "legacy stream: cudaMemset works in the legacy default stream"},
    {"the legacy stream while another thread captures",
     [] {
       cudaStream_t s = nullptr;
       cudaStreamCreate(&s);
       int* p = device_memory(8);
       finish();
       capturing(s);
       std::thread([&] {
         if (cudaMemset(p, 0, 8) != cudaErrorStreamCaptureImplicit) std::exit(went_on);
       }).join();
     },
     "legacy stream under capture: cudaMemset uses the legacy default stream while another thread captures"},
};

const Case products[] = {
    {"a factor that is less aligned than the library was told",
     [] {
       Operands o = good_operands();
       o.a = device_memory<float>(65) + 1;
       o.alignment = 16;
       multiply(o);
     },
     "misaligned: cublasLtMatmul: A at 0x[0-9a-f]+4 is less aligned than the heuristic was told"},
    {"a factor between two numbers",
     [] {
       Operands o = good_operands();
       o.b = reinterpret_cast<const float*>(device_memory<char>(258) + 2);
       o.alignment = 1;
       multiply(o);
     },
     "misaligned: cublasLtMatmul: B, 256 bytes at 0x[0-9a-f]+2, byte 2 of the device 0's allocation"},
    {"a factor that was freed",
     [] {
       Operands o = good_operands();
       auto* const a = device_memory<float>(64);
       cudaFree(a);
       o.a = a;
       multiply(o);
     },
     "freed memory: cublasLtMatmul: A, 256 bytes at 0x[0-9a-f]+, byte 0 of the freed device 0's allocation"},
    {"a factor of the host",
     [] {
       Operands o = good_operands();
       static const float own[64]{};
       o.b = own;
       multiply(o);
     },
     "out of bounds: cublasLtMatmul: B, 256 bytes at 0x"},
    {"a product beyond its memory",
     [] {
       Operands o = good_operands();
       o.d = device_memory<float>(63);
       multiply(o);
     },
     "out of bounds: cublasLtMatmul: D, 256 bytes at 0x[0-9a-f]+, byte 0 of the device 0's allocation [0-9]+ "
     "of 252 bytes"},
    {"a factor that nobody wrote",
     [] {
       Operands o = good_operands();
       o.a = device_memory<float>(64, false);
       multiply(o);
     },
     "uninitialised read: cublasLtMatmul reads A where nobody has written: 0x[0-9a-f]+, byte 0 of the device "
     "0's allocation"},
    {"a scratch that is too small",
     [] {
       Operands o = good_operands();
       o.workspace = device_memory<char>(Operands::scratch - 1);
       multiply(o);
     },
     "out of bounds: cublasLtMatmul: the workspace, 4096 bytes at 0x[0-9a-f]+, byte 0 of the device 0's "
     "allocation [0-9]+ of 4095 bytes"},
    {"a product of what another stream fills",
     [] {
       in_two_streams([](int* p, cudaStream_t s) { cudaMemsetAsync(p, 1, 256, s); },
                      [](int* p, cudaStream_t s) {
                        Operands o = good_operands();
                        finish();
                        o.a = reinterpret_cast<const float*>(p);
                        o.stream = s;
                        multiply(new_library(), o);
                      });
     },
     "unordered streams: a product reads at 0x[0-9a-f]+, byte 0 of [^\n]*, where other work wrote"},
    {"a product onto what another stream reads",
     [] {
       in_two_streams(
           [](int* p, cudaStream_t s) { cudaMemcpyAsync(p + 64, p, 256, cudaMemcpyDeviceToDevice, s); },
           [](int* p, cudaStream_t s) {
             Operands o = good_operands();
             finish();
             o.d = reinterpret_cast<float*>(p);
             o.stream = s;
             multiply(new_library(), o);
           });
     },
     "unordered streams: a product writes at 0x[0-9a-f]+, byte 0 of [^\n]*, where other work read"},
};

}  // namespace

std::vector<Case> cases_of_calls() {
  std::vector<Case> all;
  const auto add = [&](const auto& cases) {
    for (Case c : cases) {
      c.in_kernel = false;
      all.push_back(c);
    }
  };
  add(memory);
  add(handles);
  add(captures);
  add(products);
  return all;
}

}  // namespace planted
