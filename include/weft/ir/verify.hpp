#pragma once
// What is legal in a graph, checked: order, arity, dtypes, shapes (by shape_rule.hpp), attributes, slots. A
// fault is a mistake in weft, never in a user's program. Runs in constant evaluation too, in time linear in
// the graph.

#include <string>

#include "weft/ir/along_axis.hpp"
#include "weft/ir/attention.hpp"
#include "weft/ir/collective.hpp"
#include "weft/ir/conv.hpp"
#include "weft/ir/dynamic_slice.hpp"
#include "weft/ir/group.hpp"
#include "weft/ir/loop.hpp"
#include "weft/ir/verify_tables.hpp"

namespace WEFT_NAMESPACE::ir {

// The first thing that is wrong; `what` is null where nothing is.
struct Fault {
  const char* what = nullptr;
  int node = -1;  // -1: the graph's outputs, assignments or slots
  constexpr explicit operator bool() const { return what != nullptr; }
};

// How far the passes have come: each stage demands what the one before it does, and more.
enum class Stage : u8 {
  traced,  // anything that tracing and differentiation may write
  pruned,  // no node without a use, no result of a region twice, no stop_gradient or marker, no result that
           // is itself a leaf in memory
};

class Verifier {
 public:
  constexpr Verifier(const Graph& graph, Stage stage) : g(graph), stage_(stage) {}

  constexpr Fault run() {
    if (const char* wrong = table_fault(g)) return {wrong, -1};
    for (int i = 0; i < g.nodes.size(); ++i)
      if (const char* wrong = node(i)) return {wrong, i};
    if (const char* wrong = results()) return {wrong, -1};
    if (stage_ == Stage::pruned) {
      List<u8> used(g.nodes.size(), 0);
      for (int e : g.edges) used[e] = 1;
      for (int o : g.outputs) used[o] = 1;
      for (const Assign& a : g.assigns) used[a.node] = 1;
      for (int i = 0; i < g.nodes.size(); ++i)
        if (!used[i]) return {"a node that nothing uses", i};
      return left_twice();
    }
    return {};
  }

 private:
  constexpr const char* results() const {
    const int n = g.nodes.size();
    for (int k = 0; k < g.inputs.size(); ++k) {
      const int x = g.inputs[k];
      if (x < -1 || x >= n) return "an input's node does not exist";
      if (x >= 0 && (g.nodes[x].op != Op::input || g.nodes[x].imm != static_cast<u64>(k)))
        return "an input's node is not that input";
    }
    for (int x : g.outputs)
      if (const char* wrong = result(x)) return wrong;
    List<u8> assigned(g.slots.size(), 0);
    List<Bytes> written;
    for (const Assign& a : g.assigns) {
      if (a.slot < 0 || a.slot >= g.slots.size()) return "an assigned slot does not exist";
      if (assigned[a.slot]++) return "a slot is assigned twice";
      if (const char* wrong = result(a.node)) return wrong;
      const Slot& s = g.slots[a.slot];
      if (g.nodes[a.node].dtype != s.dtype) return "a slot is assigned a value of another dtype";
      if (g.dims(a.node) != g.shapes[s.shape]) return "a slot is assigned a value of another shape";
      const i64 unit = size_of(s.dtype);
      if (s.segments < 0) written.push({s.space, s.offset, s.offset + g.shapes[s.shape].size() * unit});
      for (int r = 0; s.segments >= 0 && r < g.param_groups[s.segments].size; ++r) {
        const Range& range = g.ranges[g.param_groups[s.segments].begin + r];
        written.push(
            {s.space, s.offset + range.offset * unit, s.offset + (range.offset + range.length) * unit});
      }
    }
    sort(written, [](const Bytes& a, const Bytes& b) {
      return a.space != b.space ? a.space < b.space : a.begin < b.begin;
    });
    for (int k = 1; k < written.size(); ++k)
      if (written[k].space == written[k - 1].space && written[k].begin < written[k - 1].end)
        return "two assigned slots overlap";
    return nullptr;
  }
  struct Bytes {
    Space space{};
    i64 begin = 0, end = 0;
  };
  constexpr const char* result(int x) const {
    if (x < 0 || x >= g.nodes.size()) return "a result's node does not exist";
    const Op op = g.nodes[x].op;
    if (stage_ == Stage::pruned && (op == Op::input || op == Op::state || op == Op::scalar))
      return "a result is a leaf in memory";
    return nullptr;
  }

