#pragma once
// Kernels that do what the device must find, each one thing; planted.cu calls them.

#include <cuda_runtime.h>

namespace {

__global__ void store(int* p, int at) { p[at + static_cast<int>(threadIdx.x)] = 1; }
__global__ void load(const int* p, int* out, int at) {
  out[threadIdx.x] = p[at + static_cast<int>(threadIdx.x)];
}
__global__ void load_bytes(const char* p, int* out) { *out = *reinterpret_cast<const int*>(p); }
__global__ void add_to(int* p) { atomicAdd(p, 1); }
struct Numbers {
  int of[4];
};
__global__ void parameter_at(const __grid_constant__ Numbers numbers, int* out, int at) {
  *out = numbers.of[at];
}
__global__ void trap() { __trap(); }
__global__ void all_blocks_store(int* p) { *p = static_cast<int>(blockIdx.x); }
__global__ void read_neighbour(int* p) {
  p[blockIdx.x] = 1;
  if (blockIdx.x > 0) p[64 + blockIdx.x] = p[blockIdx.x - 1];
}
__global__ void no_barrier(int* out) {
  __shared__ int all[64];
  all[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = all[63 - threadIdx.x];
}
__global__ void no_barrier_behind_atomics(int* out, bool within_a_warp) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (!within_a_warp || threadIdx.x < 32) atomicAdd(&sum, 1);
  out[threadIdx.x] = sum;
}
__global__ void no_second_barrier(int* out) {
  __shared__ int all[64];
  all[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int other = all[63 - threadIdx.x];
  all[threadIdx.x] = other;
  out[threadIdx.x] = other;
}
__global__ void shared_never_written(int* out) {
  __shared__ int all[64];
  if (threadIdx.x > 0) all[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x];
}
__global__ void beyond_shared(int* out, int at) {
  extern __shared__ int all[];
  all[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = all[at];
}
// The threads before `split` wait at one barrier, the others at another.
__global__ void barriers_apart(int* out, unsigned split) {
  if (threadIdx.x < split) {
    asm volatile("bar.sync 0;" ::: "memory");
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = 2;
    asm volatile("bar.sync 0;" ::: "memory");
    out[threadIdx.x + 64] = 3;
  }
}
__global__ void absent_lane(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffu, static_cast<int>(threadIdx.x), 20);
}
__global__ void mask_without_lane_0(int* out, bool shuffles) {
  if (shuffles)
    out[threadIdx.x] = __shfl_sync(0xfffffffeu, static_cast<int>(threadIdx.x), 1);
  else
    __syncwarp(0xfffffffeu);
}
__global__ void never_arrives(int* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
  else
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 2, 1);
}
__global__ void half_a_warp_multiplies(float* out) {
  if (threadIdx.x >= 16) return;
  float x = 0, y = 0, z = 0, w = 0;
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};"
      : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
      : "r"(0x3f803f80));
  out[threadIdx.x] = x + y + z + w;
}
// No fault: thirds, whose last bits have no place in a sum with larger terms.
__global__ void multiply_and_round(float* out) {
  const unsigned tens = 0x41204120, l = threadIdx.x;  // of bf16
  float x = static_cast<float>(l + 1) / 3, y = x, z = x, w = x;
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4}, {%5}, {%0, %1, %2, %3};"
      : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
      : "r"(tens), "r"(tens + l));
  out[l] = x + y + z + w;
}
__device__ unsigned load_matrix(const int* row) {
  unsigned d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(d)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return d;
}
// Each lane points to the row that it wrote itself, or `shift` words behind its beginning, and gets parts of
// others' rows: it has to wait for them.
__global__ void matrix_of_rows(unsigned* out, int shift, bool waits) {
  __shared__ __align__(16) int rows[64];
  const int l = static_cast<int>(threadIdx.x);
  if (l < 16)
    for (int i = 0; i < 4; ++i) rows[l * 4 + i] = l;
  if (waits) __syncwarp();
  out[threadIdx.x] = load_matrix(rows + l % 8 * 4 + shift);
}
__device__ void begin_copy(int* to, const int* from) {
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}
__device__ void wait_for_all_but(int groups) {
  if (groups == 0)
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  else
    asm volatile("cp.async.wait_group 1;" ::: "memory");
}
// Two copies; all but `pending` of them are waited for.
__global__ void copy_and_read(int* out, const int* in, int pending, bool meets, int neighbour) {
  __shared__ int first[64], second[64];
  const int l = static_cast<int>(threadIdx.x);
  begin_copy(first + l, in + l);
  begin_copy(second + l, in + l);
  wait_for_all_but(pending);
  if (meets) __syncthreads();
  out[l] = first[l ^ neighbour] + second[l ^ neighbour];
}
__global__ void copy_of_more(int* in, int bytes) {
  __shared__ int all[4];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(all))),
               "l"(in), "r"(bytes)
               : "memory");
  wait_for_all_but(0);
  in[1] = all[0];
}
__global__ void copy_into_what_is_read(int* out, const int* in) {
  __shared__ int all[64];
  const int l = static_cast<int>(threadIdx.x);
  all[l] = l;
  __syncthreads();
  out[l] = all[63 - l];
  begin_copy(all + l, in + l);
  wait_for_all_but(0);
}
__global__ void store_before_the_copy(int* out, const int* in) {
  __shared__ int all[64];
  const int l = static_cast<int>(threadIdx.x);
  begin_copy(all + l, in + l);
  all[l] = 3;
  wait_for_all_but(0);
  out[l] = all[l];
}
__global__ void local_never_written(int* out, int at) {
  int own[32];
  for (int i = 0; i < 32; ++i)
    if (i != at) own[(i * 7 + at) % 32] = i + static_cast<int>(threadIdx.x);
  out[threadIdx.x] = own[at > 31 ? at : (at * 7 + at) % 32];
}
__global__ void between_numbers(int* out, int byte, bool shared) {
  __shared__ int all[4];
  int own[4];
  for (int i = 0; i < 4; ++i) all[i] = own[(i + byte) % 4] = i;
  const char* const from = reinterpret_cast<const char*>(shared ? all : own);
  *out = *reinterpret_cast<const int*>(from + byte);
}
__global__ void fill(int* p, int value) { p[threadIdx.x] = value; }

