#pragma once
// Reads the groups that tests/parity/generate_ops.py and its like wrote, runs each as one compiled program on
// the host, and compares every result with PyTorch's. "losses/x" is group x of data/losses.txt; without a
// folder it is one of data/ops.txt, or of data/func.txt if it is named func_x.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/repository.hpp"
#include "weft/exec/function.hpp"

namespace weft::testing {

struct Reference {
  std::string name, dtype, shape;
  std::vector<double> values;
};
struct ReferenceGroup {
  std::vector<Reference> inputs, outputs;
};

inline ReferenceGroup read_group(const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::string from = "tests/parity/data/" +
                           (slash != name.npos            ? name.substr(0, slash)
                            : name.rfind("func_", 0) == 0 ? "func"
                                                          : "ops") +
                           ".txt";
  const std::string wanted = slash == name.npos ? name : name.substr(slash + 1);
  std::ifstream file(repository_file(from));
  REQUIRE_MESSAGE(file.good(), from, ": not found");
  ReferenceGroup group;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, value;
    words >> kind;
    if (kind == "group") {
      words >> value;
      inside = value == wanted;
      continue;
    }
    if (!inside) continue;
    Reference r;
    if (kind == "out") words >> r.name;
    words >> r.dtype >> r.shape;
    while (words >> value) r.values.push_back(std::stod(value));
    (kind == "in" ? group.inputs : group.outputs).push_back(r);
  }
  REQUIRE_MESSAGE(!group.outputs.empty(), "no such group: ", wanted);
  return group;
}

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
template <class F, class... T, class... S>
void check_group(const std::string& name, F f, Input<T, S>... inputs) {
  const ReferenceGroup group = read_group(name);
  REQUIRE(group.inputs.size() == sizeof...(T));
  auto function = compile(Cpu{}, f, inputs...);
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

}  // namespace weft::testing
