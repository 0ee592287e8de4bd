#include "weft/kernels/gemm/host.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "weft/core/small_float.hpp"

using namespace weft;
using namespace weft::kernels;

namespace {

std::mt19937 generator(7);

template <class T>
std::vector<T> random_values(i64 count) {
  std::vector<T> v(static_cast<std::size_t>(count));
  if constexpr (std::is_integral_v<T>) {
    std::uniform_int_distribution<int> draw(std::is_signed_v<T> ? -9 : 0, 9);
    for (T& x : v) x = static_cast<T>(draw(generator));
  } else {
    std::normal_distribution<float> draw;
    for (T& x : v) x = static_cast<T>(draw(generator));
  }
  return v;
}

// How the rows and columns of an operand are laid out.
enum class Layout { rows, columns, padded_rows, padded_columns, spread };

struct Strides {
  i64 row = 0, col = 0, size = 0;
};

Strides strides_of(Layout layout, i64 rows, i64 cols) {
  switch (layout) {
    case Layout::rows:
      return {cols, 1, rows * cols};
    case Layout::columns:
      return {1, rows, rows * cols};
    case Layout::padded_rows:
      return {cols + 3, 1, rows * (cols + 3)};
    case Layout::padded_columns:
      return {1, rows + 5, cols * (rows + 5)};
    default:
      return {2 * cols + 1, 2, rows * (2 * cols + 1) + 2};
  }
}

double epsilon_of(double) { return 0x1p-52; }
double epsilon_of(float) { return 0x1p-23; }
double epsilon_of(f16) { return 0x1p-10; }
double epsilon_of(bf16) { return 0x1p-7; }
double epsilon_of(f8e4m3) { return 0x1p-3; }
double epsilon_of(f8e5m2) { return 0x1p-2; }

template <class T>
double as_double(T x) {
  if constexpr (is_small_float<T>)
    return static_cast<float>(x);
  else
    return static_cast<double>(x);
}

struct Job {
  i64 m, n, k;
  Layout a = Layout::rows, b = Layout::rows;
  bool bias = false, add = false;
  DotEngine engine = DotEngine::best;
  DotBatch batch{};
};

// Compares with a plain product in f64. The bound on an f32 or f64 sum is the standard one, k times the unit
// roundoff times the sum of the absolute products; rounding to TC adds half a unit of the result.
template <class TA, class TB, class TC>
void check(const Job& job) {
  CAPTURE(job.m);
  CAPTURE(job.n);
  CAPTURE(job.k);
  CAPTURE(static_cast<int>(job.a));
  CAPTURE(static_cast<int>(job.b));
  CAPTURE(job.bias);
  CAPTURE(job.add);
  using S = DotSum2<TA, TB>;
  const Strides sa = strides_of(job.a, job.m, job.k);
  const Strides sb = strides_of(job.b, job.k, job.n);
  DotBatch batch = job.batch;
  i64 products = 1;
  for (int d = batch.rank - 1; d >= 0; --d) {
    batch.a[d] = products * sa.size;
    batch.b[d] = d == 1 ? 0 : products * sb.size;  // one dimension shares B
    batch.c[d] = products * job.m * (job.n + 2);
    batch.add[d] = products * job.m * job.n;
    products *= batch.extent[d];
  }
  const auto a = random_values<TA>(products * sa.size + 1);
  const auto b = random_values<TB>(products * sb.size + 1);
  const auto bias = random_values<DotSum<TC>>(job.n);
  const auto add = random_values<TC>(products * job.m * job.n);
  const TC untouched = static_cast<TC>(1);
  std::vector<TC> c(static_cast<std::size_t>(products * job.m * (job.n + 2)), untouched);
  const DotShape s{job.m, job.n, job.k, sa.row, sa.col, sb.row, sb.col, job.n + 2};
  DotEpilogue<TC> epilogue;
  if (job.bias) epilogue.bias = bias.data();
  if (job.add) epilogue.add = add.data(), epilogue.add_row = job.n;
  auto again = c;
  dot<TA, TB, TC>(s, batch, a.data(), b.data(), c.data(), 1, epilogue, job.engine);
  dot<TA, TB, TC>(s, batch, a.data(), b.data(), again.data(), 2, epilogue, job.engine);
  CHECK(std::memcmp(c.data(), again.data(), c.size() * sizeof(TC)) == 0);

  bool padding_kept = true;
  double worst = 0;  // error over its bound
  for (i64 product = 0; product < products; ++product) {
    i64 rest = product, a_at = 0, b_at = 0, c_at = 0, add_at = 0;
    for (int d = batch.rank - 1; d >= 0; --d) {
      const i64 at = rest % batch.extent[d];
      rest /= batch.extent[d];
      a_at += at * batch.a[d];
      b_at += at * batch.b[d];
      c_at += at * batch.c[d];
      add_at += at * batch.add[d];
    }
    for (i64 i = 0; i < job.m; ++i) {
      for (i64 j = 0; j < job.n; ++j) {
        double sum = 0, size = 0;
        for (i64 l = 0; l < job.k; ++l) {
          const double p = as_double(a[static_cast<std::size_t>(a_at + i * sa.row + l * sa.col)]) *
                           as_double(b[static_cast<std::size_t>(b_at + l * sb.row + j * sb.col)]);
          sum += p;
          size += std::fabs(p);
        }
        if (job.bias) sum += as_double(bias[static_cast<std::size_t>(j)]), size += std::fabs(sum);
        if (job.add) {
          const double x = as_double(add[static_cast<std::size_t>(add_at + i * job.n + j)]);
          sum += x;
          size += std::fabs(x);
        }
        const double got = as_double(c[static_cast<std::size_t>(c_at + i * (job.n + 2) + j)]);
        double bound = 0;
        if constexpr (!std::is_integral_v<S>)
          bound += static_cast<double>(job.k + 2) * epsilon_of(S{}) * size;
        if constexpr (!std::is_integral_v<TC>) {
          bound += 0.5 * epsilon_of(TC{}) * (std::fabs(sum) + bound);
          if constexpr (is_small_float<TC>) bound += 0x1p-10;  // subnormals of f8e4m3
        }
        const double error = std::fabs(got - sum);
        const double ratio = error == 0 ? 0 : bound > 0 ? error / bound : 1e9;
        if (!(ratio <= worst)) worst = ratio;
      }
      for (i64 j = job.n; j < job.n + 2; ++j)
        padding_kept &=
            as_double(c[static_cast<std::size_t>(c_at + i * (job.n + 2) + j)]) == as_double(untouched);
    }
  }
  CHECK(worst <= 1.0);
  CHECK(padding_kept);
}

constexpr Layout layouts[] = {Layout::rows, Layout::columns, Layout::padded_rows, Layout::padded_columns,
                              Layout::spread};
constexpr i64 sizes[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 31, 33, 47, 48, 49, 64, 67, 97, 101, 130};

i64 pick(i64 count) { return static_cast<i64>(generator() % static_cast<std::uint32_t>(count)); }

// Random jobs over all layouts and epilogues.
template <class TA, class TB, class TC>
void sweep(int jobs, DotEngine engine = DotEngine::best) {
  for (int i = 0; i < jobs; ++i) {
    Job job{sizes[pick(21)], sizes[pick(21)], sizes[pick(21)]};
    job.a = layouts[pick(5)];
    job.b = layouts[pick(5)];
    job.bias = pick(2) == 1;
    job.add = pick(2) == 1;
    job.engine = engine;
    check<TA, TB, TC>(job);
  }
}

}  // namespace

