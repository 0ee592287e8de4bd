#pragma once
// A custom primitive in the graph: imm is its id; attributes are a flag, then its name, eight characters a
// number. Law: a node says all that its kernel needs; only its gradient is found through the trace.

#include <string_view>

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

// `undefined`: stands for the gradient of a primitive that has none; compiling it is an error.
constexpr Value custom(Builder& b, u64 id, std::string_view name, bool undefined, DType dtype,
                       const Dims& dims, const List<int>& operands) {
  List<i64> attributes(1, undefined ? 1 : 0);
  for (std::size_t k = 0; k < name.size(); ++k) {
    if (k % 8 == 0) attributes.push(0);
    attributes.back() =
        static_cast<i64>(static_cast<u64>(attributes.back()) |
                         static_cast<u64>(static_cast<unsigned char>(name[k])) << 8 * (k % 8));
  }
  Node node{Op::custom, dtype};
  node.shape = b.shape(dims);
  node.list = b.list(attributes.data(), attributes.size());
  node.imm = id;
  return {&b, b.add(node, operands.data(), operands.size())};
}

// Calls f with every character of node i's name.
template <class F>
constexpr void custom_name(const Graph& g, int i, const F& f) {
  for (int k = 1; k < g.attributes(i); ++k)
    for (u64 rest = static_cast<u64>(g.attribute(i, k)); rest != 0; rest >>= 8)
      f(static_cast<char>(rest & 255));
}

// Remembers how y, a primitive that a trace uses, is differentiated.
constexpr void remember(Value y, const CustomGradient& gradient) {
  List<CustomGradient>& known = y.builder->home().custom_gradients;
  for (const CustomGradient& k : known)  // the functions' addresses are no constants under g++'s sanitizer
    if (k.id == gradient.id && k.matches(y.builder->graph, y.id)) return;
  known.push(gradient);
}

// The gradients of custom node i's operands from g, that of its result; -1: none.
constexpr List<int> custom_gradient(Builder& b, int i, int g) {
  List<int> out(b.graph.nodes[i].arity, -1);
  const List<CustomGradient>& known = b.home().custom_gradients;
  for (int k = 0; k < known.size(); ++k) {
    if (known[k].id != b.graph.nodes[i].imm || !known[k].matches(b.graph, i)) continue;
    known[k].gradient(b, i, g, out.data());  // may add to `known`
    return out;
  }
  throw Error("ir/custom", "the gradient of a custom primitive that this trace never used");
}

}  // namespace WEFT_NAMESPACE::ir
