// Single PTX instructions against the values that the ISA's tables give: conversions that saturate, division
// by zero, shifts beyond the width, comparisons and minima of NaNs, directed roundings, shuffles at their
// edges.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "weft/device/cuda_buffer.cuh"

using weft::cuda_check;
using weft::DeviceBuffer;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr float nan32 = std::numeric_limits<float>::quiet_NaN(),
                inf32 = std::numeric_limits<float>::infinity();

// One thread for each element; unused operands are empty.
template <class Kernel, class R, class... In>
std::vector<R> run(Kernel kernel, R, const std::vector<In>&... in) {
  const std::size_t count = std::get<0>(std::tuple{in.size()...});
  const DeviceBuffer out(count * sizeof(R));
  const auto upload = [](const auto& v) {
    DeviceBuffer buffer(v.size() * sizeof(v[0]));
    cuda_check(cudaMemcpy(buffer.data(), v.data(), buffer.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    return buffer;
  };
  const std::tuple<decltype(upload(in))...> buffers{upload(in)...};
  std::apply(
      [&](const auto&... b) {
        kernel<<<1, static_cast<unsigned>(count)>>>(reinterpret_cast<R*>(out.data()),
                                                    reinterpret_cast<const In*>(b.data())...);
      },
      buffers);
  cuda_check(cudaGetLastError(), "launch");
  std::vector<R> result(count);
  cuda_check(cudaMemcpy(result.data(), out.data(), out.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return result;
}

#define UNARY(NAME, CODE, D, DC, A, AC)                  \
  __global__ void NAME##_kernel(D* out, const A* a) {    \
    D d;                                                 \
    asm volatile(CODE : "=" DC(d) : AC(a[threadIdx.x])); \
    out[threadIdx.x] = d;                                \
  }                                                      \
  std::vector<D> NAME(const std::vector<A>& a) { return run(NAME##_kernel, D{}, a); }

#define BINARY(NAME, CODE, D, DC, A, AC, B, BC)                              \
  __global__ void NAME##_kernel(D* out, const A* a, const B* b) {            \
    D d;                                                                     \
    asm volatile(CODE : "=" DC(d) : AC(a[threadIdx.x]), BC(b[threadIdx.x])); \
    out[threadIdx.x] = d;                                                    \
  }                                                                          \
  std::vector<D> NAME(const std::vector<A>& a, const std::vector<B>& b) {    \
    return run(NAME##_kernel, D{}, a, b);                                    \
  }

#define TERNARY(NAME, CODE, D, DC, A, AC, B, BC, C, CC)                                            \
  __global__ void NAME##_kernel(D* out, const A* a, const B* b, const C* c) {                      \
    D d;                                                                                           \
    asm volatile(CODE : "=" DC(d) : AC(a[threadIdx.x]), BC(b[threadIdx.x]), CC(c[threadIdx.x]));   \
    out[threadIdx.x] = d;                                                                          \
  }                                                                                                \
  std::vector<D> NAME(const std::vector<A>& a, const std::vector<B>& b, const std::vector<C>& c) { \
    return run(NAME##_kernel, D{}, a, b, c);                                                       \
  }

// A comparison as 0 or 1.
#define COMPARISON(NAME, CODE, A, AC) \
  BINARY(NAME, "{.reg .pred p; " CODE " p, %1, %2; selp.u32 %0, 1, 0, p;}", u32, "r", A, AC, A, AC)

UNARY(to_s32, "cvt.rzi.s32.f32 %0, %1;", i32, "r", float, "f")
UNARY(to_u32, "cvt.rzi.u32.f32 %0, %1;", u32, "r", float, "f")
UNARY(to_s64, "cvt.rzi.s64.f32 %0, %1;", i64, "l", float, "f")
UNARY(to_u64_from_f64, "cvt.rzi.u64.f64 %0, %1;", u64, "l", double, "d")
UNARY(nearest_s32, "cvt.rni.s32.f32 %0, %1;", i32, "r", float, "f")
UNARY(floor_s32, "cvt.rmi.s32.f32 %0, %1;", i32, "r", float, "f")
UNARY(saturated, "cvt.sat.f32.f32 %0, %1;", float, "f", float, "f")
UNARY(nearest_even, "cvt.rni.f32.f32 %0, %1;", float, "f", float, "f")
UNARY(narrowed, "cvt.rn.f32.f64 %0, %1;", float, "f", double, "d")
UNARY(narrowed_to_zero, "cvt.rz.f32.f64 %0, %1;", float, "f", double, "d")
UNARY(from_u64, "cvt.rn.f32.u64 %0, %1;", float, "f", u64, "l")
UNARY(from_s64, "cvt.rn.f32.s64 %0, %1;", float, "f", i64, "l")
UNARY(sign_extended, "cvt.s64.s32 %0, %1;", i64, "l", i32, "r")
UNARY(low_byte, "{.reg .u16 t; cvt.u16.u32 t, %1; cvt.s32.s8 %0, t;}", i32, "r", u32, "r")
BINARY(divided_flushed, "div.approx.ftz.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
BINARY(divided_s32, "div.s32 %0, %1, %2;", i32, "r", i32, "r", i32, "r")
BINARY(rest_s32, "rem.s32 %0, %1, %2;", i32, "r", i32, "r", i32, "r")
BINARY(divided_u64, "div.u64 %0, %1, %2;", u64, "l", u64, "l", u64, "l")
BINARY(product_high, "mul.hi.s64 %0, %1, %2;", i64, "l", i64, "l", i64, "l")
BINARY(product_high_u32, "mul.hi.u32 %0, %1, %2;", u32, "r", u32, "r", u32, "r")
BINARY(product_wide, "mul.wide.s32 %0, %1, %2;", i64, "l", i32, "r", i32, "r")
BINARY(left_b32, "shl.b32 %0, %1, %2;", u32, "r", u32, "r", u32, "r")
BINARY(right_u32, "shr.u32 %0, %1, %2;", u32, "r", u32, "r", u32, "r")
BINARY(right_s32, "shr.s32 %0, %1, %2;", i32, "r", i32, "r", u32, "r")
BINARY(right_s64, "shr.s64 %0, %1, %2;", i64, "l", i64, "l", u32, "r")
BINARY(left_b64, "shl.b64 %0, %1, %2;", u64, "l", u64, "l", u32, "r")
TERNARY(funnel, "shf.l.wrap.b32 %0, %1, %2, %3;", u32, "r", u32, "r", u32, "r", u32, "r")
TERNARY(bytes, "prmt.b32 %0, %1, %2, %3;", u32, "r", u32, "r", u32, "r", u32, "r")
TERNARY(dot_of_bytes, "dp4a.s32.u32 %0, %1, %2, %3;", u32, "r", u32, "r", u32, "r", u32, "r")
TERNARY(dot_of_low, "dp2a.lo.u32.u32 %0, %1, %2, %3;", u32, "r", u32, "r", u32, "r", u32, "r")
TERNARY(dot_of_high, "dp2a.hi.s32.s32 %0, %1, %2, %3;", u32, "r", u32, "r", u32, "r", u32, "r")
TERNARY(field, "bfe.u32 %0, %1, %2, %3;", u32, "r", u32, "r", u32, "r", u32, "r")
UNARY(absolute, "abs.s32 %0, %1;", i32, "r", i32, "r")
UNARY(zeros, "clz.b32 %0, %1;", u32, "r", u32, "r")
BINARY(smaller, "min.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
BINARY(larger, "max.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
BINARY(smaller_or_nan, "min.NaN.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
BINARY(larger_or_nan, "max.NaN.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
BINARY(sum_to_zero, "add.rz.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
BINARY(sum_nearest, "add.rn.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
TERNARY(fused, "fma.rn.f32 %0, %1, %2, %3;", float, "f", float, "f", float, "f", float, "f")
TERNARY(fused_down, "fma.rm.f32 %0, %1, %2, %3;", float, "f", float, "f", float, "f", float, "f")
TERNARY(fused_to_zero, "fma.rz.f32 %0, %1, %2, %3;", float, "f", float, "f", float, "f", float, "f")
BINARY(with_sign, "copysign.f32 %0, %1, %2;", float, "f", float, "f", float, "f")
UNARY(power_of_two, "ex2.approx.ftz.f32 %0, %1;", float, "f", float, "f")
UNARY(logarithm, "lg2.approx.ftz.f32 %0, %1;", float, "f", float, "f")
UNARY(reciprocal_seed, "rcp.approx.ftz.f64 %0, %1;", double, "d", double, "d")
UNARY(root, "sqrt.rn.f32 %0, %1;", float, "f", float, "f")
COMPARISON(equal, "setp.eq.f32", float, "f")
COMPARISON(different, "setp.ne.f32", float, "f")
COMPARISON(less, "setp.lt.f32", float, "f")
COMPARISON(equal_or_nan, "setp.equ.f32", float, "f")
COMPARISON(different_or_nan, "setp.neu.f32", float, "f")
COMPARISON(less_or_nan, "setp.ltu.f32", float, "f")
COMPARISON(at_least_or_nan, "setp.geu.f32", float, "f")
COMPARISON(numbers_both, "setp.num.f32", float, "f")
COMPARISON(any_nan, "setp.nan.f32", float, "f")

template <int Mode>
__global__ void shuffle(u32* out, const u32* by, const u32* clamp) {
  const u32 lane = threadIdx.x;
  u32 d, in = 0;
#define SHUFFLE(WHICH)                                                                                       \
  asm volatile("{.reg .pred p; shfl.sync." WHICH ".b32 %0|p, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, p;}" \
               : "=r"(d), "=r"(in)                                                                           \
               : "r"(lane), "r"(by[lane]), "r"(clamp[lane]))
  if constexpr (Mode == 0) SHUFFLE("up");
  if constexpr (Mode == 1) SHUFFLE("down");
  if constexpr (Mode == 2) SHUFFLE("bfly");
  if constexpr (Mode == 3) SHUFFLE("idx");
#undef SHUFFLE
  out[lane] = d | in << 8;
}

// What lane i gets of 32 lanes that hold their numbers, and whether its source was in range.
template <int Mode>
void check_shuffle(u32 by, u32 clamp, u32 (*source)(u32 lane), bool (*in_range)(u32 lane)) {
  const auto got = run(shuffle<Mode>, u32{}, std::vector<u32>(32, by), std::vector<u32>(32, clamp));
  for (u32 lane = 0; lane < 32; ++lane) {
    const u32 wanted = in_range(lane) ? source(lane) | 256u : lane;
    CHECK_MESSAGE(got[lane] == wanted, "mode ", Mode, ", lane ", lane);
  }
}

// A group of lanes leaves the warp's path; votes and shuffles of those that stay see only them.
__global__ void apart(u32* out, const u32* in) {
  const u32 lane = threadIdx.x;
  u32 result = 0;
  if (lane % 3 == 0) {
    const u32 mask = 0x49249249u;  // every third lane
    const u32 votes = __ballot_sync(mask, in[lane] > 40);
    result = votes + __shfl_sync(mask, in[lane], 3);
  } else {
    for (u32 k = 0; k < lane; ++k) result += in[k];  // loops of different lengths
  }
  __syncwarp();
  out[lane] = result + __shfl_xor_sync(0xffffffffu, lane, 1);
}

// Eight lanes each, which meet at one instruction with a mask of their own.
__global__ void in_parts(u32* out, const u32* in) {
  const u32 lane = threadIdx.x, members = 0xffu << lane / 8 * 8;
  u32 sum = in[lane];
  for (int by = 4; by > 0; by /= 2) sum += __shfl_xor_sync(members, sum, by);
  out[lane] = sum + (__ballot_sync(members, lane % 2 == 0) >> lane / 8 * 8);
}

// A lock inside a warp: lanes that spin must not keep the one that holds it from going on.
__global__ void locked(u32* out, const u32*) {
  bool done = false;
  while (!done) {
    if (atomicCAS(out + 32, 0u, 1u) == 0u) {
      out[threadIdx.x] = atomicAdd(out + 33, 1u);
      __threadfence();
      atomicExch(out + 32, 0u);
      done = true;
    }
  }
}

// Atomic operations on shared memory, a barrier that reduces, and a prefetch, which does nothing. out: of 70
// threads their turn, then a sum, a maximum, whether any and all had a bit set, and how many had.
__global__ void together(u32* out, const u32* in) {
  __shared__ u32 sum, most, turn;
  if (threadIdx.x == 0) sum = most = turn = 0;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + threadIdx.x));
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  atomicMax(&most, in[threadIdx.x]);
  out[threadIdx.x] = atomicAdd(&turn, 1u);
  const int any = __syncthreads_or(in[threadIdx.x] == 41), all = __syncthreads_and(in[threadIdx.x] > 0);
  const int count = __syncthreads_count(in[threadIdx.x] % 2 == 0);
  if (threadIdx.x != 69) return;
  const u32 found[5]{sum, most, static_cast<u32>(any), static_cast<u32>(all), static_cast<u32>(count)};
  for (int k = 0; k < 5; ++k) out[70 + k] = found[k];
}

bool same(float a, float b) { return std::bit_cast<u32>(a) == std::bit_cast<u32>(b) || (a != a && b != b); }
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return a.size() == b.size();
}

}  // namespace

TEST_CASE("instructions: floats become integers inside their range, and NaN becomes 0") {
  const std::vector<float> x{1.9f, -1.9f, nan32, inf32, -inf32, 3e9f, -3e9f, 2147483520.0f};
  constexpr i32 low = INT32_MIN, high = INT32_MAX;
  CHECK(to_s32(x) == std::vector<i32>{1, -1, 0, high, low, high, low, 2147483520});
  CHECK(to_u32(x) == std::vector<u32>{1, 0, 0, UINT32_MAX, 0, 3000000000u, 0, 2147483520u});
  CHECK(to_s64({1e19f, -1e19f, nan32, -2.5f}) == std::vector<i64>{INT64_MAX, INT64_MIN, 0, -2});
  CHECK(to_u64_from_f64({1e20, -1.0, 1.8e19, 0.9}) ==
        std::vector<u64>{UINT64_MAX, 0, 18000000000000000000u, 0});
  CHECK(nearest_s32({0.5f, 1.5f, 2.5f, -0.5f, -1.5f}) == std::vector<i32>{0, 2, 2, 0, -2});
  CHECK(floor_s32({0.5f, -0.5f, -1.0f}) == std::vector<i32>{0, -1, -1});
}

TEST_CASE("instructions: conversions to floats round as they say") {
  CHECK(same(saturated({-1.0f, 0.25f, 7.0f, nan32, inf32}), {0.0f, 0.25f, 1.0f, 0.0f, 1.0f}));
  CHECK(same(nearest_even({0.5f, 1.5f, -2.5f, 1e10f}), {0.0f, 2.0f, -2.0f, 1e10f}));
  const double between = 1.0 + 0x1p-24;  // half way between two floats
  CHECK(same(narrowed({between, between + 0x1p-40, 1e300, 1e-60}), {1.0f, 1.0f + 0x1p-23f, inf32, 0.0f}));
  CHECK(same(narrowed_to_zero({between + 0x1p-40, -between - 0x1p-40, 1e300}), {1.0f, -1.0f, FLT_MAX}));
  CHECK(same(from_u64({UINT64_MAX, 16777217u, 16777219u}),
             {18446744073709551616.0f, 16777216.0f, 16777220.0f}));
  CHECK(same(from_s64({INT64_MIN, -16777217}), {-9223372036854775808.0f, -16777216.0f}));
  CHECK(sign_extended({-1, 5}) == std::vector<i64>{-1, 5});
  CHECK(low_byte({0x1ffu, 0x17fu, 0x80u}) == std::vector<i32>{-1, 127, -128});
}

TEST_CASE("instructions: integer arithmetic at its edges") {
  CHECK(divided_s32({7, -7, 7, INT32_MIN}, {2, 2, -2, -1}) == std::vector<i32>{3, -3, -3, INT32_MIN});
  CHECK(rest_s32({7, -7, 7, INT32_MIN}, {2, 2, -2, -1}) == std::vector<i32>{1, -1, 1, 0});
  CHECK(divided_u64({UINT64_MAX, 100}, {2, 7}) == std::vector<u64>{UINT64_MAX / 2, 14});
  CHECK(product_high({INT64_MIN, INT64_MAX, -1}, {INT64_MIN, 4, 1}) == std::vector<i64>{i64{1} << 62, 1, -1});
  CHECK(product_high_u32({UINT32_MAX, 65536}, {UINT32_MAX, 65536}) == std::vector<u32>{UINT32_MAX - 1, 1});
  CHECK(product_wide({INT32_MIN, 70000}, {INT32_MIN, -70000}) == std::vector<i64>{i64{1} << 62, -4900000000});
  CHECK(absolute({-5, INT32_MIN}) == std::vector<i32>{5, INT32_MIN});
  CHECK(zeros({0, 1, UINT32_MAX}) == std::vector<u32>{32, 31, 0});
}

TEST_CASE("instructions: shifts by the width or more leave nothing but the sign") {
  CHECK(left_b32({1, 1, 1, 3}, {31, 32, 255, 1}) == std::vector<u32>{0x80000000u, 0, 0, 6});
  CHECK(right_u32({0x80000000u, 0x80000000u, 0x80000000u}, {31, 32, 1000}) == std::vector<u32>{1, 0, 0});
  CHECK(right_s32({-8, -8, 8, 8}, {1, 32, 32, 99}) == std::vector<i32>{-4, -1, 0, 0});
  CHECK(right_s64({INT64_MIN, INT64_MIN}, {63, 64}) == std::vector<i64>{-1, -1});
  CHECK(left_b64({1, 1}, {63, 64}) == std::vector<u64>{u64{1} << 63, 0});
  CHECK(funnel({0x80000001u, 0x12345678u}, {0x70000000u, 0xabcdef01u}, {4, 32}) ==
        std::vector<u32>{0x00000008u, 0xabcdef01u});
  CHECK(bytes({0x03020100u, 0x03020180u}, {0x07060504u, 0u}, {0x7531u, 0x8888u}) ==
        std::vector<u32>{0x07050301u, 0xffffffffu});
  // by hand: -1 * 255 + 2 * 3 + 3 * 2 + 4 * 1 + 10; 0x8000 * 2 + 3 * 255 + 1; -32768 * -1 + 2 * 127
  CHECK(dot_of_bytes({0x040302ffu}, {0x010203ffu}, {10}) ==
        std::vector<u32>{static_cast<u32>(-255 + 16 + 10)});
  CHECK(dot_of_low({0x00038000u}, {0xaabbff02u}, {1}) == std::vector<u32>{0x8000u * 2 + 3 * 255 + 1});
  CHECK(dot_of_high({0x00028000u}, {0x7fff1234u}, {0}) == std::vector<u32>{32768 + 2 * 127});
  CHECK(field({0xabcd1234u, 0xffffffffu}, {8, 28}, {8, 9}) == std::vector<u32>{0x12u, 0xfu});
}

TEST_CASE("instructions: minima, comparisons and signs of what is no number") {
  CHECK(same(smaller({nan32, 1.0f, nan32, 0.0f, -0.0f, 2.0f}, {1.0f, nan32, nan32, -0.0f, 0.0f, 3.0f}),
             {1.0f, 1.0f, nan32, -0.0f, -0.0f, 2.0f}));
  CHECK(same(larger({nan32, 1.0f, nan32, 0.0f, -0.0f, 2.0f}, {1.0f, nan32, nan32, -0.0f, 0.0f, 3.0f}),
             {1.0f, 1.0f, nan32, 0.0f, 0.0f, 3.0f}));
  CHECK(same(smaller_or_nan({nan32, 1.0f, nan32, 0.0f, -0.0f, 2.0f}, {1.0f, nan32, nan32, -0.0f, 0.0f, 3.0f}),
             {nan32, nan32, nan32, -0.0f, -0.0f, 2.0f}));
  CHECK(same(larger_or_nan({nan32, 1.0f, nan32, 0.0f, -0.0f, 2.0f}, {1.0f, nan32, nan32, -0.0f, 0.0f, 3.0f}),
             {nan32, nan32, nan32, 0.0f, 0.0f, 3.0f}));
  CHECK(same(with_sign({-1.0f, 1.0f}, {3.0f, -4.0f}), {-3.0f, 4.0f}));
  const std::vector<float> a{1.0f, 1.0f, 2.0f, nan32, -0.0f}, b{1.0f, 2.0f, 1.0f, 1.0f, 0.0f};
  CHECK(equal(a, b) == std::vector<u32>{1, 0, 0, 0, 1});
  CHECK(different(a, b) == std::vector<u32>{0, 1, 1, 0, 0});
  CHECK(less(a, b) == std::vector<u32>{0, 1, 0, 0, 0});
  CHECK(equal_or_nan(a, b) == std::vector<u32>{1, 0, 0, 1, 1});
  CHECK(different_or_nan(a, b) == std::vector<u32>{0, 1, 1, 1, 0});
  CHECK(less_or_nan(a, b) == std::vector<u32>{0, 1, 0, 1, 0});
  CHECK(at_least_or_nan(a, b) == std::vector<u32>{1, 0, 1, 1, 1});
  CHECK(numbers_both(a, b) == std::vector<u32>{1, 1, 1, 0, 1});
  CHECK(any_nan(a, b) == std::vector<u32>{0, 0, 0, 1, 0});
}

TEST_CASE("instructions: directed roundings and the one of a fused product") {
  const float tiny = 0x1p-30f;
  CHECK(same(sum_to_zero({1.0f, -1.0f}, {-tiny, tiny}), {1.0f - 0x1p-24f, -1.0f + 0x1p-24f}));
  CHECK(same(sum_nearest({1.0f, 1.0f}, {-tiny, 0x1p-24f}), {1.0f, 1.0f}));
  const float x = 1.0f + 0x1p-12f;  // x x = 1 + 2^-11 + 2^-24
  CHECK(same(fused({x, x}, {x, -x}, {-1.0f, 1.0f}), {0x1p-11f + 0x1p-24f, -0x1p-11f - 0x1p-24f}));
  CHECK(same(fused_down({x, -x}, {x, x}, {0.0f, 0.0f}), {1.0f + 0x1p-11f, -1.0f - 0x1p-11f - 0x1p-23f}));
  CHECK(same(fused_to_zero({x, -x}, {x, x}, {0.0f, 0.0f}), {1.0f + 0x1p-11f, -1.0f - 0x1p-11f}));
  CHECK(same(root({4.0f, 2.0f, -1.0f}), {2.0f, 1.41421354f, nan32}));
}

TEST_CASE("instructions: approximate ones are as near as their bounds") {
  const std::vector<float> x{0.0f, 1.0f, -3.5f, 10.25f, 0.7f, -120.0f};
  const auto powers = power_of_two(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double wanted = std::exp2(static_cast<double>(x[i]));
    CHECK(std::abs(static_cast<double>(powers[i]) - wanted) <= wanted * 0x1p-22);
  }
  CHECK(same(power_of_two({-inf32, inf32, -140.0f}), {0.0f, inf32, 0.0f}));
  const std::vector<float> y{1.0f, 8.0f, 0.3f, 1e20f};
  const auto logs = logarithm(y);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(std::abs(static_cast<double>(logs[i]) - std::log2(static_cast<double>(y[i]))) <=
          std::max(1.0, std::abs(std::log2(static_cast<double>(y[i])))) * 0x1p-22);
  CHECK(same(logarithm({0.0f, -1.0f}), {-inf32, nan32}));
  const auto quotients =
      divided_flushed({1.0f, -7.0f, 1e-40f, 1.0f, 1e-30f}, {3.0f, 0.5f, 1.0f, 1e-40f, 1e10f});
  CHECK(quotients[0] == doctest::Approx(1.0f / 3).epsilon(1e-6));
  CHECK(quotients[1] == doctest::Approx(-14).epsilon(1e-6));
  CHECK(quotients[2] == 0);
  CHECK(std::isinf(quotients[3]));
  CHECK(quotients[4] == 0);
  const auto seeds = reciprocal_seed({3.0, -0.1, 1e-310});
  CHECK(std::abs(seeds[0] * 3 - 1) < 0x1p-19);
  CHECK(std::abs(seeds[1] * -0.1 - 1) < 0x1p-19);
  CHECK(std::isinf(seeds[2]));
  CHECK((std::bit_cast<u64>(seeds[0]) & 0xffffffffu) == 0);
}

TEST_CASE("instructions: shuffles keep their own value where the source is out of range") {
  check_shuffle<0>(
      3, 0, [](u32 i) { return i - 3; }, [](u32 i) { return i >= 3; });
  check_shuffle<1>(
      5, 31, [](u32 i) { return i + 5; }, [](u32 i) { return i + 5 < 32; });
  check_shuffle<2>(
      8, 31, [](u32 i) { return i ^ 8u; }, [](u32) { return true; });
  check_shuffle<3>(
      17, 31, [](u32) { return 17u; }, [](u32) { return true; });
  // in segments of 8 lanes: the mask 24 stands in bits 8 to 12
  check_shuffle<0>(
      3, 24 << 8, [](u32 i) { return i - 3; }, [](u32 i) { return i % 8 >= 3; });
  check_shuffle<1>(
      3, 24 << 8 | 31, [](u32 i) { return i + 3; }, [](u32 i) { return i % 8 + 3 < 8; });
  check_shuffle<3>(
      2, 24 << 8 | 31, [](u32 i) { return i / 8 * 8 + 2; }, [](u32) { return true; });
}

TEST_CASE("instructions: lanes that went apart vote among themselves, meet again, and take locks in turn") {
  std::vector<u32> in(32);
  for (u32 i = 0; i < 32; ++i) in[i] = 2 * i;
  const auto got = run(apart, u32{}, in);
  u32 votes = 0, sum = 0;
  for (u32 i = 0; i < 32; i += 3)
    if (in[i] > 40) votes |= 1u << i;
  for (u32 i = 0; i < 32; ++i) {
    const u32 wanted = i % 3 == 0 ? votes + in[3] : sum;
    CHECK(got[i] == wanted + (i ^ 1u));
    sum += in[i];
  }
  const auto parts = run(in_parts, u32{}, in);
  for (u32 i = 0; i < 32; ++i) CHECK(parts[i] == 8 * in[i / 8 * 8] + 56 + 0x55u);
  DeviceBuffer memory(34 * sizeof(u32));
  cuda_check(cudaMemset(memory.data(), 0, memory.size()), "cudaMemset");
  locked<<<1, 32>>>(reinterpret_cast<u32*>(memory.data()), nullptr);
  std::vector<u32> turns(34);
  cuda_check(cudaMemcpy(turns.data(), memory.data(), memory.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  u32 seen = 0;
  for (u32 i = 0; i < 32; ++i) seen |= 1u << turns[i];
  CHECK(seen == 0xffffffffu);
  CHECK(turns[33] == 32);
}

TEST_CASE("instructions: threads of a block add up in shared memory, and vote at barriers") {
  std::vector<u32> in(75, 1000);
  for (u32 k = 0; k < 70; ++k) in[k] = k + 1;
  const DeviceBuffer from(75 * sizeof(u32)), to(75 * sizeof(u32));
  cuda_check(cudaMemcpy(from.data(), in.data(), from.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  together<<<1, 70>>>(reinterpret_cast<u32*>(to.data()), reinterpret_cast<const u32*>(from.data()));
  std::vector<u32> out(75);
  cuda_check(cudaMemcpy(out.data(), to.data(), to.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  CHECK(std::vector<u32>(out.begin() + 70, out.end()) == std::vector<u32>{70 * 71 / 2, 70, 1, 1, 35});
  std::vector<bool> seen(70, false);
  for (u32 k = 0; k < 70; ++k) seen[out[k]] = true;
  CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
}
