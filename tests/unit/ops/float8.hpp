#pragma once
// The 8-bit floats in compiled programs, beside what PyTorch gives (tests/parity/generate_float8.py, which
// says what its groups hold). Every result must be the same number, with the same sign of zero.

#include "unit/ops/dtypes.hpp"

namespace float8_test {

using namespace dtype_test;

template <class T>
using OtherFloat8 = std::conditional_t<std::is_same_v<T, f8e4m3>, f8e5m2, f8e4m3>;

template <class T, class S>
void check_same(const TensorView<T, S, Cpu>& got, const Reference& wanted) {
  CAPTURE(wanted.name);
  CHECK(std::string(name_of(dtype_of<T>)) == wanted.dtype);
  CHECK(shape_text(S::value) == wanted.shape);
  REQUIRE(static_cast<std::size_t>(S::size) == wanted.values.size());
  for (i64 k = 0; k < S::size; ++k) {
    const double x = static_cast<double>(got.data()[k]), y = wanted.values[static_cast<std::size_t>(k)];
    const bool same = x == y ? std::signbit(x) == std::signbit(y) : x != x && y != y;
    if (!same) FAIL_CHECK(name_of(dtype_of<T>), " element ", k, ": ", x, ", PyTorch says ", y);
  }
}

// Every result of a tuple beside the outputs of a group.
template <class... T, class... S>
void check_all_same(const std::tuple<TensorView<T, S, Cpu>...>& results, const ReferenceGroup& group) {
  REQUIRE(group.outputs.size() == sizeof...(T));
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (check_same(std::get<K>(results), group.outputs[K]), ...);
  }
  (std::index_sequence_for<T...>{});
}

}  // namespace float8_test
