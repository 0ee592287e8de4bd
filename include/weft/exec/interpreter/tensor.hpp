#pragma once
// Tensor<T, Shape<...>, Interpreter>: a host tensor whose expressions the interpreter evaluates.

#include "weft/exec/immediate.hpp"
#include "weft/exec/interpreter/program.hpp"

namespace WEFT_NAMESPACE {

// A host tensor: what it is assigned is evaluated node by node.
template <class T, class S>
class Tensor<T, S, Interpreter> : public Tensor<T, S, Cpu> {
  using Base = Tensor<T, S, Cpu>;

 public:
  using Base::Base;
  Tensor() = default;
  // Runs the expression.
  template <class Op, class... Args>
  Tensor(const Lazy<Op, Args...>& lazy) {
    exec::evaluate<T, S>(lazy, this->data(), Interpreter{});
  }
  template <class Op, class... Args>
  Tensor& operator=(const Lazy<Op, Args...>& lazy) {
    // by way of new memory: the expression may read this tensor
    return *this = Tensor(lazy);
  }
};

}  // namespace WEFT_NAMESPACE
