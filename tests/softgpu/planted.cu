// Faults planted one by one, each in a process of its own, and what the device must say of it: those of
// kernels, and planted_calls.cpp's.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "softgpu/planted.hpp"
#include "softgpu/planted_kernels.cuh"

using namespace planted;

namespace {

std::string program;
const std::string newest = "WEFT_SOFTGPU_NEWEST=1";

// A product of what was stored or copied, as product_of_what_was_written has it.
void product_of(bool copies, int fence) {
  auto* const out = device_memory<float>(128);
  int* const in = device_memory(64);
  product_of_what_was_written<<<1, 128>>>(out, in, copies, fence);
  finish();
  cudaFree(out);
  cudaFree(in);
}
void overwrite_a(bool block_meets) {
  store_before_the_wait<<<1, 128>>>(device_memory<float>(128), block_meets);
  finish();
}
constexpr const char* overwritten =
    "race in shared memory: load of 16 bytes at 0x[0-9a-f]+ of shared memory, which thread [0-9]+ has "
    "written since the product began";
constexpr const char* no_fence =
    "proxy fence: a product reads 16 bytes at 0x[0-9a-f]+ of shared memory, which thread [0-9]+ has written";

const Case cases_of_kernels[] = {
    {"store behind the end",
     [] {
       int* p = device_memory(100);
       store<<<1, 32>>>(p, 70);
       finish();
     },
     "out of bounds: store of 4 bytes at 0x[0-9a-f]+, 0 bytes behind the end of the device 0's allocation"},
    {"load before the beginning",
     [] {
       int *p = device_memory(32), *out = device_memory(32);
       load<<<1, 1>>>(p, out, -1);
       finish();
     },
     "out of bounds: load of 4 bytes"},
    {"memory of the host",
     [] {
       static int own[32]{};
       load<<<1, 1>>>(own, device_memory(32), 0);
       finish();
     },
     "out of bounds: load of 4 bytes at 0x[0-9a-f]+, (which belongs to no allocation|[0-9]{7,} bytes "
     "behind)"},
    {"atomic operation behind the end",
     [] {
       add_to<<<1, 1>>>(device_memory(32) + 32);
       finish();
     },
     "out of bounds: atomic of 4 bytes at 0x[0-9a-f]+, 0 bytes behind the end of the device 0's allocation"},
    {"atomic operation on what nobody wrote",
     [] {
       add_to<<<1, 1>>>(device_memory(32, false));
       finish();
     },
     "uninitialised read: load at 0x[0-9a-f]+, byte 0 of the device 0's allocation"},
    {"beyond the parameters",
     [] {
       parameter_at<<<1, 1>>>({{1, 2, 3, 4}}, device_memory(1), 400);
       finish();
     },
     "out of bounds: parameters, byte 1600"},
    {"a kernel that stops itself",
     [] {
       trap<<<1, 1>>>();
       finish();
     },
     "trap: the kernel stopped itself"},
    {"null pointer",
     [] {
       store<<<1, 1>>>(nullptr, 0);
       finish();
     },
     "null pointer: store of 4 bytes at 0x0"},
    {"read of what another stream writes",
     [] {
       int *p = device_memory(32), *out = device_memory(32);
       finish();
       cudaStream_t a = nullptr, b = nullptr;
       cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
       cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
       fill<<<1, 32, 0, a>>>(p, 1);
       load<<<1, 32, 0, b>>>(p, out, 0);
       finish();
     },
     "unordered streams: (load|store) at 0x[0-9a-f]+, byte [0-9]+ of the device 0's allocation"},
    {"store to where another stream reads",
     [] {
       in_two_streams([](int* p, cudaStream_t s) { load<<<1, 32, 0, s>>>(p, p + 64, 0); },
                      [](int* p, cudaStream_t s) { fill<<<1, 32, 0, s>>>(p, 1); });
     },
     "unordered streams: store at 0x[0-9a-f]+, byte 0 of [^\n]*, by thread [^\n]*: other work read there",
     false},
    {"atomic operation where another stream writes",
     [] {
       in_two_streams([](int* p, cudaStream_t s) { add_to<<<1, 1, 0, s>>>(p); },
                      [](int* p, cudaStream_t s) { fill<<<1, 32, 0, s>>>(p, 1); });
     },
     "unordered streams: atomic at 0x[0-9a-f]+, byte 0 of [^\n]*, by thread [^\n]*: other work wrote "
     "there",
     false},
    {"store to where another stream writes",
     [] {
       in_two_streams([](int* p, cudaStream_t s) { store<<<1, 32, 0, s>>>(p, 0); },
                      [](int* p, cudaStream_t s) { fill<<<1, 32, 0, s>>>(p, 1); });
     },
     "unordered streams: store at 0x[0-9a-f]+, byte 0 of [^\n]*, by thread [^\n]*: other work wrote there",
     false},
    {"copy of what another stream writes, behind an event that was recorded too early",
     [] {
       int *p = device_memory(32), *out = device_memory(32);
       finish();
       cudaStream_t a = nullptr, b = nullptr;
       cudaEvent_t event = nullptr;
       cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
       cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
       cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
       cudaEventRecord(event, a);
       fill<<<1, 32, 0, a>>>(p, 1);
       cudaStreamWaitEvent(b, event, 0);
       cudaMemcpyAsync(out, p, 128, cudaMemcpyDeviceToDevice, b);
       cudaStreamSynchronize(b);
       finish();
     },
     "unordered streams: ", false},
    {"local memory that the thread has not written",
     [] {
       int* out = device_memory(64);
       local_never_written<<<1, 64>>>(out, 5);
       finish();
     },
     "uninitialised read: load of 4 bytes at 0x[0-9a-f]+ of [0-9]+ bytes of local memory"},
    {"store behind the end of local memory",
     [] {
       int* out = device_memory(64);
       local_never_written<<<1, 64>>>(out, 1 << 20);
       finish();
     },
     "out of bounds: (load|store) of 4 bytes at 0x[0-9a-f]+ of [0-9]+ bytes of local memory"},
    {"freed memory",
     [] {
       int *p = device_memory(32), *out = device_memory(32);
       finish();
       cudaFree(p);
       load<<<1, 32>>>(p, out, 0);
       finish();
     },
     "freed memory: load of 4 bytes at 0x[0-9a-f]+, byte 0 of the freed device 0's allocation"},
    {"misaligned",
     [] {
       int *p = device_memory(32), *out = device_memory(1);
       load_bytes<<<1, 1>>>(reinterpret_cast<char*>(p) + 2, out);
       finish();
     },
     "misaligned: load of 4 bytes"},
    {"misaligned local memory",
     [] {
       between_numbers<<<1, 1>>>(device_memory(32), 2, false);
       finish();
     },
     "misaligned: load of 4 bytes at 0x[0-9a-f]+ of [0-9]+ bytes of local memory"},
    {"misaligned shared memory",
     [] {
       between_numbers<<<1, 1>>>(device_memory(32), 2, true);
       finish();
     },
     "misaligned: load of 4 bytes at 0x2 of shared memory"},
    {"memory of another device",
     [] {
       cudaSetDevice(1);
       int* p = device_memory(32);
       finish();
       cudaSetDevice(0);
       store<<<1, 1>>>(p, 0);
       finish();
     },
     "another device's memory: store of 4 bytes"},
    {"read of what nobody wrote",
     [] {
       int *p = device_memory(32, false), *out = device_memory(32);
       load<<<1, 32>>>(p, out, 0);
       finish();
     },
     "uninitialised read: load at 0x[0-9a-f]+"},
    {"shared memory that nobody wrote",
     [] {
       shared_never_written<<<1, 64>>>(device_memory(64));
       finish();
     },
     "uninitialised read: load of 4 bytes at 0x0 of shared memory"},
    {"race, read after write",
     [] {
       no_barrier<<<1, 64>>>(device_memory(64));
       finish();
     },
     "race in shared memory: load of 4 bytes at 0x[0-9a-f]+ of shared memory, which thread [0-9]+ has "
     "written"},
    {"a load of what others add to",
     [] {
       no_barrier_behind_atomics<<<1, 64>>>(device_memory(64), false);
       finish();
     },
     "race in shared memory: load of 4 bytes at 0x[0-9a-f]+ of shared memory, which atomic operations of "
     "(several warps|warp [01]) have written"},
    {"a load of what the own warp adds to",
     [] {
       no_barrier_behind_atomics<<<1, 32>>>(device_memory(64), true);
       finish();
     },
     "race in shared memory: load of 4 bytes at 0x[0-9a-f]+ of shared memory, which atomic operations of "
     "warp 0 have written"},
    {"race, write after read",
     [] {
       no_second_barrier<<<1, 64>>>(device_memory(64));
       finish();
     },
     "race in shared memory: store of 4 bytes at 0x[0-9a-f]+ of shared memory, which thread [0-9]+ has read"},
    {"beyond shared memory",
     [] {
       beyond_shared<<<1, 32, 128>>>(device_memory(32), 32);
       finish();
     },
     "out of bounds: load of 4 bytes at 0x80 of 128 bytes of shared memory"},
    {"blocks that write one place",
     [] {
       all_blocks_store<<<3, 1>>>(device_memory(1));
       finish();
     },
     "conflict between blocks: store at 0x[0-9a-f]+"},
    {"a block that reads what another writes",
     [] {
       read_neighbour<<<32, 1>>>(device_memory(128));
       finish();
     },
     "conflict between blocks: load at 0x[0-9a-f]+"},
    {"divergent barrier",
     [] {
       barriers_apart<<<1, 32>>>(device_memory(128), 7);
       finish();
     },
     "divergent barrier: lanes"},
    {"divergent barrier of warps",
     [] {
       barriers_apart<<<1, 64>>>(device_memory(128), 32);
       finish();
     },
     "divergent barrier: a warp waits here while another waits at the barrier of PTX line [0-9]+"},
    {"a shuffle whose mask lacks a lane",
     [] {
       mask_without_lane_0<<<1, 32>>>(device_memory(32), true);
       finish();
     },
     "mask without its own lane: lanes 0xffffffff run with the mask 0xfffffffe"},
    {"barrier of a warp whose mask lacks a lane",
     [] {
       mask_without_lane_0<<<1, 32>>>(device_memory(32), false);
       finish();
     },
     "mask without its own lane: lanes 0xffffffff run with the mask 0xfffffffe"},
    {"shuffle from an absent lane",
     [] {
       absent_lane<<<1, 32>>>(device_memory(32));
       finish();
     },
     "shuffle from an absent lane: lane 20 is read"},
    {"lanes that never arrive",
     [] {
       never_arrives<<<1, 32>>>(device_memory(32));
       finish();
     },
     "lanes that never arrive: lanes 0x"},
    {"a product by half a warp",
     [] {
       half_a_warp_multiplies<<<1, 32>>>(device_memory<float>(32));
       finish();
     },
     "absent lanes: an instruction of all 32 lanes is run by lanes 0xffff"},
    {"a matrix whose rows are not aligned",
     [] {
       matrix_of_rows<<<1, 32>>>(device_memory<unsigned>(32), 1, true);
       finish();
     },
     "misaligned: load of 16 bytes at 0x4 of shared memory"},
    {"a matrix beyond shared memory",
     [] {
       matrix_of_rows<<<1, 32>>>(device_memory<unsigned>(32), 64, true);
       finish();
     },
     "out of bounds: load of 16 bytes at 0x100 of 256 bytes of shared memory"},
    {"a matrix that others have just written",
     [] {
       matrix_of_rows<<<1, 32>>>(device_memory<unsigned>(32), 0, false);
       finish();
     },
     "race in shared memory: load of 16 bytes at 0x[0-9a-f]+ of shared memory, which thread [0-9]+ has "
     "written"},
    {"a copy that nobody has waited for",
     [] {
       copy_and_read<<<1, 64>>>(device_memory(64), device_memory(64), 1, true, 0);
       finish();
     },
     "race in shared memory: load of 4 bytes at 0x[0-9a-f]+ of shared memory, where a copy is under way that "
     "thread [0-9]+ has not waited for"},
    {"a copy that another thread has waited for",
     [] {
       copy_and_read<<<1, 64>>>(device_memory(64), device_memory(64), 0, false, 1);
       finish();
     },
     "race in shared memory: load of 4 bytes at 0x[0-9a-f]+ of shared memory, which thread [0-9]+ has "
     "written"},
    {"a copy into what others read",
     [] {
       copy_into_what_is_read<<<1, 64>>>(device_memory(64), device_memory(64));
       finish();
     },
     "race in shared memory: store of 4 bytes at 0x[0-9a-f]+ of shared memory, which thread [0-9]+ has read"},
    {"a store where a copy is under way",
     [] {
       store_before_the_copy<<<1, 64>>>(device_memory(64), device_memory(64));
       finish();
     },
     "race in shared memory: store of 4 bytes at 0x[0-9a-f]+ of shared memory, where a copy is under way"},
    {"a copy from behind the end",
     [] {
       copy_and_read<<<1, 64>>>(device_memory(64), device_memory(63), 0, true, 0);
       finish();
     },
     "out of bounds: load of 4 bytes at 0x[0-9a-f]+, 0 bytes behind the end"},
    {"a copy that takes more than it delivers",
     [] {
       copy_of_more<<<1, 1>>>(device_memory(32), 8);
       finish();
     },
     "out of bounds: a copy of 8 bytes into 4"},
    {"a copy of what nobody wrote",
     [] {
       copy_and_read<<<1, 64>>>(device_memory(64), device_memory(64, false), 0, true, 0);
       finish();
     },
     "uninitialised read: load at 0x[0-9a-f]+"},
    {"a store to what a product reads",
     [] {
       store_beside_a_product<<<1, 160>>>(device_memory<float>(128), 32);
       finish();
     },
     "race in shared memory: (load of 16|store of 4) bytes at 0x[0-9a-f]+ of shared memory, which "
     "(thread [0-9]+ has written|threads of several warps have read|several threads of warp [0-3] have "
     "read)",
     true, true},
    {"a store to what a product reads that was not waited for", [] { overwrite_a(false); }, overwritten, true,
     true},
    {"the same, between barriers of the block", [] { overwrite_a(true); }, overwritten, true, true},
    {"a product of a warpgroup by parts of its warps",
     [] {
       store_beside_a_product<<<1, 128>>>(device_memory<float>(128), 16);
       finish();
     },
     "absent lanes: a product of a warpgroup is run by lanes 0xffff", true, true},
    {"a product of a matrix that is not swizzled",
     [] {
       store_beside_a_product<<<1, 128>>>(device_memory<float>(128), 32, 0);
       finish();
     },
     "matrix descriptor: a layout without swizzling", true, true},
    {"a product of what was stored without a fence", [] { product_of(false, 0); }, no_fence, true, true},
    {"a product of what was stored behind the fence", [] { product_of(false, 1); }, no_fence, true, true},
    {"a product of what was stored, with a fence behind the barrier", [] { product_of(false, 2); }, no_fence,
     true, true},
    {"a product of what was stored, with fences of others", [] { product_of(false, 3); }, no_fence, true,
     true},
    {"a product of what was copied without a fence", [] { product_of(true, 0); }, no_fence, true, true},
    {"a product of what was copied, with a fence before the wait", [] { product_of(true, 1); }, no_fence,
     true, true},
    {"a stream that was destroyed",
     [] {
       cudaStream_t s = nullptr;
       cudaStreamCreate(&s);
       cudaStreamDestroy(s);
       store<<<1, 1, 0, s>>>(device_memory(1), 0);
     },
     "invalid handle: kernel launch: a stream that was destroyed or never made", false},
};

std::vector<Case> all_cases() {
  std::vector<Case> all(std::begin(cases_of_kernels), std::end(cases_of_kernels));
  const std::vector<Case> calls = cases_of_calls();
  all.insert(all.end(), calls.begin(), calls.end());
  return all;
}

struct Outcome {
  int status = -1;
  std::string said;
};
Outcome run_program(const std::string& arguments, const std::string& settings) {
  Outcome outcome;
  std::FILE* const pipe = popen((settings + " " + program + " " + arguments + " 2>&1").c_str(), "r");
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) outcome.said += buffer;
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

}  // namespace