TEST_CASE("dot: f32 against an f64 product, any size and layout") { sweep<f32, f32, f32>(300); }
TEST_CASE("dot: f64") { sweep<f64, f64, f64>(100); }

TEST_CASE("dot: storage types are summed in f32 and rounded once") {
  sweep<bf16, bf16, bf16>(60);
  sweep<f16, f16, f16>(60);
  sweep<bf16, bf16, f32>(40);
  sweep<f16, f16, f32>(40);
  sweep<f8e4m3, f8e4m3, bf16>(40);
  sweep<f8e5m2, f8e4m3, f32>(40);
  sweep<f8e4m3, f8e4m3, f8e4m3>(40);
  sweep<f8e4m3, f8e5m2, f8e5m2>(40);
  sweep<f32, bf16, f32>(40);
  sweep<bf16, f32, bf16>(40);
  sweep<f32, f32, f64>(20);
}

TEST_CASE("dot: integers are exact") {
  sweep<i32, i32, i32>(60);
  sweep<i8, i8, i32>(60);
  sweep<u8, i8, i32>(40);
  sweep<i64, i64, i64>(60);
}

TEST_CASE("dot: booleans count as 0 and 1") {
  const bool a[6] = {true, false, true, false, true, true};  // (2, 3)
  const i32 b[3] = {5, 7, 11};
  i32 c[2];
  dot<bool, i32, i32>({2, 1, 3, 3, 1, 1, 1, 1}, a, b, c);
  CHECK(c[0] == 16);
  CHECK(c[1] == 18);
}

