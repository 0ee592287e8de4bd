#pragma once
// The extent of an axis that is named at run time. Law: an axis that does not exist is an Error, never a
// number.

#include <cstddef>
#include <string>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/shape.hpp"

namespace WEFT_NAMESPACE {

namespace detail {
// (Where an extent is a template argument the compiler says this name.)
[[noreturn]] inline void axis_does_not_exist(int axis, int rank) {
  throw Error("tensor/axis", "axis " + std::to_string(axis) + " does not exist in a tensor of " +
                                 std::to_string(rank) +
                                 " axes: it must lie in [-rank, rank), 0 being the first and -1 the last");
}
}  // namespace detail

// Of an axis in [-rank, rank); throws "tensor/axis" for another.
constexpr i64 checked_extent(const Dims& dims, int axis) {
  if (axis < -dims.rank || axis >= dims.rank) detail::axis_does_not_exist(axis, dims.rank);
  return dims[axis];
}
// The same of a shape that is known at run time.
inline i64 checked_extent(const std::vector<i64>& shape, int axis) {
  const int rank = static_cast<int>(shape.size());
  if (axis < -rank || axis >= rank) detail::axis_does_not_exist(axis, rank);
  return shape[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
}

}  // namespace WEFT_NAMESPACE
