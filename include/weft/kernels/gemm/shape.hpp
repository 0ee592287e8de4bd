#pragma once
// The operands of a host matrix product: extents, element strides, batch dimensions, and what is added to the
// finished sums. Nothing here computes.

#include <type_traits>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::kernels {

// C (m, n) = A (m, k) B (k, n). Strides count elements: A's element (i, l) is a[i * a_row + l * a_col], B's
// (l, j) is b[l * b_row + j * b_col], C's (i, j) is c[i * c_row + j]. Any strides of A and B are legal, 0
// among them.
struct DotShape {
  i64 m = 0, n = 0, k = 0;
  i64 a_row = 0, a_col = 1, b_row = 0, b_col = 1, c_row = 0;
};

// Up to four batch dimensions: extents, and the strides of every operand along them (0 repeats an operand).
struct DotBatch {
  int rank = 0;
  i64 extent[4]{}, a[4]{}, b[4]{}, c[4]{}, add[4]{};
};

// The type in which products of T are summed: f64 for f64, i32 or i64 for integers, f32 for everything else.
template <class T>
using DotSum = std::conditional_t<
    std::is_same_v<T, f64>, f64,
    std::conditional_t<std::is_integral_v<T>, std::conditional_t<(sizeof(T) > 4), i64, i32>, f32>>;

// The same for a product of two types: the wider one's, a float's before an integer's.
template <class TA, class TB>
using DotSum2 =
    std::conditional_t<std::is_floating_point_v<DotSum<TA>> == std::is_floating_point_v<DotSum<TB>>,
                       std::conditional_t<(sizeof(DotSum<TA>) >= sizeof(DotSum<TB>)), DotSum<TA>, DotSum<TB>>,
                       std::conditional_t<std::is_floating_point_v<DotSum<TA>>, DotSum<TA>, DotSum<TB>>>;

// C = ((A B) + add) + bias, computed in the type of the sums and rounded once to TC: the order in which GPU
// libraries add. `bias` has n elements, `add` is (m, n) with contiguous columns and rows add_row apart; null
// leaves the term out. `add` is C itself or does not overlap it.
template <class TC>
struct DotEpilogue {
  const DotSum<TC>* bias = nullptr;
  const TC* add = nullptr;
  i64 add_row = 0;
};

}  // namespace WEFT_NAMESPACE::kernels
