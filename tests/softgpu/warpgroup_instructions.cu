// The product of a warpgroup, wgmma.mma_async. Where an element lies in registers and in shared memory is
// written down here as the ISA's tables have it, and products are plain loops over the matrices.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "softgpu/transfer.cuh"

namespace {

using namespace softgpu_test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr int group_threads = 128, group_rows = 64;  // of a warpgroup
constexpr int steps = 4, step_depth = 16, depth = steps * step_depth;
constexpr u16 nan16 = 0x7fff;  // in both formats
constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();

// The bits of numbers that the format holds exactly.
struct Bf16 {
  static constexpr int mantissa = 7;
  static u16 bits(float x) { return static_cast<u16>(std::bit_cast<u32>(x) >> 16); }
};
struct F16 {
  static constexpr int mantissa = 10;
  static u16 bits(float x) {
    const u16 sign = std::signbit(x) ? 0x8000 : 0;
    if (x == 0) return sign;
    int exponent = 0;
    const float fraction = std::frexp(std::fabs(x), &exponent);  // in [1/2, 1)
    return static_cast<u16>(sign | (exponent + 14) << 10 |
                            (static_cast<int>(std::ldexp(fraction, 11)) & 0x3ff));
  }
};

// ---- the ISA's tables ----

struct Place {
  int row, column;
};
// Element i of a thread's 16-bit numbers of A (64 x 16), two in a register.
Place a_fragment(int thread, int i) {
  const int warp = thread / 32 % 4, group = thread % 32 >> 2, in_group = thread % 4;
  const bool upper = i < 2 || (4 <= i && i < 6);
  return {16 * warp + (upper ? group : group + 8), in_group * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
// Element i of a thread's numbers of D (64 x N).
Place d_fragment(int thread, int i) {
  const int warp = thread / 32 % 4, group = thread % 32 >> 2, in_group = thread % 4;
  return {16 * warp + (i % 4 < 2 ? group : group + 8), i / 4 * 8 + in_group * 2 + (i & 1)};
}

// A swizzling of 128, 64 or 32 bytes: chunks of 16 bytes change places as bits of their address say.
struct Swizzling {
  u32 row_bytes;
  u64 code;  // in a descriptor
  u32 place(u32 address) const {
    u32 chunk = address >> 4;
    if (row_bytes == 128) chunk ^= address >> 7 & 7;
    if (row_bytes == 64) chunk ^= address >> 7 & 3;
    if (row_bytes == 32) chunk ^= address >> 7 & 1;
    return chunk << 4 | (address & 15);
  }
};
constexpr Swizzling swizzlings[] = {{128, 1}, {64, 2}, {32, 3}};

// A matrix in shared memory: panels of as many columns as a swizzled row has, groups of eight rows in each.
struct Layout {
  Swizzling swizzling;
  u32 begin, panel_stride, group_stride;  // bytes
  u32 end;

  // Panels one behind another, or side by side in each group of rows; with places that nothing uses.
  static Layout of(const Swizzling& s, u32 begin, int rows, int columns, bool side_by_side) {
    const u32 group = 8 * s.row_bytes, groups = static_cast<u32>(rows) / 8,
              panels = static_cast<u32>(columns) * 2 / s.row_bytes;
    Layout l{s, begin, (groups + 2) * group, group, 0};
    if (side_by_side) l.panel_stride = group, l.group_stride = (panels + 1) * group;
    l.end = begin + (side_by_side ? groups * l.group_stride : panels * l.panel_stride);
    l.end = (l.end + 1023) / 1024 * 1024;
    return l;
  }
  int panel() const { return static_cast<int>(swizzling.row_bytes / 2); }
  u32 unswizzled(int row, int column) const {
    return begin + static_cast<u32>(column / panel()) * panel_stride +
           static_cast<u32>(row / 8) * group_stride + static_cast<u32>(row % 8) * swizzling.row_bytes +
           static_cast<u32>(column % panel()) * 2;
  }
  u32 place(int row, int column) const { return swizzling.place(unswizzled(row, column)); }
  // What the instruction is told of the part that begins at `row` and `column`, where the begin of shared
  // memory is 0. Bytes in units of 16: bits 0 to 13 the address, 16 to 29 from a panel to the next (unused
  // where rows lie along the depth, of which an instruction has one panel's), 32 to 45 from a group of rows
  // to the next; 62 and 63 the swizzling.
  u64 descriptor(int row, int column, bool across) const {
    return u64{unswizzled(row, column) >> 4} | u64{across ? panel_stride >> 4 : 1} << 16 |
           u64{group_stride >> 4} << 32 | swizzling.code << 62;
  }
};

// ---- the instruction ----

// Numbers of operands, and the sums c[0] to c[count - 1] as operands.
#define TEN(T) \
  "%" #T "0, %" #T "1, %" #T "2, %" #T "3, %" #T "4, %" #T "5, %" #T "6, %" #T "7, %" #T "8, %" #T "9, "
#define NAMES_4 "%0, %1, %2, %3"
#define NAMES_8 NAMES_4 ", %4, %5, %6, %7"
#define NAMES_16 TEN() "%10, %11, %12, %13, %14, %15"
#define NAMES_32 TEN() TEN(1) TEN(2) "%30, %31"
#define NAMES_64 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63"
#define NAMES_128 \
  TEN()           \
  TEN(1)          \
  TEN(2)          \
  TEN(3)          \
  TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_4(I) "+f"(c[I]), "+f"(c[I + 1]), "+f"(c[I + 2]), "+f"(c[I + 3])
#define SUMS_8(I) SUMS_4(I), SUMS_4(I + 4)
#define SUMS_16(I) SUMS_8(I), SUMS_8(I + 8)
#define SUMS_32(I) SUMS_16(I), SUMS_16(I + 16)
#define SUMS_64(I) SUMS_32(I), SUMS_32(I + 32)
#define SUMS_128(I) SUMS_64(I), SUMS_64(I + 64)

// P0 to P6: the names of the operands behind the sums.
#define PRODUCT(N, TYPE, COUNT, P0, P1, P2, P3, P4, P5, P6)                                             \
  if constexpr (RegistersOfA)                                                                           \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " P5 ", 0; wgmma.mma_async.sync.aligned.m64n" N         \
                 "k16.f32." TYPE "." TYPE " {" NAMES_##COUNT "}, {" P0 ", " P1 ", " P2 ", " P3 "}, " P4 \
                                                             ", p, 1, 1, " P6 ";}"                      \
                 : SUMS_##COUNT(0)                                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds), "n"(int{Across})      \
                 : "memory");                                                                           \
  else                                                                                                  \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " P2 ", 0; wgmma.mma_async.sync.aligned.m64n" N         \
                 "k16.f32." TYPE "." TYPE " {" NAMES_##COUNT "}, " P0 ", " P1 ", p, 1, 1, 0, " P3 ";}"  \
                 : SUMS_##COUNT(0)                                                                      \
                 : "l"(a_at), "l"(b), "r"(adds), "n"(int{Across})                                       \
                 : "memory")
#define PRODUCT_OF_BOTH(N, COUNT, ...)        \
  if constexpr (std::is_same_v<Type, Bf16>) { \
    PRODUCT(#N, "bf16", COUNT, __VA_ARGS__);  \
  } else {                                    \
    PRODUCT(#N, "f16", COUNT, __VA_ARGS__);   \
  }

// c = a b, to which the old c is added where `adds`. A comes from registers or from where a_at says. Across:
// B's rows in shared memory lie across the depth.
template <class Type, int N, bool RegistersOfA, bool Across>
__device__ __forceinline__ void begin_product(float (&c)[N / 2], const u32 (&a)[4], u64 a_at, u64 b,
                                              int adds) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  static_assert(N == 8 || N == 16 || N == 32 || N == 64 || N == 128 || N == 256);
  if constexpr (N == 8) PRODUCT_OF_BOTH(8, 4, "%4", "%5", "%6", "%7", "%8", "%9", "%10")
  if constexpr (N == 16) PRODUCT_OF_BOTH(16, 8, "%8", "%9", "%10", "%11", "%12", "%13", "%14")
  if constexpr (N == 32) PRODUCT_OF_BOTH(32, 16, "%16", "%17", "%18", "%19", "%20", "%21", "%22")
  if constexpr (N == 64) PRODUCT_OF_BOTH(64, 32, "%32", "%33", "%34", "%35", "%36", "%37", "%38")
  if constexpr (N == 128) PRODUCT_OF_BOTH(128, 64, "%64", "%65", "%66", "%67", "%68", "%69", "%70")
  if constexpr (N == 256) PRODUCT_OF_BOTH(256, 128, "%128", "%129", "%130", "%131", "%132", "%133", "%134")
#endif
}

struct Descriptors {
  u64 a[2][steps];  // of each warpgroup
  u64 b[steps];
};

// Every warpgroup multiplies 64 rows of A with B. `image`: what shared memory holds; sums and registers lie
// thread by thread.
template <class Type, int N, bool RegistersOfA, bool Across>
__global__ void multiply(float* d, const u32* fragments, const u32* image, u32 words, Descriptors at,
                         int adds) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) u32 shared[];
  for (u32 i = threadIdx.x; i < words; i += blockDim.x) shared[i] = image[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const u64 begin = __cvta_generic_to_shared(shared) >> 4;
  u32 a[steps][4]{};
  if (RegistersOfA)
    for (int s = 0; s < steps; ++s)
      for (int r = 0; r < 4; ++r) a[s][r] = fragments[(threadIdx.x * steps + s) * 4 + r];
  float c[N / 2];
  for (int i = 0; i < N / 2; ++i) c[i] = d[threadIdx.x * (N / 2) + i];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int s = 0; s < steps; ++s)
    begin_product<Type, N, RegistersOfA, Across>(
        c, a[s], (threadIdx.x < group_threads ? at.a[0][s] : at.a[1][s]) + begin, at.b[s] + begin,
        adds != 0 || s > 0 ? 1 : 0);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < N / 2; ++i) {
    asm volatile("" : "+f"(c[i])::"memory");
    d[threadIdx.x * (N / 2) + i] = c[i];
  }
