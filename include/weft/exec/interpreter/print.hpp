#pragma once
// The values of a program's nodes as text, in the form in which PyTorch prints tensors:
// Interpreter{.visit = print_values}.

#include <cstdio>
#include <string>
#include <vector>

#include "weft/exec/print.hpp"
#include "weft/ir/scopes.hpp"
#include "weft/targets/interpreter/device.hpp"
#include "weft/targets/interpreter/node_call.hpp"

namespace WEFT_NAMESPACE {

// "%5 = exp(%4) : f32 (2,) in fc1", and in the next lines "tensor([1.0000, 2.7183])"; inside loops behind
// "trip 3:
// ". (A template, as are the values' texts, so that programs without it do not pay for it while they
// compile.)
template <class Value = NodeValue>
std::string to_text(const Value& value) requires std::is_same_v<Value, NodeValue> {
  const auto elements = [&]<class T>(T, const auto& read) {
    std::vector<T> x;
    for (i64 i = 0; i < value.dims.size(); ++i) x.push_back(static_cast<T>(read(i)));
    return exec::TensorText<T>(x, value.dims, nullptr).text();
  };
  const auto number = [&](i64 i) { return exec::read_float(value.dtype, value.data, i); };
  std::string text = value.trip >= 0 ? "trip " + std::to_string(value.trip) + ": " : "";
  text += value.text() + ir::in_scope(value.scope()) + "\n";
  if (value.dtype == DType::f64) return text + elements(f64{}, number);
  if (is_float(value.dtype)) return text + elements(f32{}, number);
  if (value.dtype == DType::boolean)
    return text + elements(bool{}, [&](i64 i) { return static_cast<const bool*>(value.data)[i]; });
  return text + elements(i64{}, [&](i64 i) { return exec::read_integer(value.dtype, value.data, i); });
}

// Prints every value to the standard output.
inline constexpr auto print_values = []<class Value>(const Value& value) {
  std::puts(to_text(value).c_str());
};

}  // namespace WEFT_NAMESPACE
