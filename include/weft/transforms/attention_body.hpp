#pragma once
// The body of an attention (ir/attention.hpp) out of a trace: what was done to all scores at once becomes
// arithmetic at one place of the grid. Law: what the body computes of a score and its place is what the trace
// computed there; whatever depends on neither scores, places nor random numbers is computed once outside, and
// read along the axes of the grid along which it varies.

#include <utility>

#include "weft/ir/attention.hpp"
#include "weft/ir/inline_graph.hpp"

namespace WEFT_NAMESPACE::transforms {

class AttentionBody {
 public:
  // `traced`: a trace inside `b` whose input 0, of shape `scores`, is the product; its other inputs stand for
  // values of b. The grid's last axes are those of the scores.
  constexpr AttentionBody(ir::Builder& around, const ir::Builder& traced, const Dims& scores,
                          const Dims& all_places)
      : b(around), t_(traced.graph), outer_(traced.outer), rank_(scores.rank), grid_(all_places) {
    body_.graph.is_body = true;
    body_.graph.scalar_count = t_.scalar_count;
    body_.graph.streams = t_.streams;
    product_ = input(DType::f32, grid_).id;
    const int n = t_.nodes.size();
    uses_ = List<u8>(n, 0);
    moved_ = List<int>(n, -1);
    for (int i = 0; i < n; ++i) {
      const ir::Node& node = t_.nodes[i];
      u8 uses = node.op == ir::Op::random ? draws : node.op == ir::Op::iota ? place : 0;
      if (node.op == ir::Op::input && node.imm == 0) uses = score;
      for (int k = 0; k < node.arity; ++k) uses = static_cast<u8>(uses | uses_[t_.in(i, k)]);
      // what is no arithmetic is computed outside, whatever places and random numbers it reads
      uses_[i] = is_arithmetic(node) ? uses : static_cast<u8>(uses & score);
    }
  }

  // Makes a node of the trace, which broadcasts to the scores, the next output; whether it can be one.
  constexpr bool add_output(int node) {
    const Dims d = t_.dims(node);
    Axes axes;
    for (int k = 0; k < d.rank; ++k) axes.at[k] = static_cast<i8>(k + 4 - d.rank);
    if (d.rank > rank_) return false;
    const ir::Value v = lift(node, axes, 0);
    if (v) body_.graph.outputs.push(ir::cast(v, DType::f32).id);
    return static_cast<bool>(v);
  }
  // What is captured, behind which stands the key of random numbers where a loop gives one.
  constexpr const List<int>& captured() {
    if (draws_ && b.graph.key_input >= 0) {
      body_.graph.key_input = body_.graph.inputs.size();
      body_.graph.inputs.push(body_.leaf(ir::Op::input, DType::u32, Shape<4>::value,
                                         static_cast<u64>(body_.graph.inputs.size())));
      operands_.push(b.graph.inputs[b.graph.key_input]);
      draws_ = false;
    }
    return operands_;
  }
  constexpr const ir::Graph& graph() const { return body_.graph; }

  static constexpr int most_captured = 12;  // a kernel takes no more

 private:
  enum : u8 { score = 1, place = 2, draws = 4 };
  static constexpr int deepest = 100;  // of constant evaluation's 512 nested calls
  // The axis of the grid along which each axis of a value lies; -1: its extent is 1.
  struct Axes {
    i8 at[8]{-1, -1, -1, -1, -1, -1, -1, -1};
  };
  static constexpr bool equal(const Axes& x, const Axes& y, int rank) {
    for (int k = 0; k < rank; ++k)
      if (x.at[k] != y.at[k]) return false;
    return true;
  }
  struct Lifted {
    int node = -1;
    Axes axes;
    ir::Value value;
  };

  constexpr ir::Value input(DType t, const Dims& d) {
    const int made = body_.leaf(ir::Op::input, t, d, static_cast<u64>(body_.graph.inputs.size()));
    body_.graph.inputs.push(made);
    return {&body_, made};
  }
  constexpr bool is_whole(const Dims& d, const Axes& axes) const {
    if (d.rank != rank_) return false;
    for (int k = 0; k < d.rank; ++k)
      if (axes.at[k] != k + 4 - d.rank || d.extent[k] != grid_.extent[k + 4 - d.rank]) return false;
    return true;
  }

  static constexpr bool is_arithmetic(const ir::Node& n) {
    const ir::OpClass kind = ir::info(n.op).kind;
    return kind == ir::OpClass::leaf || kind == ir::OpClass::pointwise || kind == ir::OpClass::marker ||
           n.op == ir::Op::broadcast || n.op == ir::Op::reshape || n.op == ir::Op::permute;
  }