#endif
}

__global__ void find_target(int* has_it) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  *has_it = 1;
#else
  *has_it = 0;
#endif
}
bool runs_warpgroup_products() {
  const DeviceBuffer has_it(sizeof(int));
  find_target<<<1, 1>>>(pointer<int>(has_it));
  if (download<int>(has_it)[0] == 1) return true;
  MESSAGE("the device runs an older target's code, which has no products of warpgroups");
  return false;
}

// ---- whole products ----

struct Matrices {
  int rows, columns;
  std::vector<float> a, b, c;  // rows x depth, depth x columns, rows x columns, row by row

  template <class F>
  Matrices(int m, int n, F number) : rows(m), columns(n) {
    for (int i = 0; i < m * depth; ++i) a.push_back(number());
    for (int i = 0; i < n * depth; ++i) b.push_back(number());
    for (int i = 0; i < m * n; ++i) c.push_back(number());
  }
  float a_at(int m, int k) const { return a[static_cast<std::size_t>(m * depth + k)]; }
  float b_at(int k, int n) const { return b[static_cast<std::size_t>(k * columns + n)]; }
  std::size_t c_index(int m, int n) const { return static_cast<std::size_t>(m * columns + n); }
};

// How the matrices lie in shared memory.
struct Arrangement {
  Swizzling a, b;
  bool side_by_side;
};

