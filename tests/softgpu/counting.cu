// What the device counts of a launch, held to numbers worked out by hand.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "softgpu/launch_records.hpp"

namespace {

using u32 = std::uint32_t;

struct alignas(8) Two {
  u32 x[2];
};
struct alignas(16) Four {
  u32 x[4];
};

// Lane l stores and loads element l * by of shared memory.
template <class T>
__global__ void stride(T* out, int by) {
  __shared__ T all[1024];
  const int l = static_cast<int>(threadIdx.x);
  all[l * by] = T{};
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = all[l * by];
}
__global__ void one_word(u32* out, const u32* in) {
  __shared__ u32 all[64];
  all[threadIdx.x] = in[threadIdx.x];
  all[threadIdx.x + 32] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x % 2];  // two words of different banks, each for half of the lanes
}
// Eight rows of a matrix `apart` bytes from each other.
__global__ void load_matrix(u32* out, int apart) {
  __shared__ __align__(16) unsigned char tile[8 * 256];
  for (int i = static_cast<int>(threadIdx.x) * 4; i < 8 * 256; i += 128)
    *reinterpret_cast<u32*>(tile + i) = 0;
  __syncthreads();
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(tile)) + threadIdx.x % 8 * static_cast<u32>(apart);
  u32 r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at) : "memory");
  out[threadIdx.x] = r;
}
__global__ void copy_rows(const Four* in, u32* out, int apart) {
  __shared__ Four tile[32 * 8];
  const u32 to = static_cast<u32>(__cvta_generic_to_shared(tile + static_cast<int>(threadIdx.x) * apart));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[static_cast<int>(threadIdx.x) * apart].x[0];
}
__global__ void read(const u32* in, u32* out, int by, int offset) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[static_cast<int>(i) * by + offset];
}
__global__ void read_twice(const u32* in, u32* out) {
  u32 sum = 0;
#pragma unroll 1
  for (int k = 0; k < 2; ++k) sum += *static_cast<const volatile u32*>(in + threadIdx.x);
  out[threadIdx.x] = sum;
}
__global__ void four_loads(const Four* in, u32* out) {
  const Four a = in[threadIdx.x], b = in[threadIdx.x + 32], c = in[threadIdx.x + 64];
  out[blockIdx.x * blockDim.x + threadIdx.x] = a.x[0] + b.x[1] + c.x[2] + in[threadIdx.x + 96].x[3];
}
__global__ void __launch_bounds__(256) much_shared(u32* out) {
  extern __shared__ u32 all[];
  all[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x];
}
__global__ void own_array(u32* out, int at) {
  u32 own[64];
  for (u32 i = 0; i < 64; ++i) own[(i + static_cast<u32>(at)) % 64] = i * threadIdx.x;
  out[threadIdx.x] = own[(at + 3) % 64];
}

struct Buffers {
  u32 *in = nullptr, *out = nullptr;
  static constexpr std::size_t bytes = 1 << 20;
  Buffers() {
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemset(in, 0, bytes);
    cudaDeviceSynchronize();
  }
  ~Buffers() {
    cudaFree(in);
    cudaFree(out);
  }
};

// What the device says of the one launch in `run`.
template <class F>
softgpu::LaunchRecord counted(F run) {
  const softgpu::LaunchRecords* const device = softgpu::launch_records();
  REQUIRE(device != nullptr);
  device->start();
  run();
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::size_t count = 0;
  const softgpu::LaunchRecord* const launches = device->stop(&count);
  REQUIRE(count == 1);
  return launches[0];
}
template <class T>
u32 conflicts(int by) {
  const Buffers b;
  const auto r = counted([&] { stride<<<1, 32>>>(reinterpret_cast<T*>(b.out), by); });
  CHECK(r.shared_accesses == 2 * (sizeof(T) <= 4 ? 1 : sizeof(T) / 4));  // a store and a load
  CHECK(r.bank_conflicts % 2 == 0);
  return static_cast<u32>(r.bank_conflicts / 2);
}

}  // namespace

