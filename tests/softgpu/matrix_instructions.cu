// Instructions of matrices: mma.sync, ldmatrix and conversions to what they take. Where an element
// of a matrix lies is written down here shape by shape, as the ISA's tables have it, and products are plain
// loops over the matrices.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "softgpu/transfer.cuh"

namespace {

using namespace softgpu_test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

constexpr int lanes = 32, m_size = 16, n_size = 8;
constexpr float nan32 = std::numeric_limits<float>::quiet_NaN(),
                inf32 = std::numeric_limits<float>::infinity();

// The bits of numbers that the format holds exactly.
u32 bf16_bits(float x) { return std::bit_cast<u32>(x) >> 16; }
u32 tf32_bits(float x) { return std::bit_cast<u32>(x); }
u32 f16_bits(float x) {
  if (x == 0) return std::signbit(x) ? 0x8000u : 0u;
  const u32 sign = std::signbit(x) ? 0x8000u : 0u;
  if (std::isnan(x)) return sign | 0x7e00u;
  if (std::isinf(x)) return sign | 0x7c00u;
  int exponent = 0;
  const float mantissa = std::frexp(std::fabs(x), &exponent);  // in [1/2, 1)
  return sign | static_cast<u32>(exponent + 14) << 10 | (static_cast<u32>(std::ldexp(mantissa, 11)) & 0x3ffu);
}

struct Place {
  int row, column;
};

// ---- the ISA's tables: where element i of a lane's fragment lies ----

Place accumulator(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  return {i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
}
struct Deep16 {  // m16n8k16 of 16 bits
  static constexpr int depth = 16, a_elements = 8, b_elements = 4, per_register = 2;
  static Place a(int lane, int i) {
    const int group = lane >> 2, in_group = lane % 4;
    const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
    return {upper ? group : group + 8, i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8};
  }
  static Place b(int lane, int i) {
    const int group = lane >> 2, in_group = lane % 4;
    return {i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8, group};
  }
};
struct Deep8 {  // m16n8k8 of 16 bits
  static constexpr int depth = 8, a_elements = 4, b_elements = 2, per_register = 2;
  static Place a(int lane, int i) {
    const int group = lane >> 2, in_group = lane % 4;
    return {i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
  }
  static Place b(int lane, int i) { return {lane % 4 * 2 + i, lane >> 2}; }
};
struct Deep8Tf32 {  // m16n8k8 of TF32
  static constexpr int depth = 8, a_elements = 4, b_elements = 2, per_register = 1;
  static Place a(int lane, int i) {
    const int group = lane >> 2, in_group = lane % 4;
    return {i == 0 || i == 2 ? group : group + 8, i == 0 || i == 1 ? in_group : in_group + 4};
  }
  static Place b(int lane, int i) { return {i == 0 ? lane % 4 : lane % 4 + 4, lane >> 2}; }
};
struct Deep4Tf32 {  // m16n8k4 of TF32
  static constexpr int depth = 4, a_elements = 2, b_elements = 1, per_register = 1;
  static Place a(int lane, int i) { return {i == 0 ? lane >> 2 : (lane >> 2) + 8, lane % 4}; }
  static Place b(int lane, int) { return {lane % 4, lane >> 2}; }
};

// ---- the instructions, registers of a fragment one after another ----

using Product = void (*)(float* d, const u32* a, const u32* b, const float* c);

// Four registers of A, two of B; or two and one. The results replace C.
#define PRODUCT_42(NAME, CODE)                                                                            \
  __global__ void NAME(float* d, const u32* a, const u32* b, const float* c) {                            \
    const u32 l = threadIdx.x;                                                                            \
    float x = c[l], y = c[l + 32], z = c[l + 64], w = c[l + 96];                                          \
    asm volatile(CODE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                  \
                 : "+f"(x), "+f"(y), "+f"(z), "+f"(w)                                                     \
                 : "r"(a[l]), "r"(a[l + 32]), "r"(a[l + 64]), "r"(a[l + 96]), "r"(b[l]), "r"(b[l + 32])); \
    d[l] = x, d[l + 32] = y, d[l + 64] = z, d[l + 96] = w;                                                \
  }
#define PRODUCT_21(NAME, CODE)                                                                      \
  __global__ void NAME(float* d, const u32* a, const u32* b, const float* c) {                      \
    const u32 l = threadIdx.x;                                                                      \
    float x, y, z, w;                                                                               \
    asm volatile(CODE " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"                       \
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)                                               \
                 : "r"(a[l]), "r"(a[l + 32]), "r"(b[l]), "f"(c[l]), "f"(c[l + 32]), "f"(c[l + 64]), \
                   "f"(c[l + 96]));                                                                 \
    d[l] = x, d[l + 32] = y, d[l + 64] = z, d[l + 96] = w;                                          \
  }
PRODUCT_42(bf16_16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
PRODUCT_42(f16_16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
PRODUCT_21(bf16_8, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")
PRODUCT_21(f16_8, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
PRODUCT_42(tf32_8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
PRODUCT_21(tf32_4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")

struct Matrices {
  std::vector<float> a, b, c;  // 16 x depth, depth x 8, 16 x 8, row by row
};

// The registers of all lanes; `ignored` fills bits that the instruction does not look at.
template <class Shape>
std::vector<u32> fragments(const std::vector<float>& matrix, int elements, int columns,
                           Place (*place)(int, int), u32 (*bits)(float), u32 ignored) {
  std::vector<u32> registers(static_cast<std::size_t>(elements / Shape::per_register * lanes), ignored);
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < elements; ++i) {
      const Place p = place(lane, i);
      registers[static_cast<std::size_t>(i / Shape::per_register * lanes + lane)] |=
          bits(matrix[static_cast<std::size_t>(p.row * columns + p.column)])
          << (16 * (i % Shape::per_register));
    }
  return registers;
}

// D as the instruction makes it, row by row.
template <class Shape>
std::vector<float> multiply(Product product, u32 (*bits)(float), const Matrices& x, u32 ignored = 0) {
  const DeviceBuffer a =
      upload(fragments<Shape>(x.a, Shape::a_elements, Shape::depth, Shape::a, bits, ignored));
  const DeviceBuffer b = upload(fragments<Shape>(x.b, Shape::b_elements, n_size, Shape::b, bits, ignored));
  std::vector<float> c(4 * lanes), d(m_size * n_size);
  const auto at = [](int lane, int i) {
    const Place p = accumulator(lane, i);
    return static_cast<std::size_t>(p.row * n_size + p.column);
  };
  const auto held = [](int lane, int i) { return static_cast<std::size_t>(i * lanes + lane); };
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < 4; ++i) c[held(lane, i)] = x.c[at(lane, i)];
  const DeviceBuffer c_there = upload(c), d_there(c.size() * sizeof(float));
  product<<<1, lanes>>>(pointer<float>(d_there), pointer<u32>(a), pointer<u32>(b), pointer<float>(c_there));
  const auto got = download<float>(d_there);
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < 4; ++i) d[at(lane, i)] = got[held(lane, i)];
  return d;
}

template <class F>
Matrices made(int depth, F number) {
  Matrices x;
  for (int i = 0; i < m_size * depth; ++i) x.a.push_back(number());
  for (int i = 0; i < n_size * depth; ++i) x.b.push_back(number());
  for (int i = 0; i < m_size * n_size; ++i) x.c.push_back(number());
  return x;
}

// Each sum and the largest of its terms.
template <class F>
void each_sum(const Matrices& x, int depth, F f) {
  for (int m = 0; m < m_size; ++m)
    for (int n = 0; n < n_size; ++n) {
      double sum = static_cast<double>(x.c[static_cast<std::size_t>(m * n_size + n)]);
      double largest = std::fabs(sum);
      for (int k = 0; k < depth; ++k) {
        const double term = static_cast<double>(x.a[static_cast<std::size_t>(m * depth + k)]) *
                            static_cast<double>(x.b[static_cast<std::size_t>(k * n_size + n)]);
        sum += term;
        largest = std::fmax(largest, std::fabs(term));
      }
      f(static_cast<std::size_t>(m * n_size + n), sum, largest);
    }
}

template <class Shape>
void check(Product product, u32 (*bits)(float), int mantissa, u32 ignored = 0) {
  constexpr int depth = Shape::depth;
  std::mt19937 random(depth);
  // whole numbers: no sum has anything to round
  const Matrices whole =
      made(depth, [&] { return static_cast<float>(static_cast<int>(random() % 31) - 15); });
  const auto exact = multiply<Shape>(product, bits, whole, ignored);
  each_sum(whole, depth,
           [&](std::size_t i, double sum, double) { CHECK(static_cast<double>(exact[i]) == sum); });
  // Any: each term may lose less than the last of the largest's 24 bits, and the sum is rounded. Products of
  // two large numbers want all bits of both.
  const Matrices any = made(depth, [&] {
    const int digits = static_cast<int>(random() % (1u << mantissa)) + (1 << mantissa);
    const float x = std::ldexp(static_cast<float>(digits), static_cast<int>(random() % 5) - mantissa - 2);
    return random() % 2 == 0 ? x : -x;
  });
  const auto near = multiply<Shape>(product, bits, any, ignored);
  each_sum(any, depth, [&](std::size_t i, double sum, double largest) {
    const double bound = (depth + 1) * std::ldexp(largest, -23) + std::fabs(sum) * 0x1p-23;
    CHECK(std::fabs(static_cast<double>(near[i]) - sum) <= bound);
  });
  // what is no number stays in its row and column
  Matrices odd = whole;
  odd.a[0] = inf32;  // row 0
  odd.b[0] = 0;      // times infinity: column 0
  for (std::size_t n = 1; n < n_size; ++n) odd.b[n] = n % 2 == 0 ? 2.0f : -2.0f;
  odd.c[n_size + 3] = nan32;
  const auto beyond = multiply<Shape>(product, bits, odd);
  CHECK(std::isnan(beyond[0]));
  for (std::size_t n = 1; n < n_size; ++n) CHECK(beyond[n] == (n % 2 == 0 ? inf32 : -inf32));
  for (std::size_t i = n_size; i < beyond.size(); ++i) CHECK(std::isnan(beyond[i]) == (i == n_size + 3));
}

// ---- ldmatrix ----

constexpr int stride = 24;  // elements from a row to the next: a row is 8 of them

// Rows lie in the order of `order`; lanes that give no address have one outside.
template <int Count, bool Transposed>
__global__ void load_matrices(u32* out, const u16* in, const u32* order) {
  __shared__ __align__(16) u16 rows[32 * stride];
  const u32 l = threadIdx.x;
  for (u32 i = 0; i < 8; ++i) rows[l * stride + i] = in[l * 8 + i];
  __syncwarp();
  const u32 begin = static_cast<u32>(__cvta_generic_to_shared(rows));
  const u32 at = l < 8 * Count ? begin + order[l] * stride * 2 : 0xfffffff0u;
  u32 x = 0, y = 0, z = 0, w = 0;
#define LOAD(NUMBER, TRANS, REGISTERS, ADDRESS, ...)                                                  \
  asm volatile("ldmatrix.sync.aligned.m8n8." NUMBER TRANS ".shared.b16 " REGISTERS ", [" ADDRESS "];" \
               : __VA_ARGS__                                                                          \
               : "r"(at)                                                                              \
               : "memory")
  if constexpr (Count == 1 && !Transposed) LOAD("x1", "", "{%0}", "%1", "=r"(x));
  if constexpr (Count == 1 && Transposed) LOAD("x1", ".trans", "{%0}", "%1", "=r"(x));
  if constexpr (Count == 2 && !Transposed) LOAD("x2", "", "{%0, %1}", "%2", "=r"(x), "=r"(y));
  if constexpr (Count == 2 && Transposed) LOAD("x2", ".trans", "{%0, %1}", "%2", "=r"(x), "=r"(y));
  if constexpr (Count == 4 && !Transposed)
    LOAD("x4", "", "{%0, %1, %2, %3}", "%4", "=r"(x), "=r"(y), "=r"(z), "=r"(w));
  if constexpr (Count == 4 && Transposed)
    LOAD("x4", ".trans", "{%0, %1, %2, %3}", "%4", "=r"(x), "=r"(y), "=r"(z), "=r"(w));
#undef LOAD
  out[l] = x, out[l + 32] = y, out[l + 64] = z, out[l + 96] = w;
}

template <int Count, bool Transposed>
void check_load() {
  std::vector<u16> in(32 * 8);
  std::vector<u32> order(32);
  for (u32 i = 0; i < in.size(); ++i) in[i] = static_cast<u16>(i * 257 + 5);
  for (u32 i = 0; i < 32; ++i) order[i] = i * 11 % 32;
  const DeviceBuffer in_there = upload(in), order_there = upload(order), out(4 * lanes * sizeof(u32));
  load_matrices<Count, Transposed>
      <<<1, lanes>>>(pointer<u32>(out), pointer<u16>(in_there), pointer<u32>(order_there));
  const auto got = download<u32>(out);
  const auto element = [&](u32 matrix, u32 row, u32 column) {
    return in[order[8 * matrix + row] * 8 + column];
  };
  for (u32 k = 0; k < 4; ++k)
    for (u32 lane = 0; lane < lanes; ++lane) {
      // lanes 4 r to 4 r + 3 hold row r, two elements each; of the transpose, column r
      u32 wanted = 0;
      if (k < Count) {
        const u32 r = lane / 4, first = lane % 4 * 2;
        wanted = Transposed ? element(k, first, r) | u32{element(k, first + 1, r)} << 16
                            : element(k, r, first) | u32{element(k, r, first + 1)} << 16;
      }
      CHECK_MESSAGE(got[k * lanes + lane] == wanted, "matrix ", k, " of ", Count, ", lane ", lane);
    }
}

// A (16 x 16) and B (16 x 8) from shared memory, both row by row: what ldmatrix gives is what mma takes.
__global__ void load_and_multiply(float* d, const u16* a, const u16* b) {
  __shared__ __align__(16) u16 a_rows[16 * 16], b_rows[16 * 8];
  const u32 l = threadIdx.x;
  for (u32 i = l; i < 256; i += 32) a_rows[i] = a[i];
  for (u32 i = l; i < 128; i += 32) b_rows[i] = b[i];
  __syncwarp();
  // matrices 0 and 1 of A above each other, 2 and 3 to their right
  const u32 a_at = static_cast<u32>(__cvta_generic_to_shared(a_rows + l % 16 * 16 + l / 16 * 8));
  const u32 b_at = static_cast<u32>(__cvta_generic_to_shared(b_rows + l % 16 * 8));
  u32 p, q, r, s, t, u;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(p), "=r"(q), "=r"(r), "=r"(s)
               : "r"(a_at)
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(t), "=r"(u)
               : "r"(b_at)
               : "memory");
  float x = 0, y = 0, z = 0, w = 0;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
      : "r"(p), "r"(q), "r"(r), "r"(s), "r"(t), "r"(u));
  const u32 at = l / 4 * 8 + l % 4 * 2;
  d[at] = x, d[at + 1] = y, d[at + 64] = z, d[at + 65] = w;
}

// ---- conversions ----

__global__ void convert(u32* out, const float* in) {
  const float x = in[threadIdx.x], y = in[threadIdx.x ^ 1u];
  u16 bf16, f16;
  u32 bf16x2, f16x2, tf32;
  float back;
  asm volatile("cvt.rn.bf16.f32 %0, %1;" : "=h"(bf16) : "f"(x));
  asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(f16) : "f"(x));
  asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bf16x2) : "f"(x), "f"(y));
  asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(f16x2) : "f"(x), "f"(y));
  asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(tf32) : "f"(x));
  asm volatile("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(f16));
  u32* const to = out + threadIdx.x * 6;
  to[0] = bf16, to[1] = f16, to[2] = bf16x2, to[3] = f16x2, to[4] = tf32 & ~0x1fffu;
  to[5] = __float_as_uint(back);
}

}  // namespace

