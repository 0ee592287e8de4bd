#pragma once
// Loops without what nothing uses: results, carries that only feed themselves, operands. Law: what a loop has
// in memory anyway is not written twice: a stacked output that is a carry, and a carry's last value where its
// history is wanted, are rows of the history.

#include "weft/ir/attention.hpp"

namespace WEFT_NAMESPACE::transforms {

constexpr ir::Graph prune(const ir::Graph& g);

// One loop reduced to the results that are used.
class LoopSimplification {
 public:
  // What stands for a result of the loop before.
  struct Result {
    enum class Kind : u8 { unused, result, rows, last_row, operand } kind = Kind::unused;
    int number = 0;  // of the new loop's result, or of the old loop's operand
    i64 from = 0;    // the first row of a history
  };

  ir::LoopShape before, shape;
  List<u8> kept;        // operands of the loop before that the new one has
  List<Result> result;  // of every result before
  ir::Graph body;

  // `used`: of every result.
  constexpr LoopSimplification(const ir::Graph& g, int loop, const List<u8>& used)
      : before(ir::loop_shape(g, loop)), body(ir::loop_body(g, loop)) {
    const int carries = before.carries;
    shape = before;
    result = List<Result>(before.results());
    find_aliases(used);
    find_live();
    // carries and outputs that remain get new numbers
    List<int> outputs, carry_number(carries, -1);
    shape.carries = shape.stacked = shape.invariants = shape.outputs = 0;
    for (int k = 0; k < carries; ++k)
      if (carry_live_[k]) carry_number[k] = shape.carries++, outputs.push(body.outputs[k]);
    for (int k = 0; k < before.outputs; ++k)
      if (output_live_[k]) output_number_[k] = shape.outputs++, outputs.push(body.outputs[carries + k]);
    List<int> inputs;
    const int key = body.key_input;
    body.key_input = -1;
    for (int k = 0; k < before.operands(); ++k) {
      if (!kept[k]) continue;
      const int node = body.inputs[k];
      if (node >= 0) body.nodes[node].imm = static_cast<u64>(inputs.size());
      if (k == key) body.key_input = inputs.size();
      inputs.push(node);
      if (k >= carries) (before.is_stacked(k) ? shape.stacked : shape.invariants) += 1;
    }
    body.inputs = inputs;
    body.outputs = outputs;
    for (Result& r : result) {
      if (r.kind == Result::Kind::result)
        r.number = r.number < carries ? shape.final_of(carry_number[r.number])
                                      : shape.output(output_number_[r.number - 2 * carries]);
      else if (r.kind == Result::Kind::rows || r.kind == Result::Kind::last_row)
        r.number = shape.history_of(carry_number[r.number]);
    }
    body = prune(body);
  }

 private:
  using Kind = typename Result::Kind;

  // Through markers that mean nothing here.
  constexpr int plain(int x) const {
    while (body.nodes[x].op == ir::Op::stop_gradient ||
           (body.nodes[x].op == ir::Op::cast && body.nodes[body.in(x, 0)].dtype == body.nodes[x].dtype))
      x = body.in(x, 0);
    return x;
  }

  constexpr void find_aliases(const List<u8>& used) {
    const int carries = before.carries;
    history_ = List<u8>(carries, 0);
    output_live_ = List<u8>(before.outputs, 0);
    output_number_ = List<int>(before.outputs, -1);
    kept = List<u8>(before.operands(), 0);
    for (int k = 0; k < carries; ++k) history_[k] = used[before.history_of(k)];
    for (int k = 0; k < before.outputs; ++k)
      if (used[before.output(k)]) result[before.output(k)] = stacked(k);
    for (int k = 0; k < carries; ++k) {
      if (used[before.history_of(k)]) result[before.history_of(k)] = {Kind::rows, k, 0};
      if (!used[k]) continue;
      result[k] = {history_[k] ? Kind::last_row : Kind::result, k, before.last_row()};
    }
  }
  constexpr Result stacked(int k) {
    const int carries = before.carries;
    const int x = plain(body.outputs[carries + k]);
    const ir::Node& node = body.nodes[x];
    if (node.op == ir::Op::input && before.is_stacked(static_cast<int>(node.imm))) {
      kept[static_cast<int>(node.imm)] = 2;  // the operand itself, whether or not the loop reads it
      return {Kind::operand, static_cast<int>(node.imm), 0};
    }
    if (node.op == ir::Op::input && static_cast<int>(node.imm) < carries) {
      history_[static_cast<int>(node.imm)] = 1;
      return {Kind::rows, static_cast<int>(node.imm), before.read_from()};
    }
    for (int c = 0; c < carries; ++c)
      if (plain(body.outputs[c]) == x) {
        history_[c] = 1;
        return {Kind::rows, c, before.written_from()};
      }
    for (int j = 0; j < k; ++j)
      if (output_live_[j] && plain(body.outputs[carries + j]) == x)
        return {Kind::result, before.output(j), 0};
    output_live_[k] = 1;
    return {Kind::result, before.output(k), 0};
  }

