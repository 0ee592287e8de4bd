#pragma once
// check::finite and check::indices of every node. Law: a NaN or an infinity that reaches a result or an
// assignment is traced back to the first node that made it from finite operands, or was given it; one that is
// discarded on its way (by a select, a comparison, a clamp) is nobody's fault.

#include <string>

#include "weft/exec/checker.hpp"
#include "weft/ir/checked_index.hpp"
#include "weft/targets/interpreter/graph_runner.hpp"

namespace WEFT_NAMESPACE::exec {

inline Oddity find_oddity(DType t, const void* values, i64 count) {
  Oddity odd;
  if (!is_float(t)) return odd;
  for (i64 i = 0; i < count; ++i) {
    const double x = read_float(t, values, i);
    if (x - x == 0) continue;
    i64& first = x != x ? odd.nan : odd.infinity;
    if (first < 0) first = i;
  }
  return odd;
}

// Whether an integer tells what an odd operand held: its place, its order, its number.
inline bool tells_of_oddity(ir::Op op, DType result) { return is_integer(result) && op != ir::Op::select; }

struct NodeChecks {
  // After each node: what is odd in its value, and whose fault that is.
  static void finite(GraphRunner& r, const NodeCall& c) {
    const ir::Node& n = c.self();
    if (r.odd_.empty()) start(r);
    if (n.op == ir::Op::loop) return;
    Oddity& odd = r.odd_[c.node];
    odd = find_oddity(n.dtype, r.values_[c.node], c.dims().size());
    if (n.op == ir::Op::input && r.outer_ != nullptr) odd.fault = r.input_faults_[static_cast<int>(n.imm)];
    if (n.op == ir::Op::result && odd.any())
      odd.fault = r.loops_[r.g_.in(c.node, 0)]->odd[static_cast<int>(n.imm)].fault;
    if (n.arity == 0 || n.op == ir::Op::result) return;
    const bool tells = tells_of_oddity(n.op, n.dtype);
    if (!odd.any() && !tells) return;
    int given = -1;  // the operand that explains it
    for (int k = 0; k < n.arity; ++k) {
      const Oddity& x = r.odd_[r.g_.in(c.node, k)];
      if (!x.any()) continue;
      if (given < 0 || (r.odd_[r.g_.in(c.node, given)].nan < 0 && x.nan >= 0)) given = k;
      if (x.fault >= 0 && (odd.fault < 0 || x.fault < odd.fault)) odd.fault = x.fault;
    }
    if (tells) {
      if (odd.fault >= 0) odd.nan = 0;
    } else if (odd.fault < 0 && r.spared_[c.node] == 0 && (odd.nan >= 0 || given < 0)) {
      List<std::string>& faults = outermost(r).faults_;
      odd.fault = faults.size();
      faults.push(fault_text(r, c, odd, given));
    }
  }

  // When all nodes are evaluated: throws for the earliest fault that reached what the program gives.
  static void settle(GraphRunner& r) {
    int first = -1;
    const auto take = [&](int node) {
      const Oddity& odd = r.odd_[node];
      if (odd.any() && odd.fault >= 0 && (first < 0 || odd.fault < first)) first = odd.fault;
    };
    if (r.odd_.empty()) return;
    for (const int x : r.g_.outputs) take(x);
    for (const ir::Assign& a : r.g_.assigns) take(a.node);
    if (first < 0) return r.faults_.clear();
    const std::string text = r.faults_[first];
    r.faults_.clear();
    throw Error("check/finite", text);
  }

  // Before each node that looks places up.
  static void places(const GraphRunner& r, const NodeCall& c) {
    ir::each_checked_index(r.g_, c.node,
                           [&](int k, i64 least, i64 most) { check_range(r, c, k, least, most); });
  }