TEST_CASE("instructions: products of matrices of bf16 and f16") {
  check<Deep16>(bf16_16, bf16_bits, 7);
  check<Deep16>(f16_16, f16_bits, 10);
  check<Deep8>(bf16_8, bf16_bits, 7);
  check<Deep8>(f16_8, f16_bits, 10);
}

TEST_CASE("instructions: products of matrices of TF32 leave out the lower 13 bits") {
  check<Deep8Tf32>(tf32_8, tf32_bits, 10, 0x1a5b);
  check<Deep4Tf32>(tf32_4, tf32_bits, 10, 0x1fff);
}

TEST_CASE("instructions: matrices come from shared memory as they are or transposed") {
  check_load<1, false>();
  check_load<1, true>();
  check_load<2, false>();
  check_load<2, true>();
  check_load<4, false>();
  check_load<4, true>();
}

TEST_CASE("instructions: what ldmatrix loads is what mma multiplies") {
  std::mt19937 random(3);
  Matrices x = made(16, [&] { return static_cast<float>(static_cast<int>(random() % 15) - 7); });
  std::fill(x.c.begin(), x.c.end(), 0.0f);
  const auto bits = [](const std::vector<float>& v) {
    std::vector<u16> b;
    for (const float f : v) b.push_back(static_cast<u16>(bf16_bits(f)));
    return b;
  };
  const DeviceBuffer a = upload(bits(x.a)), b = upload(bits(x.b)), d(m_size * n_size * sizeof(float));
  load_and_multiply<<<1, lanes>>>(pointer<float>(d), pointer<u16>(a), pointer<u16>(b));
  const auto got = download<float>(d);
  each_sum(x, 16, [&](std::size_t i, double sum, double) { CHECK(static_cast<double>(got[i]) == sum); });
}