// ---- products of warpgroups, which only code for sm_90a has ----

// Whether the device runs such code.
__global__ void find_warpgroup_products(int* has) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  *has = 1;
#else
  *has = 0;
#endif
}
// Begins a product with a matrix B (16 x 8) of bf16 whose columns lie in 32 bytes each; A, in registers,
// is 1. `swizzle`: 3 for such columns, 0 for none.
__device__ void begin_product(float (&d)[4], const unsigned* b, unsigned long long swizzle = 3) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const unsigned long long at = __cvta_generic_to_shared(b) >> 4 | 1ull << 16 | 16ull << 32 | swizzle << 62;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "{.reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, p, 1, 1, 0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(0x3f803f80), "l"(at)
      : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
// The same with A (64 x 16) in shared memory, whose rows lie as B's columns do.
__device__ void begin_product(float (&d)[4], const unsigned* a, const unsigned* b) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const unsigned long long kind = 1ull << 16 | 16ull << 32 | 3ull << 62;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "{.reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(__cvta_generic_to_shared(a) >> 4 | kind), "l"(__cvta_generic_to_shared(b) >> 4 | kind)
      : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
__device__ float wait_for_product(float (&d)[4]) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
#endif
  return d[0] + d[1] + d[2] + d[3];
}
__device__ void show_to_products() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
// A warpgroup multiplies, and a fifth warp, if there is one, stores to B meanwhile. Of each warp the lanes
// before `lanes` multiply.
__global__ void store_beside_a_product(float* out, unsigned lanes, unsigned long long swizzle = 3) {
  __shared__ __align__(1024) unsigned b[64];
  const unsigned l = threadIdx.x;
  if (l < 64) b[l] = 0x3f803f80;
  show_to_products();
  __syncthreads();
  if (l >= 128) {
    b[l % 32] = 0;
  } else if (l % 32 < lanes) {
    float d[4]{};
    begin_product(d, b, swizzle);
    out[l] = wait_for_product(d);
  }
}
// A warp stores to its rows of A behind the beginning of the product and before it is waited for. It meets,
// or the block does, before the store and behind it.
__global__ void store_before_the_wait(float* out, bool block_meets) {
  __shared__ __align__(1024) unsigned a[512], b[64];
  const unsigned l = threadIdx.x;
  for (unsigned i = l; i < 512; i += 128) a[i] = 0x3f803f80;
  if (l < 64) b[l] = 0x3f803f80;
  show_to_products();
  __syncthreads();
  float d[4]{};
  begin_product(d, a, b);
  if (block_meets)
    __syncthreads();
  else
    __syncwarp();
  a[l / 32 * 128 + l % 32] = 0;
  if (block_meets)
    __syncthreads();
  else
    __syncwarp();
  out[l] = wait_for_product(d);
}
// B is stored or copied there; `fence`: 0 for none, 1 for one before that, 2 behind the barrier, 3 by another
// thread, 4 as it must be.
__global__ void product_of_what_was_written(float* out, const int* in, bool copies, int fence) {
  __shared__ __align__(1024) unsigned b[64];
  const unsigned l = threadIdx.x;
  if (copies && l < 64) begin_copy(reinterpret_cast<int*>(b) + l, in + l);
  if (fence == 1) show_to_products();
  if (copies)
    wait_for_all_but(0);
  else if (l < 64)
    b[l] = 0x3f803f80;
  if (fence == 4 || (fence == 3 && l >= 64)) show_to_products();
  __syncthreads();
  if (fence == 2) show_to_products();
  float d[4]{};
  begin_product(d, b);
  out[l] = wait_for_product(d);
}

}  // namespace
