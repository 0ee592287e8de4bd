// Asynchronous copies from global to shared memory: cp.async of every size, and the groups in which they are
// waited for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "softgpu/transfer.cuh"

namespace {

using namespace softgpu_test;
using u32 = std::uint32_t;
using u64 = unsigned long long;

// Each thread copies 64 bytes in copies of one size, of each `Taken` bytes, over what it has put there, and
// reads another's. No other access is as narrow as the copies.
template <u32 Size, u32 Taken>
__global__ void copy_once(u32* out, const u32* in) {
  __shared__ __align__(16) u64 tile[64 * 8];
  const u32 l = threadIdx.x;
  for (u32 i = 0; i < 8; ++i) tile[l * 8 + i] = ~u64{0};
  const u32 begin = static_cast<u32>(__cvta_generic_to_shared(tile + l * 8));
  for (u32 i = 0; i < 64 / Size; ++i) {
    const u32 to = begin + i * Size;
    const u32* const from = in + l * 16 + i * (Size / 4);
    if constexpr (Size == Taken && Size == 16)
      asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else if constexpr (Size == Taken)
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Size) : "memory");
    else if constexpr (Size == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(Taken > 0 ? from : nullptr),
                   "r"(Taken)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Size), "r"(Taken)
                   : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (u32 i = 0; i < 8; ++i) {
    const u64 both = tile[(63 - l) * 8 + i];
    out[l * 16 + 2 * i] = static_cast<u32>(both);
    out[l * 16 + 2 * i + 1] = static_cast<u32>(both >> 32);
  }
}

template <u32 Size, u32 Taken>
void check_copy() {
  std::vector<u32> in(64 * 16);
  for (u32 i = 0; i < in.size(); ++i) in[i] = i * 0x01000193u + 7;
  const DeviceBuffer in_there = upload(in), out(in.size() * sizeof(u32));
  copy_once<Size, Taken><<<1, 64>>>(pointer<u32>(out), pointer<u32>(in_there));
  const auto got = download<u32>(out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t from = (63 - i / 16) * 16 + i % 16;
    const std::size_t byte = from * 4 % Size;
    const std::size_t kept = std::min<std::size_t>(std::max<std::size_t>(Taken, byte) - byte, 4);
    const u32 wanted = kept == 4 ? in[from] : in[from] & ((1u << (8 * kept)) - 1);
    CHECK_MESSAGE(got[i] == wanted, Taken, " of ", Size, " bytes, word ", from);
  }
}

// Two stages: while one is summed the next is on its way. A group more is committed than there are tiles, so
// that the last ones are waited for in the same way.
__global__ void copy_ahead(u32* out, const u32* in, u32 tiles) {
  __shared__ __align__(16) u32 stage[2][8 + 64 * 4];
  const u32 l = threadIdx.x;
  const auto begin = [&](u32 t) {
    // both addresses with an offset
    const u32 to = static_cast<u32>(__cvta_generic_to_shared(stage[t % 2] + l * 4));
    if (t < tiles)
      asm volatile("cp.async.cg.shared.global [%0 + 32], [%1 + 16], 16;" ::"r"(to),
                   "l"(in + (t * 64 + l) * 4 - 4)
                   : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  begin(0);
  u32 sum = 0;
  for (u32 t = 0; t < tiles; ++t) {
    begin(t + 1);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    for (u32 i = 0; i < 4; ++i) sum = sum * 3 + stage[t % 2][8 + (63 - l) * 4 + i];
    __syncthreads();
  }
  out[l] = sum;
}

// Threads may exit without waiting: the block that comes after has the memory to itself.
__global__ void copy_and_leave(u32* out, const u32* in) {
  __shared__ u32 all[64];
  const u32 l = threadIdx.x;
  all[l] = l + blockIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + l] = all[63 - l];
  __syncthreads();
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(all + l))),
      "l"(in + l)
      : "memory");
}

}  // namespace

TEST_CASE("instructions: asynchronous copies of 4, 8 and 16 bytes, and zeros behind what they take") {
  check_copy<4, 4>();
  check_copy<8, 8>();
  check_copy<16, 16>();
  check_copy<4, 3>();
  check_copy<8, 4>();
  check_copy<16, 6>();
  check_copy<16, 12>();
  check_copy<16, 0>();
}

TEST_CASE("instructions: groups of copies are waited for in their order") {
  constexpr u32 tiles = 5;
  std::vector<u32> in(tiles * 64 * 4);
  for (u32 i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  const DeviceBuffer in_there = upload(in), out(64 * sizeof(u32));
  copy_ahead<<<1, 64>>>(pointer<u32>(out), pointer<u32>(in_there), tiles);
  const auto got = download<u32>(out);
  for (u32 l = 0; l < 64; ++l) {
    u32 sum = 0;
    for (u32 t = 0; t < tiles; ++t)
      for (u32 i = 0; i < 4; ++i) sum = sum * 3 + in[(t * 64 + 63 - l) * 4 + i];
    CHECK(got[l] == sum);
  }
}

TEST_CASE("instructions: a block that leaves copies behind does not disturb the next") {
  constexpr u32 blocks = 40;
  const DeviceBuffer in = upload(std::vector<u32>(64, 9)), out(blocks * 64 * sizeof(u32));
  copy_and_leave<<<blocks, 64>>>(pointer<u32>(out), pointer<u32>(in));
  const auto got = download<u32>(out);
  for (u32 i = 0; i < got.size(); ++i) CHECK(got[i] == 63 - i % 64 + i / 64);
}