  constexpr const char* node(int i) {
    const Node& n = g.nodes[i];
    if (static_cast<int>(n.op) >= op_count) return "no such primitive";
    if (static_cast<int>(n.dtype) >= dtype_count) return "no such dtype";
    if (n.shape < 0 || n.shape >= g.shapes.size()) return "its shape does not exist";
    if (n.list < -1 || n.list >= g.lists.size()) return "its attribute list does not exist";
    if (n.first < 0 || n.arity < 0 || n.first + n.arity > g.edges.size())
      return "its operands lie outside the edges";
    const OpInfo& row = info(n.op);
    if (row.arity >= 0 && n.arity != row.arity) return "wrong number of operands";
    const int* in = g.edges.data() + n.first;
    for (int k = 0; k < n.arity; ++k)
      if (in[k] < 0 || in[k] >= i) return "an operand does not come before it";
    if (stage_ == Stage::pruned && n.op == Op::stop_gradient) return "stop_gradient after pruning";
    if (stage_ == Stage::pruned && info(n.op).kind == OpClass::marker) return "a marker after pruning";
    switch (row.kind) {
      case OpClass::leaf:
        return leaf(n);
      case OpClass::pointwise:
        return pointwise(n, in);
      case OpClass::marker:
        return marker(n, in);
      case OpClass::movement:
        return movement(i, n, in);
      case OpClass::reduction:
        return reduction(i, n, in);
      case OpClass::dot:
        return dot(i, n, in);
      case OpClass::conv:
        return conv(i, n, in);
      case OpClass::index:
        return index(n, in);
      case OpClass::along_axis:
        return along_axis_fault(g, i);
      case OpClass::dynamic_slice:
        return dynamic_slice_fault(g, i);
      case OpClass::custom:
        return n.list >= 0 && g.attributes(i) > 0 ? nullptr : "custom: no attributes";
      case OpClass::collective:
        return n.op == Op::group_collective ? group_fault(g, i) : collective_fault(g, i);
      case OpClass::arena:
        return arena(i, n, in);
      case OpClass::region:
        if (n.op == Op::loop) return loop(i, n, in);
        return is_attention(n.op) ? attention(i, n) : region_result(i, n, in);
    }
    return nullptr;
  }

  constexpr const char* leaf(const Node& n) const {
    const Dims& d = g.shapes[n.shape];
    switch (n.op) {
      case Op::input:
        return n.imm < static_cast<u64>(g.inputs.size()) ? nullptr : "no such input";
      case Op::state: {
        if (g.is_body) return "a loop's body reads state other than as an invariant";
        if (n.imm >= static_cast<u64>(g.slots.size())) return "no such slot";
        const Slot& s = g.slots[static_cast<int>(n.imm)];
        if (n.dtype != s.dtype) return "a read of a slot has another dtype than the slot";
        return d == g.shapes[s.shape] ? nullptr : "a read of a slot has another shape than the slot";
      }
      case Op::iota:
        if (n.imm >= static_cast<u64>(d.rank)) return "an index along an axis that is not there";
        return n.dtype == DType::boolean ? "an index cannot be boolean" : nullptr;
      case Op::random:
        if (n.dtype != DType::u32) return "random bits are u32";
        return n.imm < static_cast<u64>(g.streams) ? nullptr : "a random stream that was never handed out";
      case Op::scalar:
        if (n.dtype != DType::f32 || d.rank != 0) return "a run-time scalar is one f32";
        return n.imm < static_cast<u64>(g.scalar_count) ? nullptr : "no such run-time scalar";
      default:
        return nullptr;
    }
  }