TEST_CASE("dot: an integer sum that overflows wraps") {
  const i32 a[2] = {2000000000, 2000000000};
  const i32 b[2] = {1, 1};
  i32 c = 0;
  dot<i32, i32, i32>({1, 1, 2, 2, 1, 1, 1, 1}, a, b, &c);
  CHECK(c == static_cast<i32>(4000000000u));
}

TEST_CASE("dot: an inner extent of zero gives zeros and the added terms") {
  for (const bool terms : {false, true}) {
    check<f32, f32, f32>({.m = 5, .n = 19, .k = 0, .bias = terms, .add = terms});
    check<bf16, bf16, bf16>({.m = 5, .n = 19, .k = 0, .bias = terms, .add = terms});
    check<i32, i32, i32>({.m = 5, .n = 19, .k = 0, .bias = terms, .add = terms});
  }
}

TEST_CASE("dot: an empty result touches nothing") {
  f32 c = 5;
  dot<f32, f32, f32>({0, 1, 4, 4, 1, 1, 1, 1}, nullptr, nullptr, &c);
  dot<f32, f32, f32>({1, 0, 4, 4, 1, 1, 1, 1}, nullptr, nullptr, &c);
  dot<f32, f32, f32>({1, 1, 4, 4, 1, 1, 1, 1}, DotBatch{1, {0}, {}, {}, {}, {}}, nullptr, nullptr, &c);
  CHECK(c == 5);
}

TEST_CASE("dot: several blocks of k and of columns, several tiles") {
  for (const Layout a : {Layout::rows, Layout::columns, Layout::spread})
    for (const Layout b : {Layout::rows, Layout::columns, Layout::spread}) {
      check<f32, f32, f32>({.m = 203, .n = 217, .k = 801, .a = a, .b = b, .bias = true, .add = true});
      check<bf16, bf16, bf16>({.m = 61, .n = 351, .k = 390, .a = a, .b = b, .bias = true, .add = true});
    }
  check<f32, f32, f32>({.m = 9, .n = 1500, .k = 33, .b = Layout::columns});
  check<f32, f32, f32>({.m = 1, .n = 1500, .k = 1000});
  check<f32, f32, f32>({.m = 1500, .n = 1, .k = 1000});
  check<f64, f64, f64>({.m = 130, .n = 400, .k = 800, .b = Layout::columns, .add = true});
  check<i8, i8, i32>({.m = 130, .n = 400, .k = 800, .b = Layout::columns});
}

TEST_CASE("dot: batches of up to four dimensions, one of them sharing B") {
  for (const i64 size : {1, 6, 40, 150})
    for (int rank = 1; rank <= 4; ++rank) {
      Job job{size, size + 3, size};
      job.b = Layout::columns;
      job.bias = job.add = true;
      job.batch.rank = rank;
      const i64 extents[4] = {2, 3, 1, 2};
      for (int d = 0; d < rank; ++d) job.batch.extent[d] = extents[d];
      check<f32, f32, f32>(job);
      check<bf16, bf16, f32>(job);
    }
}