TEST_CASE("softgpu: every planted fault is found, and says where it is") {
  const bool has_newest = run_program("--newest", newest).status == 0;
  if (!has_newest) MESSAGE("not compiled for sm_90a: the faults of its code are not planted");
  for (const Case& c : all_cases()) {
    if (c.newest && !has_newest) continue;
    for (const std::string number : {"1", "2"}) {
      const std::string seed = (c.newest ? newest : "") + " WEFT_SOFTGPU_SEED=" + number;
      const Outcome outcome = run_program("--planted '" + std::string(c.name) + "'", seed);
      INFO(std::string(c.name), ": ", outcome.said);
      CHECK(outcome.status == reported);
      const std::string place = c.in_kernel ? "[^\n]*by thread \\([0-9]+, [0-9]+, [0-9]+\\) of block "
                                              "\\([0-9]+, [0-9]+, [0-9]+\\), PTX line [0-9]+ of "
                                            : "";
      CHECK(std::regex_search(outcome.said, std::regex("softgpu: " + std::string(c.said) + place)));
    }
  }
}

TEST_CASE("softgpu: nothing is said of a product that is fenced and waited for") {
  if (run_program("--newest", newest).status != 0) {
    MESSAGE("not compiled for sm_90a");
    return;
  }
  for (const char* copies : {"0", "1"}) {
    const Outcome outcome = run_program("--fenced " + std::string(copies), newest);
    INFO(outcome.said);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("softgpu: sums of matrix products are displaced as the setting says") {
  const auto sums = [](const char* settings) {
    const Outcome outcome = run_program("--sums", settings);
    CHECK(outcome.status == 0);
    return outcome.said;
  };
  const std::string plain = sums(""), drawn = sums("WEFT_SOFTGPU_APPROX=5");
  CHECK(!plain.empty());
  CHECK(plain != drawn);
  CHECK(drawn == sums("WEFT_SOFTGPU_APPROX=5"));
  CHECK(drawn != sums("WEFT_SOFTGPU_APPROX=6"));
}

TEST_CASE("softgpu: a launch beyond the limits is an error and does not run") {
  int* p = device_memory(4096);
  cudaDeviceSynchronize();
  const auto refused = [&](dim3 grid, dim3 block, std::size_t shared) {
    store<<<grid, block, shared>>>(p, 0);
    return cudaGetLastError();
  };
  CHECK(refused(1, 1025, 0) == cudaErrorInvalidConfiguration);
  CHECK(refused(0, 32, 0) == cudaErrorInvalidConfiguration);
  CHECK(refused(dim3(1, 65536), 32, 0) == cudaErrorInvalidConfiguration);
  CHECK(refused(1, dim3(1, 1, 65), 0) == cudaErrorInvalidConfiguration);
  CHECK(refused(1, 32, 48 * 1024 + 1) == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024) == cudaSuccess);
  CHECK(refused(1, 32, 100 * 1024) == cudaSuccess);
  CHECK(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024) ==
        cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFree(p) == cudaSuccess);
}