  constexpr const char* pointwise(const Node& n, const int* in) const {
    for (int k = 0; k < n.arity; ++k) {
      const int shape = g.nodes[in[k]].shape;
      if (shape != n.shape && g.shapes[shape] != g.shapes[n.shape])
        return "an operand of pointwise arithmetic has another shape";
    }
    const DType x = g.nodes[in[0]].dtype;
    const DType y = n.arity > 1 ? g.nodes[in[1]].dtype : x;
    switch (n.op) {
      case Op::cast:
        return nullptr;
      case Op::bitcast:
        return size_of(x) == size_of(n.dtype) ? nullptr : "a bitcast to a dtype of another size";
      case Op::select:
        if (x != DType::boolean) return "a condition is not boolean";
        return y == n.dtype && g.nodes[in[2]].dtype == n.dtype ? nullptr : "select: operands of two dtypes";
      case Op::fma:
        return x == n.dtype && y == n.dtype && g.nodes[in[2]].dtype == n.dtype && is_float(x)
                   ? nullptr
                   : "fma takes floats of one dtype";
      default:
        break;
    }
    if (x != y) return "operands of two dtypes";
    if (n.dtype != (is_predicate(n.op) ? DType::boolean : x))
      return "a result's dtype does not follow from its operands";
    if (n.op >= Op::bit_and && n.op <= Op::bit_xor) return is_float(x) ? "bits of a float" : nullptr;
    if (n.op == Op::shift_right) return is_integer(x) ? nullptr : "a shift of what is no integer";
    const bool function = (n.op >= Op::exp && n.op <= Op::erfc) || n.op == Op::atan2;
    return function && !is_float(x) ? "a function of floats applied to integers" : nullptr;
  }

  constexpr const char* marker(const Node& n, const int* in) const {
    const bool scaled = n.op == Op::f8_gradient;
    if (scaled && (n.dtype != DType::f32 || g.nodes[in[1]].dtype != DType::f32 || g.dims(in[1]).rank != 0))
      return "f8_gradient: the value is f32, and its scale one f32";
    for (int k = 0; k < (scaled ? 1 : n.arity); ++k) {
      const Node& x = g.nodes[in[k]];
      if (x.dtype != n.dtype || (x.shape != n.shape && g.shapes[x.shape] != g.shapes[n.shape]))
        return "a marker: the value and what it is differentiated by have two dtypes or shapes";
    }
    return nullptr;
  }

  // The attribute list of node i as axes of a tensor of this rank: in range, none twice.
  constexpr bool are_axes(int i, int rank) const {
    Axes seen = 0;
    for (int k = 0; k < g.attributes(i); ++k) {
      const i64 axis = g.attribute(i, k);
      if (axis < 0 || axis >= rank || (seen >> axis & 1u) != 0) return false;
      seen |= 1u << axis;
    }
    return true;
  }

  constexpr const char* movement(int i, const Node& n, const int* in) const {
    if (g.nodes[in[0]].dtype != n.dtype) return "movement changes a dtype";
    const Dims &from = g.dims(in[0]), &to = g.shapes[n.shape];
    switch (n.op) {
      case Op::broadcast:
        return weft::broadcast(from, to) == to ? nullptr : "a shape that does not broadcast to the result's";
      case Op::add_dependency:
        return from == to ? nullptr : "add_dependency changes a shape";
      case Op::reshape:
        return from.size() == to.size() ? nullptr : "a reshape changes the number of elements";
      case Op::permute:
        if (n.list < 0 || g.attributes(i) != from.rank || !are_axes(i, from.rank))
          return "permute: not an order of the axes";
        return permuted(from, g.list_data.data() + g.lists[n.list].begin) == to
                   ? nullptr
                   : "permute: wrong result shape";
      case Op::slice:
        if (from.rank != to.rank || g.attributes(i) != 2 * from.rank)
          return "slice: one begin and step an axis";
        for (int k = 0; k < to.rank; ++k) {
          const i64 first = g.attribute(i, 2 * k),
                    last = first + (to.extent[k] - 1) * g.attribute(i, 2 * k + 1);
          if (to.extent[k] > 0 &&
              (first < 0 || last < 0 || first >= from.extent[k] || last >= from.extent[k]))
            return "slice: outside its operand";
        }
        return nullptr;
      default:
        if (n.list < 0 || g.attributes(i) != 2 * from.rank) return "pad: two widths an axis";
        for (int k = 0; k < 2 * from.rank; ++k)
          if (g.attribute(i, k) < 0) return "pad: a negative width";
        return padded(from, g.list_data.data() + g.lists[n.list].begin) == to ? nullptr
                                                                              : "pad: wrong result shape";
    }
  }

  constexpr const char* reduction(int i, const Node& n, const int* in) const {
    const DType x = g.nodes[in[0]].dtype;
    const Dims& from = g.dims(in[0]);
    const bool finds = n.op == Op::argmax || n.op == Op::argmin;
    if (g.attributes(i) == 0 || !are_axes(i, from.rank))
      return "a reduction's axes are missing, out of range or twice there";
    if (finds ? n.dtype != DType::i64 : n.dtype != x)
      return "a reduction's dtype does not follow from its operand";
    Axes axes = 0;
    for (int k = 0; k < g.attributes(i); ++k) axes |= 1u << g.attribute(i, k);
    return reduced(from, axes) == g.shapes[n.shape]
               ? nullptr
               : "a reduction's shape is not its operand's with extents of 1";
  }

