#pragma once
// Reads the groups that tests/parity/generate_ops.py and its like wrote, runs each as one compiled program on
// the tests' device, and compares every result with PyTorch's. "losses/x" is group x of data/losses.txt;
// without a folder it is one of data/ops.txt, or of data/func.txt if it is named func_x.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/device.hpp"

namespace weft::testing {

struct Reference {
  std::string name, dtype, shape;
  std::vector<double> values;
};
struct ReferenceGroup {
  std::vector<Reference> inputs, outputs;
};

ReferenceGroup read_group(const std::string& name);

inline std::string shape_text(const Dims& d) {
  std::string s;
  for (int i = 0; i < d.rank; ++i) s += (i > 0 ? "x" : "") + std::to_string(d.extent[i]);
  return d.rank == 0 ? "-" : s;
}

template <class T, class S>
void compare(const std::string& group, const Reference& r, const TensorView<T, S, Cpu>& got, double relative,
             double absolute) {
  INFO(group, " ", r.name);
  CHECK(std::string(name_of(dtype_of<T>)) == r.dtype);
  CHECK(shape_text(S::value) == r.shape);
  REQUIRE(static_cast<std::size_t>(S::size) == r.values.size());
  for (std::size_t k = 0; k < r.values.size(); ++k) {
    const double x = static_cast<double>(got.data()[k]), y = r.values[k];
    const bool same = x == y || (x != x && y != y) || std::fabs(x - y) <= absolute + relative * std::fabs(y);
    if (!same) FAIL_CHECK("element ", k, ": ", x, ", PyTorch says ", y);
  }
}

// `f` takes the group's inputs and returns one result, or a tuple of all of them in order.
template <class Device, class F, class... T, class... S>
void check_group_on(const Device& device, const std::string& name, F f, Input<T, S>... inputs) {
  const ReferenceGroup group = read_group(name);
  REQUIRE(group.inputs.size() == sizeof...(T));
  auto function = compile(device, f, inputs...);
  const auto results = [&]<std::size_t... K>(std::index_sequence<K...>) {
    return function(std::vector<T>(group.inputs[K].values.begin(), group.inputs[K].values.end())...);
  }
  (std::index_sequence_for<T...>{});
  constexpr double relative = 1.3e-6, absolute = 1e-5;
  if constexpr (requires { std::tuple_size<std::remove_cvref_t<decltype(results)>>::value; }) {
    constexpr std::size_t count = std::tuple_size_v<std::remove_cvref_t<decltype(results)>>;
    REQUIRE(group.outputs.size() == count);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (compare(name, group.outputs[K], std::get<K>(results), relative, absolute), ...);
    }
    (std::make_index_sequence<count>{});
  } else {
    REQUIRE(group.outputs.size() == 1);
    compare(name, group.outputs[0], results, relative, absolute);
  }
}
template <class F, class... I>
void check_group(const std::string& name, F f, I... inputs) {
  check_group_on(test_device(), name, f, inputs...);
}

}  // namespace weft::testing