TEST_CASE("softgpu: work in a stream is done when somebody waits, and not before") {
  int *p = device_memory(32), *pinned = nullptr;
  cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaDeviceSynchronize();
  std::memset(pinned, 0, 32 * sizeof(int));
  cudaStream_t a = nullptr, b = nullptr;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  fill<<<1, 32, 0, a>>>(p, 5);
  cudaMemcpyAsync(pinned, p, 32 * sizeof(int), cudaMemcpyDeviceToHost, a);
  CHECK(pinned[31] == 0);
  cudaEvent_t done = nullptr;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(done, a);
  CHECK(cudaEventQuery(done) == cudaErrorNotReady);
  cudaStreamWaitEvent(b, done, 0);
  fill<<<1, 32, 0, b>>>(p, 6);
  cudaStreamSynchronize(b);  // and so what the event marks
  CHECK(pinned[31] == 5);
  // pageable memory is taken at the call, pinned memory when the copy runs
  int pageable[32];
  std::fill_n(pageable, 32, 7);
  std::fill_n(pinned, 32, 7);
  cudaMemcpyAsync(p, pageable, sizeof pageable, cudaMemcpyHostToDevice, a);
  std::fill_n(pageable, 32, 8);
  cudaStreamSynchronize(a);
  cudaMemcpy(pageable, p, sizeof pageable, cudaMemcpyDeviceToHost);
  CHECK(pageable[0] == 7);
  cudaMemcpyAsync(p, pinned, sizeof pageable, cudaMemcpyHostToDevice, a);
  std::fill_n(pinned, 32, 9);
  cudaStreamSynchronize(a);
  cudaMemcpy(pageable, p, sizeof pageable, cudaMemcpyDeviceToHost);
  CHECK((pageable[0] == 7 || pageable[0] == 9));
  cudaEventDestroy(done);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaFreeHost(pinned);
  cudaFree(p);
}