  // Carries that a result, or a carry that is live, depends on; then the inputs that are read.
  constexpr void find_live() {
    const int carries = before.carries, n = body.nodes.size();
    carry_live_ = List<u8>(carries, 0);
    List<u8> live(n, 0);
    for (int k = 0; k < carries; ++k)
      if (result[k].kind != Kind::unused || history_[k]) carry_live_[k] = 1;
    for (int k = 0; k < before.outputs; ++k)
      if (output_live_[k]) live[body.outputs[carries + k]] = 1;
    bool changed = true, draws = false;
    while (changed) {
      changed = false;
      for (int k = 0; k < carries; ++k)
        if (carry_live_[k]) live[body.outputs[k]] = 1;
      for (int i = n - 1; i >= 0; --i) {
        if (!live[i]) continue;
        const ir::Node& node = body.nodes[i];
        for (int a = 0; a < node.arity; ++a) live[body.edges[node.first + a]] = 1;
        draws = draws || node.op == ir::Op::random;
        if (node.op == ir::Op::input && static_cast<int>(node.imm) < carries &&
            !carry_live_[static_cast<int>(node.imm)])
          carry_live_[static_cast<int>(node.imm)] = 1, changed = true;
      }
    }
    operand_used_ = List<u8>(before.operands(), 0);
    for (int k = 0; k < before.operands(); ++k) {
      const int x = body.inputs[k];
      const bool reads =
          k < carries ? carry_live_[k] != 0 : (x >= 0 && live[x]) || (draws && k == body.key_input);
      operand_used_[k] = reads || kept[k] ? 1 : 0;  // what a result is taken from must stay alive
      kept[k] = reads ? 1 : 0;
    }
  }

 public:
  // Operands of the loop before that are used by it or in place of its results.
  constexpr bool uses(int operand) const { return operand_used_[operand] != 0; }

 private:
  List<u8> history_, carry_live_, output_live_, operand_used_;
  List<int> output_number_;
};

constexpr ir::Graph simplify_loops(const ir::Graph& g) {
  using ir::Op;
  using Kind = LoopSimplification::Result::Kind;
  const int n = g.nodes.size();
  List<u8> live(n, 0);
  List<int> result_of(n, -1), next(n, -1), simplification(n, -1);  // chains of each loop's results
  List<LoopSimplification*> simplified;
  for (int node : g.outputs) live[node] = 1;
  for (const ir::Assign& a : g.assigns) live[a.node] = 1;
  for (int i = n - 1; i >= 0; --i) {
    if (!live[i]) continue;
    const ir::Node& node = g.nodes[i];
    const int* in = g.edges.data() + node.first;
    if (node.op == Op::result) next[i] = result_of[in[0]], result_of[in[0]] = i;
    if (node.op != Op::loop) {
      for (int k = 0; k < node.arity; ++k) live[in[k]] = 1;
      continue;
    }
    List<u8> used(ir::loop_shape(g, i).results(), 0);
    for (int r = result_of[i]; r >= 0; r = next[r]) used[static_cast<int>(g.nodes[r].imm)] = 1;
    simplification[i] = simplified.size();
    simplified.push(new LoopSimplification(g, i, used));
    for (int k = 0; k < node.arity; ++k)
      if (simplified.back()->uses(k)) live[in[k]] = 1;
  }
  ir::Builder b(g, 2 * n);
  List<int> moved(n, -1), operands;
  bool merged = false;  // what is used of two loops is used of one now
  for (int i = 0; i < n; ++i) {
    if (!live[i]) continue;
    const ir::Node node = g.nodes[i];
    const int* in = g.edges.data() + node.first;
    operands.clear();
    if (node.op == Op::loop) {
      const LoopSimplification& r = *simplified[simplification[i]];
      for (int k = 0; k < node.arity; ++k)
        if (r.kept[k]) operands.push(moved[in[k]]);
      const int known = b.graph.nodes.size();
      moved[i] = ir::loop(b, r.shape, r.body, operands).id;
      merged = merged || moved[i] < known;
    } else if (ir::is_attention(node.op)) {
      for (int k = 0; k < node.arity; ++k) operands.push(moved[in[k]]);
      ir::Node same = node;
      same.imm = static_cast<u64>(ir::add_body(b.graph, ir::region_body(g, i)));
      moved[i] = b.add(same, operands.data(), operands.size());
    } else if (node.op == Op::result && simplification[in[0]] >= 0) {
      const LoopSimplification& r = *simplified[simplification[in[0]]];
      const LoopSimplification::Result& from = r.result[static_cast<int>(node.imm)];
      const ir::Value loop{&b, moved[in[0]]};
      const Dims d = g.dims(i);
      if (from.kind == Kind::operand) {
        moved[i] = moved[g.edges[g.nodes[in[0]].first + from.number]];
      } else if (from.kind == Kind::result) {
        moved[i] = ir::loop_result(loop, from.number, node.dtype, d).id;
      } else {
        const ir::Value history = ir::loop_history(loop, r.shape, from.number - r.shape.carries);
        moved[i] = from.kind == Kind::rows ? ir::rows(history, from.from, d.extent[0]).id
                                           : ir::reshape(ir::rows(history, from.from, 1), d).id;
      }
    } else {
      for (int k = 0; k < node.arity; ++k) operands.push(moved[in[k]]);
      moved[i] = b.add(node, operands.data(), operands.size());
    }
  }
  for (int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved[x]);
  for (int x : g.outputs) b.graph.outputs.push(moved[x]);
  for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved[a.node]});
  for (LoopSimplification* r : simplified) delete r;
  if (merged) return simplify_loops(b.graph);
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace WEFT_NAMESPACE::transforms

#include "weft/transforms/prune.hpp"
