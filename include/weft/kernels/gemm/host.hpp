#pragma once
// The matrix product on the host, plain and batched. The same operands give the same bits for any number of
// threads: the work is cut by shape, and k is summed in an order that depends on the shape alone.
//
// Two engines: a blocked product of our own, and the system's BLAS where there is one (WEFT_WITH_CBLAS).
// Which of them runs depends on types, shape and the kernels that BLAS chose for the machine. A thread's
// first large product allocates its scratch block, later ones nothing (dot/scratch.hpp).

#include "weft/kernels/gemm/blocked.hpp"
#include "weft/kernels/gemm/cblas.hpp"
#include "weft/kernels/gemm/shape.hpp"
#include "weft/kernels/team/parallel.hpp"

namespace WEFT_NAMESPACE::kernels {

// Engines a caller may insist on; `best` is what measurements say.
enum class DotEngine { best, builtin, cblas };

// What runs large products of f32: "builtin" or "cblas".
inline const char* dot_engine() { return dot_has_cblas ? "cblas" : "builtin"; }

template <class TA, class TB, class TC>
inline constexpr bool dot_blas_types =
    dot_has_cblas&& std::is_same_v<TA, TB>&& std::is_same_v<TA, TC>&& std::is_floating_point_v<TA>;

// Whether BLAS, whose vectors have `blas_bytes`, is the faster one (benchmarks/host/gemm.cpp, OpenBLAS
// 0.3.21). With vectors of the same width the built-in engine is ahead of it on small products, and level at
// 1024^3 on AVX-512; on AVX2 it falls behind from 512^3 on, and earlier for a long transposed A, which BLAS
// packs better. Wider ones, which a program not compiled for its machine meets, win as soon as a call is paid
// for.
constexpr bool dot_prefers_blas(const DotShape& s, i64 blas_bytes) {
  if (blas_bytes < WEFT_DOT_BYTES) return false;
  const bool transposed = s.a_row == 1 && s.a_col > dot_near_columns;
  const f64 from = blas_bytes > WEFT_DOT_BYTES ? (WEFT_DOT_BYTES == 32 ? 3e5 : 3e4)
                   : WEFT_DOT_BYTES == 64      ? 1e9
                   : transposed                ? 1e7
                                               : 1e8;
  return static_cast<f64>(s.m) * static_cast<f64>(s.n) * static_cast<f64>(s.k) >= from;
}

#if defined(WEFT_WITH_CBLAS)
template <class T>
void dot_on_blas(const DotShape& s, const T* a, const T* b, T* c, const DotEpilogue<T>& epilogue) {
  const bool accumulate = epilogue.add == c && epilogue.add_row == s.c_row;
  dot_blas<T>(s, a, b, c, accumulate);
  const T* add = accumulate ? nullptr : epilogue.add;
  if (!epilogue.bias && !add) return;
  for (i64 i = 0; i < s.m; ++i)
    dot_finish_row<T, T>(c + i * s.c_row, s.n, epilogue.bias, add ? add + i * epilogue.add_row : nullptr,
                         c + i * s.c_row);
}
#endif

// Whether C is one contiguous column, which is the row B^T A^T: lanes go along it. Its elements are sums in
// the same order.
template <class TC>
bool is_one_column(const DotShape& s, const DotEpilogue<TC>& epilogue) {
  return s.n == 1 && s.m > 1 && s.c_row == 1 && !epilogue.bias && (!epilogue.add || epilogue.add_row == 1);
}

// C = A B (+ add) (+ bias) for every element of the batch, on at most max_threads threads (0: all). C must
// not overlap A or B. k == 0 gives zeros (and the added terms); an empty C, nothing.
template <class TA, class TB, class TC>
void dot(const DotShape& s, const DotBatch& batch, const TA* a, const TB* b, TC* c, int max_threads = 0,
         const DotEpilogue<TC>& epilogue = {}, DotEngine engine = DotEngine::best) {
  using S = DotSum2<TA, TB>;
  i64 products = 1;
  for (int d = 0; d < batch.rank; ++d) products *= batch.extent[d];
  if (products <= 0 || s.m <= 0 || s.n <= 0) return;
  if (is_one_column(s, epilogue)) {
    const DotShape row{1, s.m, s.k, s.k, s.b_row, s.a_col, s.a_row, s.m};
    DotBatch turned = batch;
    for (int d = 0; d < batch.rank; ++d) turned.a[d] = batch.b[d], turned.b[d] = batch.a[d];
    const DotEpilogue<TC> ends{nullptr, epilogue.add, s.m};
    return dot<TB, TA, TC>(row, turned, b, a, c, max_threads, ends, engine);
  }

  bool blas = false;
  DotCut cut = dot_cut(s.m, s.n, s.k, dot_tile_rows, dot_lanes<S>);
#if defined(WEFT_WITH_CBLAS)
  if constexpr (dot_blas_types<TA, TB, TC>) {
    blas = dot_blas_shape(s) &&
           (engine == DotEngine::cblas || (engine == DotEngine::best && dot_prefers_blas(s, blas_bytes())));
    if (blas) cut = dot_blas_cut(s.m, s.n, s.k);
  }
#endif
  static_cast<void>(engine);

  const i64 m_cuts = dot_ceil_div(s.m, cut.rows);
  const i64 n_cuts = dot_ceil_div(s.n, cut.cols);
  const i64 tiles = m_cuts * n_cuts;
  // Small products go to a thread several at a time.
  const i64 work = s.m * s.n * (s.k > 0 ? s.k : 1);
  const i64 together = tiles > 1 || work >= 2000000 ? 1 : 2000000 / work;
  const i64 groups = dot_ceil_div(products, together);

  parallel_for(groups * tiles, max_threads, [&](i64 item) {
    const i64 group = item / tiles;
    const i64 tile = item - group * tiles;
    // Tiles of one column block follow each other, so that B's part stays in the cache.
    const i64 i0 = tile % m_cuts * cut.rows;
    const i64 j0 = tile / m_cuts * cut.cols;
    DotShape part = s;
    part.m = s.m - i0 < cut.rows ? s.m - i0 : cut.rows;
    part.n = s.n - j0 < cut.cols ? s.n - j0 : cut.cols;
    const i64 end = (group + 1) * together < products ? (group + 1) * together : products;
    for (i64 product = group * together; product < end; ++product) {
      i64 rest = product;
      i64 a_at = i0 * s.a_row;
      i64 b_at = j0 * s.b_col;
      i64 c_at = i0 * s.c_row + j0;
      i64 add_at = i0 * epilogue.add_row + j0;
      for (int d = batch.rank - 1; d >= 0; --d) {
        const i64 at = rest % batch.extent[d];
        rest /= batch.extent[d];
        a_at += at * batch.a[d];
        b_at += at * batch.b[d];
        c_at += at * batch.c[d];
        add_at += at * batch.add[d];
      }
      const DotEpilogue<TC> ends{epilogue.bias ? epilogue.bias + j0 : nullptr,
                                 epilogue.add ? epilogue.add + add_at : nullptr, epilogue.add_row};
#if defined(WEFT_WITH_CBLAS)
      if constexpr (dot_blas_types<TA, TB, TC>)
        if (blas) {
          dot_on_blas<TC>(part, a + a_at, b + b_at, c + c_at, ends);
          continue;
        }
#endif
      dot_blocked<TA, TB, TC>(part, a + a_at, b + b_at, c + c_at, ends);
    }
  });
  static_cast<void>(blas);
}

// One product.
template <class TA, class TB, class TC>
void dot(const DotShape& s, const TA* a, const TB* b, TC* c, int max_threads = 0,
         const DotEpilogue<TC>& epilogue = {}, DotEngine engine = DotEngine::best) {
  dot<TA, TB, TC>(s, DotBatch{}, a, b, c, max_threads, epilogue, engine);
}

}  // namespace WEFT_NAMESPACE::kernels