TEST_CASE("instructions: conversions to 16 bits and to TF32") {
  struct Case {
    float x;
    u32 bf16, f16, tf32;
  };
  const Case cases[] = {
      {1.0f, 0x3f80, 0x3c00, 0x3f800000},
      {-1.0f - 0x1p-8f, 0xbf80, 0xbc04, 0xbf808000},                    // bf16: half way, to even
      {1.0f + 0x3p-8f, 0x3f82, 0x3c0c, 0x3f818000},                     // half way, to even upwards
      {1.0f + 0x1p-8f + 0x1p-20f, 0x3f81, 0x3c04, 0x3f808000},          // beyond half way
      {1.0f + 0x1p-11f, 0x3f80, 0x3c00, 0x3f802000},                    // f16: to even; TF32: away from zero
      {-1.0f - 0x1p-11f, 0xbf80, 0xbc00, 0xbf802000},                   //
      {1.0f + 0x1p-12f, 0x3f80, 0x3c00, 0x3f800000},                    //
      {65519.0f, 0x4780, 0x7bff, 0x477fe000},                           // the last that f16 holds
      {65520.0f, 0x4780, 0x7c00, 0x47800000},                           //
      {0x1p-24f, 0x3380, 0x0001, 0x33800000},                           // subnormal in f16
      {0x1p-25f, 0x3300, 0x0000, 0x33000000},                           //
      {0x1.8p-25f, 0x3340, 0x0001, 0x33400000},                         //
      {-0.0f, 0x8000, 0x8000, 0x80000000},                              //
      {std::numeric_limits<float>::max(), 0x7f80, 0x7c00, 0x7f800000},  //
      {-inf32, 0xff80, 0xfc00, 0xff800000},                             //
      {nan32, 0x7fff, 0x7fff, 0x7fffe000},
  };
  std::vector<float> x;
  for (const Case& c : cases) x.push_back(c.x);
  const DeviceBuffer in = upload(x), out(x.size() * 6 * sizeof(u32));
  convert<<<1, static_cast<unsigned>(x.size())>>>(pointer<u32>(out), pointer<float>(in));
  const auto got = download<u32>(out);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const u32* const g = got.data() + i * 6;
    const Case &c = cases[i], &other = cases[i ^ 1];
    INFO("of ", c.x);
    CHECK(g[0] == c.bf16);
    CHECK(g[1] == c.f16);
    CHECK(g[2] == (c.bf16 << 16 | other.bf16));
    CHECK(g[3] == (c.f16 << 16 | other.f16));
    CHECK(g[4] == c.tf32);
    const float back = std::bit_cast<float>(g[5]);
    if (std::isnan(c.x))
      CHECK(std::isnan(back));
    else
      CHECK((std::fabs(c.x) > 65000 || std::fabs(back - c.x) <= std::fabs(c.x) * 0x1p-11f + 0x1p-25f));
  }
}