// D as the instruction makes it, row by row.
template <class Type, int N, bool RegistersOfA, bool Across>
std::vector<float> multiplied(const Matrices& x, const Arrangement& how, bool adds) {
  const int threads = x.rows / group_rows * group_threads;
  const Layout a = Layout::of(how.a, 0, x.rows, depth, how.side_by_side);
  const u32 b_begin = RegistersOfA ? 1024 : a.end;
  const Layout b = Across ? Layout::of(how.b, b_begin, depth, N, how.side_by_side)
                          : Layout::of(how.b, b_begin, N, depth, how.side_by_side);
  std::vector<u32> image(b.end / 4, u32{nan16} << 16 | nan16);
  bool apart = true;  // no two elements have one place
  const auto store = [&](u32 at, float value) {
    u32& word = image[at / 4];
    const int shift = at % 4 * 8;
    apart = apart && (word >> shift & 0xffff) == nan16;
    word = (word & ~(0xffffu << shift)) | u32{Type::bits(value)} << shift;
  };
  for (int k = 0; k < depth; ++k) {
    for (int m = 0; m < x.rows && !RegistersOfA; ++m) store(a.place(m, k), x.a_at(m, k));
    for (int n = 0; n < N; ++n) store(Across ? b.place(k, n) : b.place(n, k), x.b_at(k, n));
  }
  REQUIRE(apart);
  Descriptors at{};
  for (int s = 0; s < steps; ++s) {
    const int k = s * step_depth;
    for (int g = 0; g * group_rows < x.rows; ++g) at.a[g][s] = a.descriptor(g * group_rows, k, false);
    at.b[s] = Across ? b.descriptor(k, 0, true) : b.descriptor(0, k, false);
  }

  std::vector<u32> fragments(static_cast<std::size_t>(threads * steps * 4));
  std::vector<float> sums(static_cast<std::size_t>(threads * N / 2));
  const auto sum = [&](int thread, int i) -> float& {
    return sums[static_cast<std::size_t>(thread * (N / 2) + i)];
  };
  const auto first_row = [](int thread) { return thread / group_threads * group_rows; };
  for (int thread = 0; thread < threads; ++thread) {
    for (int s = 0; s < steps; ++s)
      for (int i = 0; i < 8; ++i) {
        const Place p = a_fragment(thread, i);
        fragments[static_cast<std::size_t>((thread * steps + s) * 4 + i / 2)] |=
            u32{Type::bits(x.a_at(first_row(thread) + p.row, s * step_depth + p.column))} << (16 * (i % 2));
      }
    for (int i = 0; i < N / 2; ++i) {
      const Place p = d_fragment(thread, i);
      sum(thread, i) = adds ? x.c[x.c_index(first_row(thread) + p.row, p.column)] : nan32;
    }
  }

  const auto kernel = &multiply<Type, N, RegistersOfA, Across>;
  cuda_check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(b.end)),
      "cudaFuncSetAttribute");
  const DeviceBuffer d = upload(sums), a_there = upload(fragments), image_there = upload(image);
  kernel<<<1, static_cast<unsigned>(threads), b.end>>>(pointer<float>(d), pointer<u32>(a_there),
                                                       pointer<u32>(image_there),
                                                       static_cast<u32>(image.size()), at, adds ? 1 : 0);
  sums = download<float>(d);
  std::vector<float> result(x.c.size(), nan32);
  for (int thread = 0; thread < threads; ++thread)
    for (int i = 0; i < N / 2; ++i) {
      const Place p = d_fragment(thread, i);
      result[x.c_index(first_row(thread) + p.row, p.column)] = sum(thread, i);
    }
  return result;
}