  // Node x of the trace at each place of the grid; nothing where it is no arithmetic there.
  constexpr ir::Value lift(int x, const Axes& axes, int depth) {
    const Dims d = t_.dims(x);
    for (const Lifted& known : lifted_)
      if (known.node == x && equal(known.axes, axes, d.rank)) return known.value;
    ir::Value v;
    if (depth < deepest) v = arithmetic(x, d, axes, depth);
    if (!v && (uses_[x] & score) == 0) v = captured_value(x, d, axes);
    lifted_.push({x, axes, v});
    return v;
  }
  constexpr ir::Value arithmetic(int x, const Dims& d, const Axes& axes, int depth) {
    using ir::Op;
    const ir::Node& n = t_.nodes[x];
    switch (n.op) {
      case Op::input:
        return n.imm == 0 && is_whole(d, axes) ? ir::Value{&body_, product_} : ir::Value{};
      case Op::constant:
        return {&body_, body_.constant(n.dtype, body_.shape(grid_), n.imm)};
      case Op::iota: {
        const int axis = axes.at[static_cast<int>(n.imm)];
        return axis < 0 ? ir::constant(body_, n.dtype, grid_, 0)
                        : ir::Value{&body_, body_.leaf(Op::iota, n.dtype, grid_, static_cast<u64>(axis))};
      }
      case Op::random:
        if (!is_whole(d, axes)) return {};
        draws_ = true;
        return {&body_, body_.leaf(Op::random, n.dtype, grid_, n.imm)};
      case Op::broadcast: {
        const int from = t_.in(x, 0);
        const Dims f = t_.dims(from);
        Axes inner;
        for (int k = 0; k < f.rank; ++k)
          if (f.extent[k] != 1) inner.at[k] = axes.at[k + d.rank - f.rank];
        return lift(from, inner, depth + 1);
      }
      case Op::reshape:
        return reshaped(x, d, axes, depth);
      case Op::permute: {
        Axes inner;
        for (int k = 0; k < d.rank; ++k) inner.at[t_.attribute(x, k)] = axes.at[k];
        return lift(t_.in(x, 0), inner, depth + 1);
      }
      default:
        break;
    }
    if (!is_arithmetic(n) || n.arity == 0 || n.arity > 3 || is_cheaper_outside(x, d)) return {};
    int operands[3]{};
    for (int k = 0; k < n.arity; ++k) {
      const ir::Value v = lift(t_.in(x, k), axes, depth + 1);
      if (!v) return {};
      operands[k] = v.id;
    }
    ir::Node node = n;
    node.shape = body_.shape(grid_);
    node.list = -1;
    return {&body_, body_.add(node, operands, n.arity)};
  }
  // Made of captured tensors alone, and no larger than one of them.
  constexpr bool is_cheaper_outside(int x, const Dims& d) const {
    if (uses_[x] != 0) return false;
    for (int k = 0; k < t_.nodes[x].arity; ++k)
      if (t_.nodes[t_.in(x, k)].op != ir::Op::constant && t_.dims(t_.in(x, k)).size() >= d.size() &&
          is_smallest(t_.in(x, k)))
        return true;
    return false;
  }
  // Whether x's elements are all different ones: no broadcast made it.
  constexpr bool is_smallest(int x) const { return t_.nodes[x].op != ir::Op::broadcast; }

  // A reshape that adds or removes extents of 1.
  constexpr ir::Value reshaped(int x, const Dims& d, const Axes& axes, int depth) {
    const int from = t_.in(x, 0);
    const Dims f = t_.dims(from);
    Axes inner;
    int k = 0;
    for (int j = 0; j < f.rank; ++j) {
      if (f.extent[j] == 1) continue;
      while (k < d.rank && d.extent[k] == 1) ++k;
      if (k == d.rank || d.extent[k] != f.extent[j]) return {};
      inner.at[j] = axes.at[k++];
    }
    return lift(from, inner, depth + 1);
  }

  // Node x computed outside and read along the grid.
  constexpr ir::Value captured_value(int x, const Dims& d, const Axes& axes) {
    Dims along{4, {1, 1, 1, 1}};
    int last = -1;  // axis of the grid along which the axis before lies
    bool ascending = true;
    i64 order[8]{};
    for (int k = 0; k < d.rank; ++k) {
      order[k] = k;
      if (d.extent[k] == 1) continue;
      const int a = axes.at[k];
      if (a < 0 || along.extent[a] != 1 || d.extent[k] != grid_.extent[a]) return {};
      along.extent[a] = d.extent[k];
      ascending = ascending && a > last;
      last = a;
    }
    ir::Value v{&b, outside(x)};
    if (!ascending) {
      const auto key = [&](i64 k) { return d.extent[k] == 1 ? -1 : axes.at[k]; };
      for (int i = 1; i < d.rank; ++i)
        for (int k = i; k > 0 && key(order[k]) < key(order[k - 1]); --k) std::swap(order[k], order[k - 1]);
      v = ir::permute(v, order);
    }
    v = ir::reshape(v, along);
    for (int k = 0; k < operands_.size(); ++k)
      if (operands_[k] == v.id) return ir::broadcast({&body_, body_.graph.inputs[1 + k]}, grid_);
    if (operands_.size() == most_captured) return {};
    operands_.push(v.id);
    return ir::broadcast(input(v.dtype(), along), grid_);
  }
  // Node x, which no score reaches, as a node of b.
  constexpr int outside(int x) {
    List<u8> needed(x + 1, 0);
    needed[x] = 1;
    for (int i = x; i >= 0; --i)
      if (needed[i] && moved_[i] < 0)
        for (int k = 0; k < t_.nodes[i].arity; ++k) needed[t_.in(i, k)] = 1;
    List<int> operands;
    for (int i = 0; i <= x; ++i) {
      if (!needed[i] || moved_[i] >= 0) continue;
      const ir::Node& node = t_.nodes[i];
      operands.clear();
      for (int k = 0; k < node.arity; ++k) operands.push(moved_[t_.in(i, k)]);
      moved_[i] = node.op == ir::Op::input ? outer_[static_cast<int>(node.imm)]
                                           : ir::copy_node(b, t_, i, operands.data());
    }
    return moved_[x];
  }

  ir::Builder& b;
  const ir::Graph& t_;
  const List<int>& outer_;  // the node of b that each input of the trace stands for
  int rank_;                // of the scores
  Dims grid_;
  ir::Builder body_{64};
  int product_ = -1;
  List<u8> uses_;
  List<int> moved_;  // nodes of the trace in b
  List<Lifted> lifted_;
  List<int> operands_;
  bool draws_ = false;
};

}  // namespace WEFT_NAMESPACE::transforms