TEST_CASE("dot: the term to add may be C itself") {
  for (const DotEngine engine : {DotEngine::builtin, DotEngine::cblas})
    for (const i64 k : {50, 900}) {
      const i64 m = 40, n = 70;
      const auto a = random_values<f32>(m * k);
      const auto b = random_values<f32>(k * n);
      auto c = random_values<f32>(m * n);
      auto expected = c;
      std::vector<f32> product(c.size());
      const DotShape s{m, n, k, k, 1, n, 1, n};
      dot<f32, f32, f32>(s, a.data(), b.data(), product.data(), 0, {}, engine);
      DotEpilogue<f32> epilogue;
      epilogue.add = c.data();
      epilogue.add_row = n;
      dot<f32, f32, f32>(s, a.data(), b.data(), c.data(), 0, epilogue, engine);
      for (std::size_t i = 0; i < c.size(); ++i) CHECK(std::fabs(c[i] - (expected[i] + product[i])) <= 1e-3f);
    }
}

TEST_CASE("dot: what is added comes before the bias, each sum rounded") {
  for (const DotEngine engine : {DotEngine::builtin, DotEngine::cblas})
    for (const i64 k : {1, 8, 900}) {
      const i64 m = 37, n = 53;
      const std::vector<f32> a(static_cast<std::size_t>(m * k), 1.0f);
      std::vector<f32> b(static_cast<std::size_t>(k * n), 0.0f);
      for (i64 j = 0; j < n; ++j) b[static_cast<std::size_t>((k - 1) * n + j)] = 1e8f;
      const std::vector<f32> add(static_cast<std::size_t>(m * n), 1.0f);
      const std::vector<f32> bias(static_cast<std::size_t>(n), -1e8f);
      std::vector<f32> c(static_cast<std::size_t>(m * n), 7.0f);
      DotEpilogue<f32> epilogue{bias.data(), add.data(), n};
      dot<f32, f32, f32>({m, n, k, k, 1, n, 1, n}, a.data(), b.data(), c.data(), 0, epilogue, engine);
      for (const f32 x : c) CHECK(x == 0.0f);  // (1e8 - 1e8) + 1 would be 1
    }
}

TEST_CASE("dot: an element does not depend on the tile that holds it") {
  const i64 m = 300, n = 311, k = 500;
  const auto a = random_values<f32>(m * k);
  const auto b = random_values<f32>(k * n);
  std::vector<f32> c(static_cast<std::size_t>(m * n));
  dot<f32, f32, f32>({m, n, k, k, 1, n, 1, n}, a.data(), b.data(), c.data(), 0, {}, DotEngine::builtin);
  for (int i = 0; i < 50; ++i) {
    const i64 row = pick(m), col = pick(n);
    f32 one = 0;
    dot<f32, f32, f32>({1, 1, k, k, 1, n, 1, 1}, a.data() + row * k, b.data() + col, &one, 0, {},
                       DotEngine::builtin);
    CHECK(one == c[static_cast<std::size_t>(row * n + col)]);
  }
}

TEST_CASE("dot: one column has the bits that it has among others") {
  const i64 m = 300, n = 5, k = 900, col = 3;
  const auto a = random_values<f32>(m * k);
  const auto b = random_values<f32>(k * n), add = random_values<f32>(m * n);
  for (const bool transposed : {false, true})
    for (const bool adds : {false, true}) {
      const i64 a_row = transposed ? 1 : k, a_col = transposed ? m : 1;
      std::vector<f32> all(static_cast<std::size_t>(m * n)), one(static_cast<std::size_t>(m)), term;
      for (i64 i = 0; i < m; ++i) term.push_back(add[static_cast<std::size_t>(i * n + col)]);
      dot<f32, f32, f32>({m, n, k, a_row, a_col, n, 1, n}, a.data(), b.data(), all.data(), 0,
                         {nullptr, adds ? add.data() : nullptr, n}, DotEngine::builtin);
      dot<f32, f32, f32>({m, 1, k, a_row, a_col, n, 1, 1}, a.data(), b.data() + col, one.data(), 0,
                         {nullptr, adds ? term.data() : nullptr, 1}, DotEngine::builtin);
      int wrong = 0;
      for (i64 i = 0; i < m; ++i)
        wrong += one[static_cast<std::size_t>(i)] != all[static_cast<std::size_t>(i * n + col)];
      CHECK(wrong == 0);
    }
}