 private:
  // Throws unless every element of operand k, an index, is among least ... most.
  static void check_range(const GraphRunner& r, const NodeCall& c, int k, i64 least, i64 most) {
    const i64 size = c.operand_dims(k).size();
    for (i64 i = 0; i < size; ++i) {
      const i64 place = read_integer(c.operand_dtype(k), c.in[k], i);
      if (place < least || place > most)
        throw Error("check/indices", where(r, c.node) + ": element " + place_text(c.operand_dims(k), i) +
                                         " of its index, " + value_text(r, r.g_.in(c.node, k)) + ", is " +
                                         std::to_string(place) + ", outside " + std::to_string(least) +
                                         " ... " + std::to_string(most));
    }
  }

  static void start(GraphRunner& r) {
    r.odd_ = List<Oddity>(r.g_.nodes.size());
    r.spared_ = scaled_nodes(r.g_, r.context_.scale_offset);
  }
  static GraphRunner& outermost(GraphRunner& r) {
    const GraphRunner* at = &r;
    while (at->outer_ != nullptr) at = at->outer_;
    return const_cast<GraphRunner&>(*at);
  }

  static std::string op_text(const ir::Graph& g, int i) {
    if (g.nodes[i].op != ir::Op::custom) return ir::info(g.nodes[i].op).name;
    std::string name;
    ir::custom_name(g, i, [&](char c) { name += c; });
    return name;
  }
  static std::string type_text(const ir::Graph& g, int i) {
    return std::string(to_text(g.dims(i)).c_str()) + " of " + name_of(g.nodes[i].dtype);
  }
  // "node 5, exp (8, 10) of f32 in h.0.mlp", behind the trips of the loops around it.
  static std::string where(const GraphRunner& r, int i) {
    return trips_text(r) + "node " + std::to_string(i) + ", " + op_text(r.g_, i) + " " + type_text(r.g_, i) +
           ir::in_scope(r.scopes()[i]);
  }
  static std::string trips_text(const GraphRunner& r) {
    if (r.outer_ == nullptr) return "";
    return trips_text(*r.outer_) + "node " + std::to_string(r.loop()) + ", loop, trip " +
           std::to_string(r.trip_) + ": ";
  }
  // The piece of state that a node reads, "h.3.fc.weight" of the trip at hand; empty where it is none.
  static std::string state_text(const GraphRunner& r, int x) {
    const ir::Node& n = r.g_.nodes[x];
    if (n.op == ir::Op::state) return slot_name(r.g_.slots[static_cast<int>(n.imm)], r.context_.state_name);
    if (n.op != ir::Op::input || r.outer_ == nullptr) return "";
    const int loop = r.loop(), operand = static_cast<int>(n.imm);
    const std::string name = state_text(*r.outer_, r.outer_->g_.in(loop, operand));
    const bool stacked = ir::loop_shape(r.outer_->g_, loop).is_stacked(operand);
    return stacked ? ir::in_slice(name, std::to_string(r.trip_)) : name;
  }
  // "input 0 (8, 10) of f32"
  static std::string value_text(const GraphRunner& r, int x) {
    const ir::Node& n = r.g_.nodes[x];
    std::string name = state_text(r, x);
    if (name.empty()) {
      name = "the result of node " + std::to_string(x) + ", " + op_text(r.g_, x) + ",";
      if (n.op == ir::Op::input)
        name = (r.outer_ != nullptr ? "operand " : "input ") + std::to_string(n.imm) +
               (r.outer_ != nullptr ? " of the loop" : "");
    }
    return name + " " + type_text(r.g_, x);
  }
  static std::string fault_text(const GraphRunner& r, const NodeCall& c, const Oddity& odd, int given) {
    const i64 at = odd.nan >= 0 ? odd.nan : odd.infinity;
    std::string text = where(r, c.node) + ": element " + place_text(c.dims(), at) + " of its result is " +
                       number_text(read_float(c.self().dtype, c.out, at));
    if (given < 0) return text;
    const Oddity& x = r.odd_[r.g_.in(c.node, given)];
    const i64 place = x.nan >= 0 ? x.nan : x.infinity;
    return text + "; it read " + number_text(read_float(c.operand_dtype(given), c.in[given], place)) +
           " at " + place_text(c.operand_dims(given), place) + " of " + value_text(r, r.g_.in(c.node, given));
  }
};

}  // namespace WEFT_NAMESPACE::exec