  constexpr const char* dot(int i, const Node& n, const int* in) const {
    const Dims &a = g.dims(in[0]), &b = g.dims(in[1]);
    if (g.attributes(i) < 2) return "dot: no axes";
    const i64 batch = g.attribute(i, 0), contracted = g.attribute(i, 1);
    if (batch < 0 || contracted < 0 || batch > max_rank || contracted > max_rank ||
        g.attributes(i) != 2 + 2 * (batch + contracted))
      return "dot: wrong number of axes";
    const DotAxes axes = dot_axes(g, i);
    const auto distinct = [](const int* first, int firsts, const int* second, int seconds, int rank) {
      Axes seen = 0;
      for (int k = 0; k < firsts + seconds; ++k) {
        const int axis = k < firsts ? first[k] : second[k - firsts];
        if (axis < 0 || axis >= rank || (seen >> axis & 1u) != 0) return false;
        seen |= 1u << axis;
      }
      return true;
    };
    if (!distinct(axes.batch_a, axes.batch, axes.contracted_a, axes.contracted, a.rank) ||
        !distinct(axes.batch_b, axes.batch, axes.contracted_b, axes.contracted, b.rank))
      return "dot: an axis is out of range or twice there";
    if (!axes.agrees(a, b)) return "dot: the extents of joined axes differ";
    if (g.nodes[in[0]].dtype != g.nodes[in[1]].dtype) return "dot: operands of two dtypes";
    if (n.imm > dot_f8 || (n.imm == dot_tf32 && g.nodes[in[0]].dtype != DType::f32))
      return "dot: only factors of f32 can be rounded to tf32";
    if (n.imm == dot_f8 && (stage_ == Stage::pruned || g.nodes[in[0]].dtype != DType::f32))
      return "dot: the mark of 8-bit factors is one of factors in f32, before precisions are applied";
    if (is_float(n.dtype) != is_float(g.nodes[in[0]].dtype))
      return "dot: its dtype does not follow from its operands";
    return dot_dims(a, b, axes) == g.shapes[n.shape] ? nullptr : "dot: wrong result shape";
  }

  constexpr const char* conv(int i, const Node& n, const int* in) const {
    const Dims &x = g.dims(in[0]), &w = g.dims(in[1]);
    const DType t = g.nodes[in[0]].dtype;
    if (x.rank < 4 || x.rank > 6 || w.rank != x.rank) return "conv: operands of 4 to 6 axes, both the same";
    if (g.attributes(i) != conv_attributes(x.rank - 3)) return "conv: wrong number of attributes";
    if (g.nodes[in[1]].dtype != t || !is_float(t) || !is_float(n.dtype))
      return "conv: its dtype does not follow from its operands";
    if (n.imm != 0 && (n.imm != dot_tf32 || g.nodes[in[0]].dtype != DType::f32))
      return "conv: only factors of f32 can be rounded to tf32";
    const ConvAxes axes = conv_axes(g, i);
    Axes seen = 0;
    for (int k = 0; k < 3; ++k) {
      if (axes.order[k] < 0 || axes.order[k] > 2) return "conv: no order of the result's axes";
      seen |= 1u << axes.order[k];
    }
    if (seen != 7) return "conv: no order of the result's axes";
    for (int k = 0; k < axes.spatial; ++k)
      if (axes.axis[k].stride < 1 || axes.axis[k].x_dilation < 1 || axes.axis[k].w_dilation < 1)
        return "conv: a stride or a dilation below 1";
    if (x.extent[0] != w.extent[0] || x.extent[2] != w.extent[2])
      return "conv: groups or channels of the operands differ";
    return conv_dims(x, w, axes) == g.shapes[n.shape] ? nullptr : "conv: wrong result shape";
  }

