#pragma once
// A large product of an odd extent as several that a GPU's library runs at full speed: its fast kernels fetch
// blocks of 16 bytes, and take extents that are contiguous in memory by such blocks alone. What is left over
// is a small product of its own. Law: each element of the result is written by parts in the order in which
// they stand; the first sets it, the others add to it, and the last finishes it (bias).

#include "weft/core/dtype.hpp"
#include "weft/core/list.hpp"
#include "weft/kernels/gemm/shape.hpp"

namespace WEFT_NAMESPACE::kernels {

// Offsets in elements: of the operands and the result, and of the bias in its vector.
struct DotPart {
  DotShape shape;
  i64 a = 0, b = 0, c = 0, bias = 0;
  bool adds_to_result = false, finishes = true;
};

namespace detail {

// The extent's part that whole blocks of 16 bytes cover; the extent itself where that is not worth a call.
constexpr i64 whole_blocks(i64 extent, bool contiguous, DType t) {
  constexpr i64 least = 256;
  const i64 block = 16 / size_of(t);
  return contiguous && extent >= least && block > 1 ? extent / block * block : extent;
}

}  // namespace detail

// The parts of a product of factors of `ab` with a result of `c`. One where nothing is to be won: of small
// products, of extents that are even already, and of rows that do not begin at multiples of 16 bytes.
constexpr List<DotPart> dot_parts(const DotShape& s, DType ab, DType c) {
  constexpr i64 least_work = i64{1} << 28;
  List<DotPart> parts;
  parts.push({s});
  const auto aligned = [](i64 stride, DType t) { return stride == 1 || stride * size_of(t) % 16 == 0; };
  if (s.m * s.n * s.k < least_work || !aligned(s.a_row, ab) || !aligned(s.a_col, ab) ||
      !aligned(s.b_row, ab) || !aligned(s.b_col, ab) || !aligned(s.c_row, c))
    return parts;
  const i64 m = detail::whole_blocks(s.m, s.a_row == 1, ab);
  const i64 n = s.b_col == 1 && size_of(ab) < size_of(c) ? detail::whole_blocks(s.n, true, ab)
                                                         : detail::whole_blocks(s.n, true, c);
  const i64 k = detail::whole_blocks(s.k, s.a_col == 1 || s.b_row == 1, ab);
  const auto cut = [&](auto split) {
    List<DotPart> all;
    for (const DotPart& part : parts) split(part, all);
    parts = static_cast<List<DotPart>&&>(all);
  };
  if (m < s.m)
    cut([&](const DotPart& p, List<DotPart>& all) {
      DotPart first = p, rest = p;
      first.shape.m = m, rest.shape.m = s.m - m;
      rest.a += m * s.a_row, rest.c += m * s.c_row;
      all.push(first), all.push(rest);
    });
  if (n < s.n)
    cut([&](const DotPart& p, List<DotPart>& all) {
      DotPart first = p, rest = p;
      first.shape.n = n, rest.shape.n = s.n - n;
      rest.b += n * s.b_col, rest.c += n, rest.bias += n;
      all.push(first), all.push(rest);
    });
  if (k < s.k)  // the small sum first: what is rounded between the two is that
    cut([&](const DotPart& p, List<DotPart>& all) {
      DotPart first = p, rest = p;
      first.shape.k = s.k - k, rest.shape.k = k;
      first.a += k * s.a_col, first.b += k * s.b_row;
      first.finishes = false, rest.adds_to_result = true;
      all.push(first), all.push(rest);
    });
  return parts;
}

}  // namespace WEFT_NAMESPACE::kernels