TEST_CASE("softgpu: a captured fork runs in the order of its joins, and must be joined") {
  int* p = device_memory(64);
  cudaDeviceSynchronize();
  cudaStream_t a = nullptr, b = nullptr;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t forked = nullptr, joined = nullptr;
  cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  const auto capture = [&](bool joins, cudaGraph_t* graph) {
    cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
    fill<<<1, 32, 0, a>>>(p, 4);
    cudaEventRecord(forked, a);
    cudaStreamWaitEvent(b, forked, 0);
    cudaMemcpyAsync(p + 32, p, 32 * sizeof(int), cudaMemcpyDeviceToDevice, b);
    cudaEventRecord(joined, b);
    if (joins) cudaStreamWaitEvent(a, joined, 0);
    if (joins) fill<<<1, 32, 0, a>>>(p, 3);
    return cudaStreamEndCapture(a, graph);
  };
  cudaGraph_t graph = nullptr;
  CHECK(capture(false, &graph) == cudaErrorStreamCaptureUnjoined);
  CHECK(capture(true, &graph) == cudaSuccess);
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes == 3);
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  int host[64]{};
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  CHECK(host[40] == 0);
  cudaGraphLaunch(exec, b);
  cudaStreamSynchronize(b);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  CHECK(host[0] == 3);
  CHECK(host[40] == 4);
  cudaGraphExecDestroy(exec);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaFree(p);
}

int main(int argc, char** argv) {
  program = argv[0];
  if (argc == 2 && std::string(argv[1]) == "--sums") {
    auto* const p = device_memory<float>(32);
    multiply_and_round<<<1, 32>>>(p);
    float sums[32];
    if (cudaMemcpy(sums, p, sizeof sums, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (const float sum : sums) std::printf("%a\n", static_cast<double>(sum));
    return cudaFree(p) == cudaSuccess ? 0 : 1;
  }
  if (argc == 2 && std::string(argv[1]) == "--newest") {
    int *const p = device_memory(1), has = 0;
    find_warpgroup_products<<<1, 1>>>(p);
    if (cudaMemcpy(&has, p, sizeof has, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return cudaFree(p) == cudaSuccess && has == 1 ? 0 : 1;
  }
  if (argc == 3 && std::string(argv[1]) == "--fenced") {
    product_of(std::string(argv[2]) == "1", 4);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
  }
  if (argc == 3 && std::string(argv[1]) == "--planted") {
    for (const Case& c : all_cases())
      if (argv[2] == std::string(c.name)) {
        c.run();
        return went_on;
      }
    return 2;
  }
  return doctest::Context(argc, argv).run();
}