TEST_CASE("dot: batches of single columns") {
  Job job{90, 1, 70};
  job.add = true;
  job.batch.rank = 2;
  job.batch.extent[0] = 3, job.batch.extent[1] = 2;
  check<f32, f32, f32>(job);
  check<f64, f64, f64>(job);
  check<bf16, bf16, f32>(job);
  job.a = Layout::columns;
  check<f32, f32, f32>(job);
  check<i8, i8, i32>(job);
}

TEST_CASE("dot: the cut covers C whatever its shape") {
  for (const i64 m : {1, 100, 1000, 100000})
    for (const i64 n : {1, 100, 1000, 100000})
      for (const i64 k : {1, 100, 10000}) {
        const DotCut cut = dot_cut(m, n, k, 8, 16);
        CHECK(cut.rows >= 1);
        CHECK(cut.cols >= 1);
        CHECK((cut.rows == m || cut.rows % 8 == 0));
        CHECK((cut.cols == n || cut.cols % 16 == 0));
      }
  CHECK(dot_cut(32, 128, 64, 8, 16).cols == 128);
}

#if defined(WEFT_WITH_CBLAS)
TEST_CASE("dot: on BLAS") {
  CHECK(std::strcmp(dot_engine(), "cblas") == 0);
  sweep<f32, f32, f32>(200, DotEngine::cblas);
  sweep<f64, f64, f64>(100, DotEngine::cblas);
  check<f32, f32, f32>({.m = 203,
                        .n = 317,
                        .k = 801,
                        .b = Layout::columns,
                        .bias = true,
                        .add = true,
                        .engine = DotEngine::cblas});
}

TEST_CASE("dot: BLAS leaves OpenMP's number of threads alone") {
  const int before = hardware_threads();
  check<f32, f32, f32>({.m = 64, .n = 64, .k = 64, .engine = DotEngine::cblas});
#if defined(_OPENMP)
  CHECK(omp_get_max_threads() == before);
#endif
  CHECK(hardware_threads() == before);
}

TEST_CASE("dot: strides that BLAS cannot express") {
  CHECK(dot_blas_shape({4, 5, 6, 6, 1, 5, 1, 5}));
  CHECK(dot_blas_shape({4, 5, 6, 1, 4, 1, 6, 5}));
  CHECK_FALSE(dot_blas_shape({4, 5, 6, 12, 2, 5, 1, 5}));
  CHECK_FALSE(dot_blas_shape({4, 5, 6, 0, 1, 5, 1, 5}));
  CHECK_FALSE(dot_blas_shape({4, 5, 6, 6, 1, 0, 1, 5}));
}
#else
TEST_CASE("dot: without BLAS the built-in engine runs") {
  CHECK(std::strcmp(dot_engine(), "builtin") == 0);
  CHECK(std::strcmp(openblas_core(), "") == 0);
}
#endif

TEST_CASE("dot: BLAS is left alone where it runs on older kernels than ours") {
  static_assert(kernels::blas_vector_bytes("SkylakeX") == 64);
  static_assert(kernels::blas_vector_bytes("Sapphirerapids") == 64);
  static_assert(kernels::blas_vector_bytes("Haswell") == 32);
  static_assert(kernels::blas_vector_bytes("Prescott") ==
                16);                                    // what an old OpenBLAS takes a new processor for
  static_assert(kernels::blas_vector_bytes("") == 64);  // MKL, BLIS
}
