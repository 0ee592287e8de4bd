#pragma once
// The gradients of the custom primitives of a graph that an earlier constant evaluation left as words: a
// pointer cannot be written there, but ids and types can, and from them the pointers come again.

#include "weft/ir/loop.hpp"
#include "weft/ops/core/custom.hpp"

namespace WEFT_NAMESPACE::exec {

// Words of one tensor's type, and of a signature: id, operands, types of the result and the operands.
inline constexpr int type_words = 2 + max_rank;

constexpr void add_type(List<u64>& words, const ir::Graph& g, int node) {
  const Dims& d = g.dims(node);
  words.push(static_cast<u64>(g.nodes[node].dtype));
  words.push(static_cast<u64>(d.rank));
  for (int k = 0; k < max_rank; ++k) words.push(static_cast<u64>(d.extent[k]));
}
// Adds the signatures of g and of its loops' bodies that are not among the words yet.
constexpr void add_signatures(List<u64>& words, const ir::Graph& g) {
  List<u64> one;
  for (int i = 0; i < g.nodes.size(); ++i) {
    if (g.nodes[i].op != ir::Op::custom) continue;
    one.clear();
    one.push(g.nodes[i].imm);
    one.push(static_cast<u64>(g.nodes[i].arity));
    add_type(one, g, i);
    for (int k = 0; k < g.nodes[i].arity; ++k) add_type(one, g, g.in(i, k));
    bool known = false;
    for (int at = 0; at < words.size() && !known;) {
      const int size = 2 + (static_cast<int>(words[at + 1]) + 1) * type_words;
      known = size == one.size();
      for (int k = 0; k < size && known; ++k) known = words[at + k] == one[k];
      at += size;
    }
    if (!known) words.append(one.data(), one.size());
  }
  for (const ir::Span& body : g.bodies) add_signatures(words, ir::thaw(g.body_words.data() + body.begin));
}

// Stage left a graph behind its first Skip words.
template <class Stage, int Skip>
struct CustomSignatures {
  static constexpr int capacity = 1024;
  static constexpr void write(WordWriter& w) {
    List<u64> words;
    add_signatures(words, ir::FrozenGraph<Stage, Skip>::graph());
    w.put_all(words.data(), words.size());
  }

  template <int At>
  struct Type {
    static constexpr const u64* w = Kept<CustomSignatures>::data + At;
    static constexpr Dims make() {
      Dims d;
      d.rank = static_cast<int>(w[1]);
      for (int k = 0; k < d.rank; ++k) d.extent[k] = static_cast<i64>(w[2 + k]);
      return d;
    }
    static constexpr Dims value = make();
    using expr = Expr<ctype<static_cast<DType>(w[0])>, shape_of<Type>>;
  };
  template <int At, int... K>
  static constexpr void add(List<ir::CustomGradient>& to, std::integer_sequence<int, K...>) {
    constexpr u64 id = Kept<CustomSignatures>::data[At];
    to.push(weft::detail::CustomRule<id, typename Type<At + 2>::expr,
                                     typename Type<At + 2 + (K + 1) * type_words>::expr...>::row);
  }
  template <int At = 0>
  static constexpr void add(List<ir::CustomGradient>& to) {
    if constexpr (At < Kept<CustomSignatures>::size) {
      constexpr int operands = static_cast<int>(Kept<CustomSignatures>::data[At + 1]);
      add<At>(to, std::make_integer_sequence<int, operands>{});
      add<At + 2 + (operands + 1) * type_words>(to);
    }
  }
};

}  // namespace WEFT_NAMESPACE::exec