// How many results are further off than they may be: each term of a step may lose less than the last of the
// 24 bits of the largest, and the sum is rounded. Of whole numbers nothing is lost.
int wrong(const Matrices& x, const std::vector<float>& results, bool adds, bool whole) {
  int count = 0;
  for (int m = 0; m < x.rows; ++m)
    for (int n = 0; n < x.columns; ++n) {
      double sum = adds ? static_cast<double>(x.c[x.c_index(m, n)]) : 0, bound = 0;
      for (int k = 0; k < depth; k += step_depth) {
        double largest = std::fabs(sum);
        for (int i = k; i < k + step_depth; ++i) {
          const double term = static_cast<double>(x.a_at(m, i)) * static_cast<double>(x.b_at(i, n));
          sum += term;
          largest = std::fmax(largest, std::fabs(term));
        }
        bound += (step_depth + 1) * std::ldexp(largest, -23) + std::fabs(sum) * 0x1p-23;
      }
      const double apart = std::fabs(static_cast<double>(results[x.c_index(m, n)]) - sum);
      count += apart <= (whole ? 0 : bound) ? 0 : 1;  // a NaN is wrong
    }
  return count;
}

template <class Type, int N, bool RegistersOfA, bool Across>
void check(int warpgroups) {
  std::mt19937 random(static_cast<unsigned>(N + warpgroups));
  const Matrices whole(warpgroups * group_rows, N,
                       [&] { return static_cast<float>(static_cast<int>(random() % 31) - 15); });
  const Matrices any(warpgroups * group_rows, N, [&] {
    const int digits = static_cast<int>(random() % (1u << Type::mantissa)) + (1 << Type::mantissa);
    const float x =
        std::ldexp(static_cast<float>(digits), static_cast<int>(random() % 5) - Type::mantissa - 2);
    return random() % 2 == 0 ? x : -x;
  });
  int number = 0;
  for (const Swizzling& of_b : swizzlings) {
    if (Across && N % static_cast<int>(of_b.row_bytes / 2) != 0) continue;
    for (const Swizzling& of_a : swizzlings) {
      if (RegistersOfA && of_a.row_bytes != 128) continue;
      for (const bool side_by_side : {false, true}) {
        const bool adds = ++number % 2 == 0;
        INFO("n ", N, ", ", warpgroups, " warpgroups, A in ", RegistersOfA ? "registers" : "shared memory",
             " in rows of ", of_a.row_bytes, " bytes, B in rows of ", of_b.row_bytes,
             Across ? " across" : " along", " the depth, panels ",
             side_by_side ? "side by side" : "one behind another", adds ? ", added" : "");
        const Arrangement how{of_a, of_b, side_by_side};
        for (const bool added : {false, true})
          CHECK(wrong(whole, multiplied<Type, N, RegistersOfA, Across>(whole, how, added), added, true) == 0);
        CHECK(wrong(any, multiplied<Type, N, RegistersOfA, Across>(any, how, adds), adds, false) == 0);
      }
    }
  }
}
template <class Type, int N>
void check() {
  for (const int warpgroups : {1, 2}) {
    check<Type, N, false, false>(warpgroups);
    check<Type, N, true, false>(warpgroups);
    if constexpr (N > 8) check<Type, N, false, true>(warpgroups);
    if constexpr (N > 8) check<Type, N, true, true>(warpgroups);
  }
}

}  // namespace

TEST_CASE("instructions: products of warpgroups, of bf16") {
  if (!runs_warpgroup_products()) return;
  check<Bf16, 8>();
  check<Bf16, 16>();
  check<Bf16, 32>();
  check<Bf16, 64>();
  check<Bf16, 128>();
  check<Bf16, 256>();
}

TEST_CASE("instructions: products of warpgroups, of f16") {
  if (!runs_warpgroup_products()) return;
  check<F16, 8>();
  check<F16, 64>();
  check<F16, 256>();
}
