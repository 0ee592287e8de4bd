#pragma once
// The system's BLAS as an engine for large products of f32 and f64, present where WEFT_WITH_CBLAS is defined
// (the program then links a CBLAS with 32-bit integers). It runs single-threaded on cuts of our own, because
// its own threads would make results depend on how many there are.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "weft/kernels/gemm/blocked.hpp"
#include "weft/kernels/gemm/shape.hpp"
#include "weft/kernels/team/parallel.hpp"

namespace WEFT_NAMESPACE::kernels {

// How many bytes the vectors of OpenBLAS's kernels have, by the name of the core that they are for. For a
// processor newer than itself OpenBLAS takes the oldest kernels, Prescott's, at a quarter of the speed. A
// name that is not here, or none (another library): the widest.
constexpr int blas_vector_bytes(std::string_view core) {
  for (const char* narrow :
       {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Banias", "Katmai", "Coppermine",
        "Northwood", "Athlon", "Opteron", "Opteron(SSE3)", "Barcelona", "Nano", "Bobcat", "Generic"})
    if (core == narrow) return 16;
  for (const char* middle :
       {"Haswell", "Zen", "Sandybridge", "Bulldozer", "Piledriver", "Steamroller", "Excavator"})
    if (core == middle) return 32;
  return 64;
}

}  // namespace WEFT_NAMESPACE::kernels

#if defined(WEFT_WITH_CBLAS)

namespace WEFT_NAMESPACE::kernels {

// Prototypes under names of our own, so that they never clash with a <cblas.h> that the user includes.
extern "C" {
void weft_cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a,
                      int lda, const float* b, int ldb, float beta, float* c, int ldc) __asm__("cblas_sgemm");
void weft_cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a,
                      int lda, const double* b, int ldb, double beta, double* c,
                      int ldc) __asm__("cblas_dgemm");
// OpenBLAS only, null elsewhere. get_parallel: 0 no threads, 1 threads of its own, 2 OpenMP.
void weft_openblas_set_num_threads(int threads) __asm__("openblas_set_num_threads") __attribute__((weak));
int weft_openblas_get_parallel() __asm__("openblas_get_parallel") __attribute__((weak));
char* weft_openblas_get_corename() __asm__("openblas_get_corename") __attribute__((weak));
}

inline constexpr bool dot_has_cblas = true;

// While one lives, BLAS runs on the calling thread alone. An OpenBLAS built with OpenMP (and MKL) takes
// OpenMP's number of threads, which belongs to the calling task: it is lowered and put back, and nobody else
// notices. An OpenBLAS with threads of its own has one global number, which is set to 1 for good. The threads
// of other libraries are the user's to limit.
class DotBlasAlone {
 public:
  DotBlasAlone() {
#if defined(_OPENMP)
    static const bool once = weft_openblas_get_parallel && weft_openblas_get_parallel() == 1 && set_one();
    threads_ = omp_get_max_threads();
    if (threads_ != 1) omp_set_num_threads(1);
#else
    static thread_local const bool once = set_one();
#endif
    static_cast<void>(once);
  }
  DotBlasAlone(const DotBlasAlone&) = delete;
  DotBlasAlone& operator=(const DotBlasAlone&) = delete;
  ~DotBlasAlone() {
#if defined(_OPENMP)
    if (threads_ != 1) omp_set_num_threads(threads_);
#endif
  }

 private:
  static bool set_one() {
    if (weft_openblas_set_num_threads) weft_openblas_set_num_threads(1);
    return true;
  }
#if defined(_OPENMP)
  int threads_ = 1;
#endif
};

// The kernels OpenBLAS chose for this machine ("SkylakeX", "Haswell", ...); "" for any other library. The
// variable OPENBLAS_CORETYPE can pin it to slower ones.
inline const char* openblas_core() { return weft_openblas_get_corename ? weft_openblas_get_corename() : ""; }

// The width of the vectors that the library's kernels use.
inline i64 blas_bytes() {
  static const i64 bytes = blas_vector_bytes(openblas_core());
  return bytes;
}

// Says once a process, on standard error, that OPENBLAS_CORETYPE pins OpenBLAS's kernels: an old core there
// can halve the speed of large products, and nothing else shows it.
inline void report_pinned_core() {
  static const bool said = [] {
    const char* pinned = std::getenv("OPENBLAS_CORETYPE");
    if (pinned && *openblas_core())
      std::fprintf(stderr,
                   "weft: OPENBLAS_CORETYPE=%s pins OpenBLAS to its kernels for %s;\nweft: unset it for this "
                   "machine's own\n",
                   pinned, openblas_core());
    return true;
  }();
  static_cast<void>(said);
}

// Whether BLAS can express the strides: one of the two is 1, the other a leading dimension (0 is not).
constexpr bool dot_blas_operand(i64 row, i64 col, i64 rows, i64 cols) {
  constexpr i64 most = 0x7fffffff;
  return (col == 1 && row >= cols && row > 0 && row <= most) ||
         (row == 1 && col >= rows && col > 0 && col <= most);
}
constexpr bool dot_blas_shape(const DotShape& s) {
  constexpr i64 most = 0x7fffffff;
  return s.m <= most && s.n <= most && s.k <= most && s.k > 0 && s.c_row >= s.n && s.c_row <= most &&
         dot_blas_operand(s.a_row, s.a_col, s.m, s.k) && dot_blas_operand(s.b_row, s.b_col, s.k, s.n);
}

// Tiles for BLAS are larger than for the built-in engine, since each call packs its operands anew: halves of
// the longer side, up to four where they keep 2 million multiply-adds and 96 rows or columns, more only from
// sides of 1024.
constexpr DotCut dot_blas_cut(i64 m, i64 n, i64 k) {
  f64 work = static_cast<f64>(m) * static_cast<f64>(n) * static_cast<f64>(k);
  i64 rows = m, cols = n;
  for (int tiles = 1; work >= 4e6; tiles *= 2, work /= 2) {
    i64& side = cols >= rows ? cols : rows;
    if (side < (tiles < 4 ? 192 : 1024)) break;
    side = dot_ceil_div(dot_ceil_div(side, 2), 16) * 16;
  }
  return {rows, cols};
}

// C = A B, or C += A B with `accumulate`, for a shape that dot_blas_shape accepts.
template <class T>
void dot_blas(const DotShape& s, const T* a, const T* b, T* c, bool accumulate) {
  constexpr int row_major = 101, plain = 111, transposed = 112;
  const bool a_plain = s.a_col == 1 && s.a_row >= s.k;
  const bool b_plain = s.b_col == 1 && s.b_row >= s.n;
  const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
  const int lda = static_cast<int>(a_plain ? s.a_row : s.a_col);
  const int ldb = static_cast<int>(b_plain ? s.b_row : s.b_col);
  const int trans_a = a_plain ? plain : transposed, trans_b = b_plain ? plain : transposed;
  const int ldc = static_cast<int>(s.c_row);
  const DotBlasAlone alone;
  const T beta = accumulate ? T{1} : T{0};
  if constexpr (std::is_same_v<T, f32>)
    weft_cblas_sgemm(row_major, trans_a, trans_b, m, n, k, 1.0f, a, lda, b, ldb, beta, c, ldc);
  else
    weft_cblas_dgemm(row_major, trans_a, trans_b, m, n, k, 1.0, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace WEFT_NAMESPACE::kernels

#else

namespace WEFT_NAMESPACE::kernels {
inline constexpr bool dot_has_cblas = false;
inline const char* openblas_core() { return ""; }
inline void report_pinned_core() {}
}  // namespace WEFT_NAMESPACE::kernels

#endif
