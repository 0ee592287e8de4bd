// Functions that are not inlined: their registers, labels and local memory are those of each call, whoever
// calls them; and sums and products of several words, whose carries go from instruction to instruction.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "softgpu/transfer.cuh"

namespace {

using namespace softgpu_test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using u128 = unsigned __int128;

// With a loop, a branch, a table in local memory and two ways out.
__host__ __device__ __noinline__ u32 mixed(u32 x, u32 rounds) {
  u32 table[4];
  for (u32 k = 0; k < 4; ++k) table[k] = x + k;
  if (rounds == 0) return x;
  for (u32 k = 0; k < rounds; ++k) {
    const u32 at = (x + k) & 3;
    table[at] = table[at] * 5 + k;
    x = x % 7 == 3 ? x + table[at ^ 1] : x ^ table[at];
  }
  return x;
}
__host__ __device__ __noinline__ u32 twice(u32 x, u32 rounds) {
  return mixed(mixed(x, rounds), rounds + 1) + rounds;
}

__global__ void calls(u32* out, const u32* in) {
  const u32 i = threadIdx.x;
  u32 x = mixed(in[i], i % 5);
  if (i % 3 == 0) x += twice(x, 2);
  out[i] = x - mixed(i, 3);
}

// 128 bits: the sum, the difference and the lower bits of the product of a and b.
__global__ void wide(u64* out, const u64* in) {
  const u64* a = in + 4 * threadIdx.x;
  const u64* b = a + 2;
  u64* r = out + 6 * threadIdx.x;
  asm volatile("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;"
               : "=l"(r[0]), "=l"(r[1])
               : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(b[1]));
  asm volatile("sub.cc.u64 %0, %2, %4;\n\tsubc.u64 %1, %3, %5;"
               : "=l"(r[2]), "=l"(r[3])
               : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(b[1]));
  // of halves of 32 bits, as nvcc multiplies
  u32 x[4]{}, y[2]{static_cast<u32>(a[0]), static_cast<u32>(a[0] >> 32)};
  const u32 z[2]{static_cast<u32>(b[0]), static_cast<u32>(b[0] >> 32)};
  asm volatile(
      "mul.lo.u32 %0, %4, %6;\n\t"
      "mul.hi.u32 %1, %4, %6;\n\t"
      "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
      "madc.hi.u32 %2, %5, %6, 0;\n\t"
      "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
      "madc.hi.cc.u32 %2, %4, %7, %2;\n\t"
      "madc.hi.u32 %3, %5, %7, 0;\n\t"
      "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
      "addc.u32 %3, %3, 0;"
      : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
      : "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]));
  r[4] = u64{x[1]} << 32 | x[0];
  r[5] = u64{x[3]} << 32 | x[2];
}

// One block of so many threads.
template <class T>
std::vector<T> run(void (*kernel)(T*, const T*), const std::vector<T>& in, std::size_t results,
                   unsigned threads) {
  const DeviceBuffer from = upload(in), to(results * sizeof(T));
  kernel<<<1, threads>>>(pointer<T>(to), pointer<T>(from));
  return download<T>(to);
}

__global__ void sines(double* out, const double* in) {
  out[threadIdx.x] = threadIdx.x % 2 ? cos(in[threadIdx.x]) : sin(in[threadIdx.x]);
}

}  // namespace

TEST_CASE("instructions: functions that are not inlined") {
  std::vector<u32> in(40);
  for (u32 i = 0; i < 40; ++i) in[i] = i * 2654435761u;
  const std::vector<u32> got = run(calls, in, 40, 40);
  for (u32 i = 0; i < 40; ++i) {
    u32 x = mixed(in[i], i % 5);
    if (i % 3 == 0) x += twice(x, 2);
    CHECK(got[i] == x - mixed(i, 3));
  }
  // large arguments are reduced by such a function
  std::vector<double> angles;
  for (int k = 0; k < 32; ++k) angles.push_back(std::ldexp(1.0 + k / 40.0, 25 + 30 * k) * (k % 2 ? 1 : -1));
  const std::vector<double> values = run(sines, angles, 32, 32);
  for (std::size_t k = 0; k < 32; ++k)
    CHECK(values[k] == doctest::Approx(k % 2 ? std::cos(angles[k]) : std::sin(angles[k])).epsilon(1e-14));
}

TEST_CASE("instructions: carries and borrows") {
  const u64 all = ~u64{0}, some = 0x9e3779b97f4a7c15u, one = u64{1} << 63;
  std::vector<u64> in;
  for (const u64 a : {u64{0}, u64{1}, all, some, one})
    for (const u64 b : {u64{0}, u64{1}, all, some, one})
      for (const u64 upper : {u64{0}, all, some}) in.insert(in.end(), {a, upper, b, upper ^ one});
  const unsigned count = static_cast<unsigned>(in.size() / 4);
  const std::vector<u64> got = run(wide, in, 6 * count, count);
  for (std::size_t k = 0; k < count; ++k) {
    const u128 a = u128{in[4 * k + 1]} << 64 | in[4 * k], b = u128{in[4 * k + 3]} << 64 | in[4 * k + 2];
    const u128 wanted[]{a + b, a - b, u128{in[4 * k]} * in[4 * k + 2]};
    for (std::size_t r = 0; r < 3; ++r) {
      CHECK(got[6 * k + 2 * r] == static_cast<u64>(wanted[r]));
      CHECK(got[6 * k + 2 * r + 1] == static_cast<u64>(wanted[r] >> 64));
    }
  }
}
