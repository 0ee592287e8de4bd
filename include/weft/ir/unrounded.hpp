#pragma once
// A mark on a product: its sums are read as they are where a policy rounds products, as those of parameters'
// gradients are. It is a control edge from a constant, which orders nothing and costs nothing.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

constexpr Value unrounded(Value x) { return add_dependency(x, constant(*x.builder, DType::f32, Dims{}, 0)); }
constexpr bool is_unrounded(const Graph& g, int node) {
  return g.nodes.items[node].op == Op::add_dependency && g.nodes.items[g.in(node, 1)].op == Op::constant;
}

}  // namespace WEFT_NAMESPACE::ir