TEST_CASE("counting: conflicts between banks of words") {
  CHECK(conflicts<u32>(1) == 0);
  CHECK(conflicts<u32>(2) == 1);
  CHECK(conflicts<u32>(3) == 0);
  CHECK(conflicts<u32>(16) == 15);
  CHECK(conflicts<u32>(32) == 31);
  CHECK(conflicts<u32>(31) == 0);
}
TEST_CASE("counting: lanes share words of 16 bits, 8 bytes go by half warps and 16 by quarters") {
  CHECK(conflicts<std::uint16_t>(1) == 0);
  CHECK(conflicts<std::uint16_t>(4) == 1);
  CHECK(conflicts<Two>(1) == 0);
  CHECK(conflicts<Two>(2) == 2);        // 1 in each half
  CHECK(conflicts<Two>(16) == 2 * 15);  // all of a half in the same two banks
  CHECK(conflicts<Four>(1) == 0);
  CHECK(conflicts<Four>(2) == 4);
  CHECK(conflicts<Four>(8) == 4 * 7);
  CHECK(conflicts<Four>(9) == 0);
}
TEST_CASE("counting: a word that many lanes want is no conflict") {
  const Buffers b;
  const auto r = counted([&] { one_word<<<1, 32>>>(b.out, b.in); });
  CHECK(r.shared_accesses == 3);
  CHECK(r.bank_conflicts == 0);
}
TEST_CASE("counting: rows of ldmatrix and stores of cp.async") {
  const Buffers b;
  const auto matrix = [&](int apart) {
    return counted([&] { load_matrix<<<1, 32>>>(b.out, apart); }).bank_conflicts;
  };
  CHECK(matrix(16) == 0);
  CHECK(matrix(144) == 0);
  CHECK(matrix(128) == 7);
  CHECK(matrix(64) == 3);
  const auto copy = [&](int apart) {
    return counted([&] { copy_rows<<<1, 32>>>(reinterpret_cast<const Four*>(b.in), b.out, apart); });
  };
  CHECK(copy(1).bank_conflicts == 3);  // the reader's: every fourth word of 4 bytes
  CHECK(copy(8).bank_conflicts == 4 * 7 + 31);
  CHECK(copy(1).sectors_loaded == 16);
}
TEST_CASE("counting: sectors asked for, and different ones") {
  const Buffers b;
  auto r = counted([&] { read<<<4, 64>>>(b.in, b.out, 1, 0); });
  CHECK(r.sectors_loaded == 32);
  CHECK(r.distinct_loaded == 32);
  CHECK(r.sectors_stored == 32);
  CHECK(r.distinct_stored == 32);
  r = counted([&] { read<<<4, 64>>>(b.in, b.out, 1, 1); });  // each warp reaches into a fifth sector
  CHECK(r.sectors_loaded == 8 * 5);
  CHECK(r.distinct_loaded == 33);
  r = counted([&] { read<<<1, 32>>>(b.in, b.out, 8, 0); });
  CHECK(r.sectors_loaded == 32);
  r = counted([&] { read_twice<<<1, 32>>>(b.in, b.out); });
  CHECK(r.sectors_loaded == 8);
  CHECK(r.distinct_loaded == 4);
}
TEST_CASE("counting: instructions by class, barriers, and bytes that may be in flight") {
  const Buffers b;
  const softgpu::LaunchRecords& device = *softgpu::launch_records();
  const auto of = [&](const softgpu::LaunchRecord& r, const std::string& name) {
    for (int k = 0; k < softgpu::LaunchRecord::classes; ++k)
      if (device.class_names[k] == name) return r.instructions[k];
    FAIL("no such class");
    return std::uint64_t{0};
  };
  auto r = counted([&] { four_loads<<<2, 64>>>(reinterpret_cast<const Four*>(b.in), b.out); });
  CHECK(of(r, "global loads") == 4 * 4);
  CHECK(of(r, "global stores") == 4);
  CHECK(r.most_in_flight >= 16);
  CHECK(r.barriers == 0);
  r = counted([&] { read_twice<<<1, 32>>>(b.in, b.out); });
  CHECK(r.most_in_flight == 4);
  r = counted([&] { stride<<<3, 64>>>(b.out, 1); });
  CHECK(r.barriers == 3 * 2);
  CHECK(r.grid == 3);
  CHECK(r.threads == 64);
}
TEST_CASE("counting: how many blocks fit, and local memory of the machine code") {
  const Buffers b;
  auto r = counted([&] { much_shared<<<1, 256, 1024>>>(b.out); });
  CHECK(r.registers > 0);
  CHECK(r.blocks_a_multiprocessor == 8);
  r = counted([&] { much_shared<<<1, 256, 40 * 1024>>>(b.out); });
  CHECK(r.blocks_a_multiprocessor == 5);  // of 228 KiB, 41 each
  CHECK(r.local_bytes == 0);
  r = counted([&] { own_array<<<1, 32>>>(b.out, 5); });
  CHECK(r.local_bytes == 256);
  u32 out[32];
  CHECK(cudaMemcpy(out, b.out, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (u32 i = 0; i < 32; ++i) CHECK(out[i] == 3 * i);
}
TEST_CASE(
    "counting: all blocks run, or with WEFT_SOFTGPU_SAMPLE a sample, over memory that is only reserved") {
  const Buffers b;
  const char* const sample = std::getenv("WEFT_SOFTGPU_SAMPLE");
  const std::uint64_t blocks = sample != nullptr ? std::strtoull(sample, nullptr, 10) + 2 : 1024;
  const auto r = counted([&] { read<<<1024, 64>>>(b.in, b.out, 1, 0); });
  CHECK(r.grid == 1024);
  CHECK(r.blocks_run == blocks);
  CHECK(r.sectors_loaded == blocks * 2 * 4);
  CHECK(r.distinct_stored == blocks * 2 * 4);
  if (sample == nullptr) return;
  constexpr std::size_t large = std::size_t{20} << 30;
  char *from = nullptr, *to = nullptr;
  REQUIRE(cudaMalloc(&from, large) == cudaSuccess);
  REQUIRE(cudaMalloc(&to, large) == cudaSuccess);
  CHECK(cudaMemset(from, 1, large) == cudaSuccess);
  CHECK(cudaMemcpy(to, from, large, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(from);
  cudaFree(to);
}
