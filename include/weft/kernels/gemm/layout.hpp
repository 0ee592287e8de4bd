#pragma once
// From a row-major matrix product with strides to the column-major call that a GPU library takes, decided at
// compile time. Law: the column-major product on the same memory writes what the row-major one would, or the
// layout says in a sentence why there is none.
//
// weft's C (m, n) with unit column stride is the column-major matrix C^T (n, m), and C^T = B^T A^T. So the
// library's first operand is weft's B, its second is weft's A, its rows are weft's columns, and a bias along
// weft's columns is the bias along rows that its epilogues add. In the library's terms
//   m' = n, n' = m, k' = k, A' = B^T (n, k), B' = A^T (k, m), D' = C^T (n, m).

#include "weft/core/dtype.hpp"
#include "weft/core/types.hpp"
#include "weft/kernels/gemm/shape.hpp"

namespace WEFT_NAMESPACE::kernels {

// One operand as the library sees it: stored column-major with leading dimension `ld`, used transposed or
// not.
struct DotOperand {
  bool legal = false;
  bool transposed = false;
  i64 ld = 0;
};

// cuBLASLt puts the products of a batch along an axis of the grid that has at most so many blocks.
inline constexpr i64 most_library_batch = 65535;
// Calls that a batch may be cut into before a kernel of weft's own is the better way.
inline constexpr i64 most_library_calls = 64;

// What a row-major product becomes. Suffix a is the library's first operand, which is weft's B.
struct DotLayout {
  const char* problem = nullptr;  // why the product cannot be expressed; null if it can
  i64 m = 0, n = 0, k = 0;        // the library's
  bool trans_a = false, trans_b = false;
  i64 lda = 0, ldb = 0, ldd = 0;
  i64 batch = 1;
  i64 stride_a = 0, stride_b = 0, stride_d = 0;  // elements from one product of the batch to the next
  // Batch dimensions that one stride cannot cover: the call is repeated over them.
  DotBatch outer;

  constexpr bool expressible() const { return problem == nullptr; }
  constexpr i64 calls() const {
    i64 count = 1;
    for (int d = 0; d < outer.rank; ++d) count *= outer.extent[d];
    return count;
  }
};

namespace detail {

// A matrix (rows, cols) with any strides as a column-major operand. The stride of an axis of one element is
// never used, so any will do.
constexpr DotOperand column_major(i64 rows, i64 cols, i64 row_stride, i64 col_stride) {
  if ((rows == 1 || row_stride == 1) && (cols == 1 || col_stride >= rows)) {
    return {true, false, cols == 1 ? rows : col_stride};
  }
  if ((cols == 1 || col_stride == 1) && (rows == 1 || row_stride >= cols)) {
    return {true, true, rows == 1 ? cols : row_stride};
  }
  return {};
}

constexpr void remove_batch_dim(DotBatch& batch, int dim) {
  --batch.rank;
  for (int d = dim; d < batch.rank; ++d) {
    batch.extent[d] = batch.extent[d + 1];
    batch.a[d] = batch.a[d + 1];
    batch.b[d] = batch.b[d + 1];
    batch.c[d] = batch.c[d + 1];
    batch.add[d] = batch.add[d + 1];
  }
}

// Drops batch dimensions of one element and joins neighbours that one stride covers.
constexpr DotBatch merged_batch(DotBatch batch) {
  for (int d = batch.rank - 1; d >= 0; --d) {
    if (batch.extent[d] == 1) remove_batch_dim(batch, d);
  }
  for (int d = batch.rank - 2; d >= 0; --d) {
    const i64 inner = batch.extent[d + 1];
    if (batch.a[d] == inner * batch.a[d + 1] && batch.b[d] == inner * batch.b[d + 1] &&
        batch.c[d] == inner * batch.c[d + 1] && batch.add[d] == inner * batch.add[d + 1]) {
      batch.extent[d + 1] *= batch.extent[d];
      remove_batch_dim(batch, d);
    }
  }
  return batch;
}

// How many of `count` products the library takes at once: the most that divide them.
constexpr i64 library_batch(i64 count) {
  if (count <= most_library_batch) return count;
  i64 batch = most_library_batch;
  while (count % batch != 0) --batch;
  return batch;
}

}  // namespace detail

// The library's view of C = A B over a batch. With `accumulate` a term is added, which must be laid out as C.
// A batch dimension along which B is repeated joins the rows of A where memory allows: (b, s, k) times (k, n)
// is one product. Of the batch dimensions that are left, the longest is the library's, the others are
// `outer`.
constexpr DotLayout dot_layout(DotShape shape, DotBatch batch = {}, bool accumulate = false) {
  DotLayout layout;
  if (!accumulate) {
    for (int d = 0; d < batch.rank; ++d) batch.add[d] = batch.c[d];
  }
  batch = detail::merged_batch(batch);
  for (int d = 0; d < batch.rank; ++d) {
    if (batch.extent[d] < 1) layout.problem = "the batch is empty";
    if (batch.c[d] == 0) layout.problem = "two products of the batch would write the same elements";
    if (batch.add[d] != batch.c[d]) layout.problem = "what is added is not laid out as the result";
  }
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) layout.problem = "the product is empty";
  if (!layout.expressible()) return layout;

  while (batch.rank > 0 && batch.b[batch.rank - 1] == 0) {
    const int last = batch.rank - 1;
    if (shape.m == 1) {
      shape.a_row = batch.a[last];
      shape.c_row = batch.c[last];
    } else if (batch.a[last] != shape.m * shape.a_row || batch.c[last] != shape.m * shape.c_row) {
      break;
    }
    shape.m *= batch.extent[last];
    detail::remove_batch_dim(batch, last);
  }

