#pragma once
// Extents of a tensor, as a type (Shape) and as a value (Dims), and the rules that every operation shares.
// Law: shape_of<R> and Dims are inverse (Shape<D...>::value has extents D...), and broadcast() is NumPy's
// rule. Plain arrays only, so that device code can use everything here.

#include <cstddef>
#include <utility>

#include "weft/core/config.hpp"
#include "weft/core/diagnose.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// A tensor has at most so many axes.
inline constexpr int max_rank = 8;

// The extents as a value. Entries at and beyond rank are 0. rank -1 means "no shape" (see broadcast).
struct Dims {
  int rank = 0;            // number of axes
  i64 extent[max_rank]{};  // elements along each of them; those behind the rank are 0

  // Whether it is a shape.
  WEFT_HD constexpr bool valid() const { return rank >= 0; }
  // The number of elements; 1 for a scalar.
  WEFT_HD constexpr i64 size() const {
    i64 product = 1;
    for (int i = 0; i < rank; ++i) product *= extent[i];
    return product;
  }
  // The extent of an axis in [-rank, rank).
  WEFT_HD constexpr i64 operator[](int axis) const { return extent[axis < 0 ? axis + rank : axis]; }
  WEFT_HD constexpr bool operator==(const Dims& other) const {
    if (rank != other.rank) return false;
    for (int i = 0; i < rank; ++i)
      if (extent[i] != other.extent[i]) return false;
    return true;
  }
};

template <i64... D>
WEFT_HD constexpr Dims make_dims() {
  if constexpr (sizeof...(D) <= max_rank)
    return Dims{static_cast<int>(sizeof...(D)), {D...}};
  else
    return Dims{};
}

WEFT_REFUSAL(ExtentIsKnown,
             "every extent is known while compiling, and none is negative: write Shape<32, 8> in place of "
             "Shape<-1, 8>, and let the loader pad the last batch, .last = data::pad_and_mask");

WEFT_REFUSAL(AxesAreFew, "a tensor has at most 8 axes: make one of several, Shape<2, 12> of Shape<2, 3, 4>");

// The extents as a type; Shape<> is a scalar's.
template <i64... D>
struct Shape {
  static_assert(sizeof(ExtentIsKnown<((D >= 0) && ... && true), Shape>) > 0);
  static_assert(sizeof(AxesAreFew<sizeof...(D) <= max_rank, GivenRank<sizeof...(D)>>) > 0);
  static constexpr Dims value = make_dims<D...>();
  static constexpr int rank = value.rank;
  static constexpr i64 size = value.size();
  static constexpr i64 dims[sizeof...(D) == 0 ? 1 : sizeof...(D)]{D...};
};

template <class T>
inline constexpr bool is_shape = false;
template <i64... D>
inline constexpr bool is_shape<Shape<D...>> = true;

namespace shape_detail {

template <class Rule, class Seq = std::make_index_sequence<static_cast<std::size_t>(Rule::value.rank)>>
struct FromDims;
template <class Rule, std::size_t... I>
struct FromDims<Rule, std::index_sequence<I...>> {
  using type = Shape<Rule::value.extent[I]...>;
};

}  // namespace shape_detail

// The Shape<...> of a type with `static constexpr Dims value`, which must be valid. A rule makes its value in
// a function without arguments, `= make()`: nvcc's front end takes 131 MB for each member of class type whose
// initialiser calls something with arguments that depend on the template's.
template <class Rule>
using shape_of = typename shape_detail::FromDims<Rule>::type;

// True for an axis in [-rank, rank), the ones normalize_axis takes. A scalar has none.
WEFT_HD constexpr bool axis_in_range(i64 axis, int rank) { return axis >= -rank && axis < rank; }

// -1 is the last axis.
WEFT_HD constexpr int normalize_axis(i64 axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// NumPy's rule: shapes are aligned at their last axes; each pair of extents is equal, or one of them is 1 or
// missing.
WEFT_HD constexpr bool broadcastable(const Dims& a, const Dims& b) {
  for (int i = 1; i <= a.rank && i <= b.rank; ++i) {
    const i64 x = a.extent[a.rank - i], y = b.extent[b.rank - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return a.valid() && b.valid();
}

// The common shape, or an invalid Dims where there is none.
WEFT_HD constexpr Dims broadcast(const Dims& a, const Dims& b) {
  Dims result;
  result.rank = -1;
  if (!broadcastable(a, b)) return result;
  result.rank = a.rank > b.rank ? a.rank : b.rank;
  for (int i = 1; i <= result.rank; ++i) {
    const i64 x = i <= a.rank ? a.extent[a.rank - i] : 1, y = i <= b.rank ? b.extent[b.rank - i] : 1;
    result.extent[result.rank - i] = x == 1 ? y : x;
  }
  return result;
}

// Elements between neighbours along each axis of a contiguous tensor, the last axis running fastest.
WEFT_HD constexpr Dims row_major_strides(const Dims& dims) {
  Dims strides;
  strides.rank = dims.rank;
  i64 step = 1;
  for (int i = dims.rank - 1; i >= 0; --i) {
    strides.extent[i] = step;
    step *= dims.extent[i];
  }
  return strides;
}

// "(128, 64)", "(3,)" or "()", as Python writes a tuple; usable in constant expressions.
struct DimsText {
  char text[22 * max_rank + 4]{};
  int size = 0;

  constexpr const char* c_str() const { return text; }
  constexpr void add(char c) { text[size++] = c; }
  constexpr void add(i64 number) {
    char digits[20]{};
    int count = 0;
    u64 rest = number < 0 ? u64{0} - static_cast<u64>(number) : static_cast<u64>(number);
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (number < 0) add('-');
    while (count > 0) add(digits[--count]);
  }
};
constexpr DimsText to_text(const Dims& dims) {
  DimsText out;
  out.add('(');
  for (int i = 0; i < dims.rank; ++i) {
    if (i > 0) {
      out.add(',');
      out.add(' ');
    }
    out.add(dims.extent[i]);
  }
  if (dims.rank == 1) out.add(',');
  out.add(')');
  return out;
}

}  // namespace WEFT_NAMESPACE