  constexpr const char* index(const Node& n, const int* in) const {
    const bool gathers = n.op == Op::take_rows;
    const int numbers = in[gathers ? 1 : 0], data = in[gathers ? 0 : 1];
    const Dims &index_dims = g.dims(numbers), &data_dims = g.dims(data), &to = g.shapes[n.shape];
    if (!is_integer(g.nodes[numbers].dtype)) return "an index is not an integer";
    if (g.nodes[data].dtype != n.dtype) return "take_rows and scatter_add keep the dtype";
    if (gathers) {
      if (data_dims.rank < 1 || index_dims.rank + data_dims.rank - 1 > max_rank)
        return "take_rows: ranks out of range";
      return gathered(data_dims, index_dims) == to ? nullptr : "take_rows: wrong result shape";
    }
    if (to.rank < 1 || index_dims.rank > data_dims.rank) return "scatter_add: ranks out of range";
    for (int k = 0; k < index_dims.rank; ++k)
      if (index_dims.extent[k] != data_dims.extent[k]) return "scatter_add: one row an index";
    return scattered(to.extent[0], index_dims, data_dims) == to ? nullptr : "scatter_add: wrong result shape";
  }

  constexpr const char* arena(int i, const Node& n, const int* in) const {
    const Dims& to = g.shapes[n.shape];
    if (n.op == Op::flat_slice) {
      const Dims& from = g.dims(in[0]);
      if (from.rank != 1 || g.nodes[in[0]].dtype != n.dtype)
        return "flat_slice: not a flat vector of its dtype";
      return static_cast<i64>(n.imm) >= 0 && static_cast<i64>(n.imm) + to.size() <= from.extent[0]
                 ? nullptr
                 : "flat_slice: beyond the vector";
    }
    if (to.rank != 1 || g.attributes(i) != n.arity)
      return "flat_concat: one offset an operand of a flat vector";
    const i64 group = static_cast<i64>(n.imm);
    if (group < -1 || group >= g.param_groups.size()) return "flat_concat: no such parameter group";
    const i64 length = group < 0 ? to.extent[0] : group_end(static_cast<int>(group));
    i64 end = 0;
    for (int k = 0; k < n.arity; ++k) {
      if (g.nodes[in[k]].dtype != n.dtype) return "flat_concat: operands of two dtypes";
      if (g.attribute(i, k) < end) return "flat_concat: operands overlap or are out of order";
      end = g.attribute(i, k) + g.dims(in[k]).size();
    }
    return end <= length ? nullptr : "flat_concat: an operand reaches beyond the vector";
  }
  constexpr const char* loop(int i, const Node& n, const int* in) const {
    if (g.attributes(i) != 7 || n.imm >= static_cast<u64>(g.bodies.size())) return "loop: no body";
    const Span& words = g.bodies[static_cast<int>(n.imm)];
    if (words.begin < 0 || words.begin + words.size > g.body_words.size()) return "loop: no body";
    const LoopShape s = loop_shape(g, i);
    if (s.trips < 0 || s.carries < 0 || s.stacked < 0 || s.invariants < 0 || s.outputs < 0 || s.ahead < 0 ||
        s.ahead > s.stacked || s.operands() != n.arity)
      return "loop: its operands are not carries, stacked inputs and invariants";
    const Graph body = loop_body(g, i);
    if (Verifier(body, stage_).run()) return "loop: its body is at fault";
    if (!body.is_body || !body.assigns.empty() || body.inputs.size() != n.arity ||
        body.outputs.size() != s.carries + s.outputs)
      return "loop: its body's inputs or outputs are not the loop's";
    for (int k = 0; k < n.arity; ++k) {
      const Dims& d = g.dims(in[k]);
      if (s.is_stacked(k) && (d.rank < 1 || d.extent[0] != s.trips))
        return "loop: a stacked input does not have an extent of the trips";
      const int x = body.inputs[k];
      if (x >= 0 && (body.nodes[x].dtype != g.nodes[in[k]].dtype ||
                     body.dims(x) != (s.is_stacked(k) ? slice_dims(d) : d)))
        return "loop: an input of its body has another dtype or shape than the operand";
    }
    if (s.ahead > 0 && !begins_ahead(s, body)) return "loop: its next trip's inputs are read";
    for (int k = 0; k < s.carries; ++k)
      if (body.nodes[body.outputs[k]].dtype != g.nodes[in[k]].dtype ||
          body.dims(body.outputs[k]) != g.dims(in[k]))
        return "loop: a carry comes out of its body with another dtype or shape";
    if (body.key_input >= 0) {
      if (body.key_input >= n.arity) return "loop: no such input for random numbers";
      const Dims& key = g.dims(in[body.key_input]);
      if (!s.is_stacked(body.key_input) || g.nodes[in[body.key_input]].dtype != DType::u32 || key.rank != 2 ||
          key.extent[1] != 4)
        return "loop: random numbers take four words a trip";
    }
    return nullptr;
  }
  // Whether what a trip has of the next one's slices is what it begins to gather alone.
  constexpr bool begins_ahead(const LoopShape& s, const Graph& body) const {
    List<u8> ahead(body.nodes.size(), 0);
    for (int k = 0; k < s.operands(); ++k)
      if (s.is_ahead(k) && body.inputs[k] >= 0) ahead[body.inputs[k]] = 1;
    for (int i = 0; i < body.nodes.size(); ++i)
      for (int k = 0; k < body.nodes[i].arity; ++k) {
        if (!ahead[body.in(i, k)] || body.nodes[i].op == Op::all_gather_state_start) continue;
        if (body.nodes[i].op != Op::add_dependency || k > 0) return false;
        ahead[i] = 1;
      }
    for (const int x : body.outputs)
      if (ahead[x]) return false;
    return true;
  }
  constexpr const char* attention(int i, const Node& n) const {
    if (n.imm >= static_cast<u64>(g.bodies.size())) return "attention: no body";
    const Span& words = g.bodies[static_cast<int>(n.imm)];
    if (words.begin < 0 || words.begin + words.size > g.body_words.size()) return "attention: no body";
    const Graph body = region_body(g, i);
    if (Verifier(body, stage_).run()) return "attention: its body is at fault";
    return attention_fault(g, i, body);
  }
  constexpr const char* region_result(int i, const Node& n, const int* in) const {
    if (is_attention(g.nodes[in[0]].op)) return attention_result_fault(g, i);
    return loop_result(n, in);
  }
  // A kernel writes each result of its region once.
  constexpr Fault left_twice() const {
    const Node* const nodes = g.nodes.data();
    List<int> last, before;  // of the results of a region
    for (int i = 0, n = g.nodes.size(); i < n; ++i) {
      if (nodes[i].op != Op::result) continue;
      if (last.empty()) last = before = List<int>(n, -1);
      const int region = g.in(i, 0);
      for (int r = last[region]; r >= 0; r = before[r])
        if (nodes[r].imm == nodes[i].imm) return {"a region leaves one result twice", i};
      before[i] = last[region];
      last[region] = i;
    }
    return {};
  }
  constexpr const char* loop_result(const Node& n, const int* in) const {
    if (g.nodes[in[0]].op != Op::loop) return "a result of what is no region";
    const LoopShape s = loop_shape(g, in[0]);
    const int which = static_cast<int>(n.imm);
    if (n.imm >= static_cast<u64>(s.results())) return "a loop has no such result";
    if (which < 2 * s.carries) {
      const int carry = g.edges[g.nodes[in[0]].first + which % (s.carries > 0 ? s.carries : 1)];
      const Dims& d = g.dims(carry);
      if (n.dtype != g.nodes[carry].dtype) return "a loop's result has another dtype than the carry";
      return g.shapes[n.shape] == (which < s.carries ? d : stacked_dims(s.trips + 1, d))
                 ? nullptr
                 : "a loop's result has another shape than the carry";
    }
    const Graph body = loop_body(g, in[0]);
    const int x = body.outputs[s.carries + which - 2 * s.carries];
    if (n.dtype != body.nodes[x].dtype) return "a loop's stacked output has another dtype than its body's";
    return g.shapes[n.shape] == stacked_dims(s.trips, body.dims(x))
               ? nullptr
               : "a loop's stacked output has another shape than its body's";
  }
  // Where a group's last range ends: operands of its flat_concat have their offsets in the whole arena.
  constexpr i64 group_end(int group) const {
    const Span s = g.param_groups[group];
    return s.size > 0 ? g.ranges[s.begin + s.size - 1].offset + g.ranges[s.begin + s.size - 1].length : 0;
  }

  const Graph& g;
  Stage stage_;
};

constexpr Fault verify(const Graph& g, Stage stage = Stage::traced) { return Verifier(g, stage).run(); }

// A fault as a sentence, "" where there is none.
inline std::string to_text(const Fault& fault, const Graph& g) {
  if (!fault) return "";
  if (fault.node < 0) return fault.what;
  const Node& n = g.nodes[fault.node];
  const char* name = static_cast<int>(n.op) < op_count ? info(n.op).name : "?";
  return "node %" + std::to_string(fault.node) + " (" + name + "): " + fault.what;
}

}  // namespace WEFT_NAMESPACE::ir
