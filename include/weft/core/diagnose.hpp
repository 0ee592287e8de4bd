#pragma once
// How a wrong shape becomes one readable compile error on every compiler.
// Law: the sentence is a literal in a static_assert, the operation and the operands are types, and the
// static_assert stands inside a class template (a "cause") that has them as arguments; then g++, clang and
// nvcc all print the sentence and, next to it, "ShapesBroadcast<false, Add, Shape<4, 8>, Shape<3, 8>>", once,
// with the user's line in the trail. (A static_assert on a variable template prints no arguments under nvcc;
// a string as a template argument is printed letter by letter there; asserting Cause::value reports twice,
// and creating a Cause object makes clang report the caller's constant expression too.)
//
// An operation uses it so, returning something plausible so that no second error follows:
//
//   constexpr bool fits = broadcastable(A::value, B::value);
//   static_assert(sizeof(ShapesBroadcast<fits, Add, A, B>) > 0);
//   if constexpr (!fits) { return a; } else { ... }
//
// A new cause is a struct like those below, in the header of the operation that needs it.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// Numbers that a message shows beside shapes.
template <i64 Value>
struct GivenAxis {};
template <i64 Value>
struct GivenRank {};
template <i64 Value>
struct GivenSize {};

template <bool Ok, class Op, class... Shapes>
struct ShapesBroadcast {
  static_assert(Ok,
                "the shapes do not broadcast: two extents of the same axis must be equal, or one of them 1");
};

template <bool Ok, class Op, class... Shapes>
struct ShapesEqual {
  static_assert(Ok, "the shapes differ, and this operation does not broadcast");
};

// Shapes: of the operands of a product, whose contracted axes are meant.
template <bool Ok, class Op, class... Shapes>
struct InnerExtentsEqual {
  static_assert(Ok, "the extents of the contracted axes differ");
};

template <bool Ok, class Op, class... Shapes>
struct ResultHasRoom {
  static_assert(Ok, "the result would have more axes than a tensor may have, 8");
};

template <bool Ok, class Op, class... Shapes>
struct SizesEqual {
  static_assert(Ok, "the new shape does not hold the same number of elements");
};

// What: a GivenAxis<i>, then the Shape it should fit in.
template <bool Ok, class Op, class... What>
struct AxisInRange {
  static_assert(Ok, "the axis does not exist: it must lie in [-rank, rank)");
};

// What: a Shape, then the GivenRank<r> it should have.
template <bool Ok, class Op, class... What>
struct RankIs {
  static_assert(Ok, "the tensor has the wrong number of axes");
};

template <bool Ok, class Op, class... Dtypes>
struct DtypesEqual {
  static_assert(Ok, "the dtypes differ: convert one operand with cast<T>");
};

template <bool Ok, class Op, class... Dtypes>
struct DtypeAllowed {
  static_assert(Ok, "the operation is not defined for this dtype");
};

}  // namespace WEFT_NAMESPACE