  constexpr i64 most = 2147483647;  // cuBLASLt: "usually only values that can be expressed as int32_t"
  if (shape.m > most || shape.n > most || shape.k > most) layout.problem = "an extent exceeds 2^31 - 1";
  const DotOperand a = detail::column_major(shape.n, shape.k, shape.b_col, shape.b_row);
  const DotOperand b = detail::column_major(shape.k, shape.m, shape.a_col, shape.a_row);
  const DotOperand d = detail::column_major(shape.n, shape.m, 1, shape.c_row);
  if (!d.legal || d.transposed) layout.problem = "rows of the result overlap";
  if (!a.legal) layout.problem = "neither stride of the second factor is 1, or its rows overlap";
  if (!b.legal) layout.problem = "neither stride of the first factor is 1, or its rows overlap";
  if (!layout.expressible()) return layout;

  layout.m = shape.n;
  layout.n = shape.m;
  layout.k = shape.k;
  layout.trans_a = a.transposed;
  layout.trans_b = b.transposed;
  layout.lda = a.ld;
  layout.ldb = b.ld;
  layout.ldd = d.ld;
  if (batch.rank > 0) {
    int longest = 0;
    for (int i = 1; i < batch.rank; ++i) {
      if (batch.extent[i] >= batch.extent[longest]) longest = i;
    }
    layout.batch = detail::library_batch(batch.extent[longest]);
    layout.stride_a = batch.b[longest];
    layout.stride_b = batch.a[longest];
    layout.stride_d = batch.c[longest];
    if (layout.batch == batch.extent[longest]) {
      detail::remove_batch_dim(batch, longest);
    } else {  // the rest of it is repeated
      for (i64* stride : {&batch.a[longest], &batch.b[longest], &batch.c[longest], &batch.add[longest]})
        *stride *= layout.batch;
      batch.extent[longest] /= layout.batch;
      if (batch.extent[longest] > most_library_calls)
        layout.problem = "more products than the library takes at once, in a number that divides badly";
    }
  }
  layout.outer = batch;
  return layout;
}

// What a library does to the sums before it stores them; x is a row of A B (plus the added term).
enum class DotFinish : u8 {
  none,           // C = x
  bias,           // C = x + bias (n)
  relu_bias,      // C = max(x + bias, 0)
  gelu_bias,      // C = gelu(x + bias), the tanh form
  gelu_aux_bias,  // the same, and aux = x + bias, laid out as C
  dgelu_bgrad,    // C = x gelu'(aux), and bias = the sum of C over its rows (n)
  bgrad_a,        // C = x, and bias = the sum of A over k (m)
  bgrad_b,        // C = x, and bias = the sum of B over k (n)
};

constexpr bool dot_finish_has_aux(DotFinish f) {
  return f == DotFinish::gelu_aux_bias || f == DotFinish::dgelu_bgrad;
}
constexpr bool dot_finish_is_gradient(DotFinish f) { return f >= DotFinish::dgelu_bgrad; }

// Types that the library multiplies: `ab` for both factors, `c` for the result. Sums are f32, or f64 for f64.
constexpr bool dot_types_supported(DType ab, DType c) {
  const bool halved = ab == DType::f16 || ab == DType::bf16;
  return (halved && (c == ab || c == DType::f32)) || (ab == c && (ab == DType::f32 || ab == DType::f64));
}

// Why a layout cannot be run with this finish; null if it can. Deliberately narrower than the library, whose
// refusals come only at run time: what this rejects is planned as a plain product and a map.
constexpr const char* dot_finish_problem(const DotLayout& layout, DType ab, DType c, DotFinish finish) {
  if (!layout.expressible()) return layout.problem;
  if (!dot_types_supported(ab, c)) return "these element types cannot be multiplied";
  if (finish == DotFinish::none) return nullptr;
  if (ab == DType::f64) return "f64 products take no epilogue";
  const bool one = layout.batch == 1 && layout.calls() == 1;
  if (dot_finish_is_gradient(finish) && !one) return "a bias gradient cannot be summed over a batch";
  // CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, ..._AUX_BATCH_STRIDE: divisible by 8.
  if (dot_finish_has_aux(finish) && (layout.ldd % 8 != 0 || layout.stride_d % 8 != 0)) {
    return "rows of the auxiliary matrix must be a multiple of 8 apart";
  }
  return nullptr;
}

// How partial sums of a product that is split along k are put together; the values are
// cublasLtReductionScheme_t.
enum class DotReduction : u32 { none = 0, in_place = 1, compute_type = 2, output_type = 4 };

// Sums in one sequence, or partial sums in the type of the sums, reduced in a separate step: the order is
// fixed and no partial sum is rounded to the type of the result.
inline constexpr u32 dot_allowed_reductions =
    static_cast<u32>(DotReduction::none) | static_cast<u32>(DotReduction::compute_type);

// What a library offers, in its order: fastest first by its own estimate.
struct DotCandidate {
  bool usable = false;
  u64 workspace = 0;
  u32 reduction = 0;
};

// The fixed rule: the first candidate that is usable, wants no more scratch than `cap` bytes and reduces in
// an allowed way; -1 if there is none. Nothing is timed, so the choice is the same in every run.
constexpr int choose_dot_candidate(const DotCandidate* candidate, int count, u64 cap) {
  for (int i = 0; i < count; ++i) {
    const DotCandidate& c = candidate[i];
    if (c.usable && c.workspace <= cap && (c.reduction & ~dot_allowed_reductions) == 0) return i;
  }
  return -1;
}

}  // namespace WEFT_NAMESPACE::kernels
