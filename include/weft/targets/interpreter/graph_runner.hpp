#pragma once
// Evaluates a graph node by node. Law: nodes are evaluated in the order of their numbers (constants before
// their first reader), each by one call of one function; assignments take effect when all nodes have been
// evaluated and no check has found fault.
//
// To step through a program, break in GraphRunner::evaluate, or in a node's function (node_function.hpp).

#include <memory>

#include "weft/core/shared.hpp"
#include "weft/ir/scopes.hpp"
#include "weft/kernels/custom/host.hpp"
#include "weft/targets/interpreter/device.hpp"
#include "weft/targets/interpreter/kinds.hpp"
#include "weft/targets/interpreter/movement.hpp"
#include "weft/targets/interpreter/value_plan.hpp"
#include "weft/targets/state_blocks.hpp"

namespace WEFT_NAMESPACE::exec {

class GraphRunner;

// The functions of a program's kinds and custom primitives.
struct NodeFunctions {
  const u64* kinds = nullptr;
  const NodeFunction* functions = nullptr;
  int count = 0;
  const u64* customs = nullptr;  // find_custom
  int custom_size = 0;
  void (*const* custom)(const kernels::HostLaunch&, int) = nullptr;  // in the order of their words
  // Of the runner; null in a program without such nodes.
  void (GraphRunner::*run_custom)(const NodeCall&) = nullptr;
  void (GraphRunner::*make_loop)(int node) = nullptr;
  void (GraphRunner::*run_loop)(const NodeCall&) = nullptr;

  NodeFunction find(u64 kind) const {
    for (int k = 0; k < count; ++k)
      if (kinds[k] == kind) return functions[k];
    return nullptr;
  }
};

// What a run works on beside the values, and who watches it.
struct RunContext {
  StateBlocks model;
  std::byte* optimizer = nullptr;
  const std::byte* scalars = nullptr;
  void (*visit)(const NodeValue&) = nullptr;
  // Of a program that is checked: before and after each node, and when all are evaluated.
  void (*before)(const GraphRunner&, const NodeCall&) = nullptr;
  void (*after)(GraphRunner&, const NodeCall&) = nullptr;
  void (*settle)(GraphRunner&) = nullptr;
  ir::StateName state_name = nullptr;
  i64 scale_offset = -1;  // scaled_nodes
};

// What is known of a value by a program that is checked: the first places of a NaN and of an infinity, -1
// without; and whose fault that is, -1 nobody's.
struct Oddity {
  i64 nan = -1, infinity = -1;
  int fault = -1;
  bool any() const { return nan >= 0 || infinity >= 0; }
};

class GraphRunner final : public Counted {
 public:
  // `context` outlives the runner. Throws "interpreter/function" for a node that `functions` has none for.
  GraphRunner(ir::Graph&& graph, const NodeFunctions& functions, const RunContext& context,
              const GraphRunner* outer = nullptr)
      : g_(static_cast<ir::Graph&&>(graph)),
        functions_(functions),
        context_(context),
        outer_(outer),
        depth_(outer != nullptr ? outer->depth_ + 1 : 0),
        plan_(plan_values(g_)),
        values_(g_.nodes.size(), nullptr),
        function_(g_.nodes.size(), nullptr),
        loops_(g_.nodes.size()) {
    for (int i = 0; i < g_.nodes.size(); ++i) find_function(i);
  }
  const ir::Graph& graph() const { return g_; }
  i64 bytes() const { return plan_.bytes; }
  // Where node i's value lies in the workspace: of a result.
  i64 place(int i) const { return plan_.at[i]; }
  // The loop's node in the graph around it, for a loop's body; -1.
  int loop() const {
    if (outer_ == nullptr) return -1;
    int node = 0;
    while (!outer_->loops_[node] || outer_->loops_[node]->body.get() != this) ++node;
    return node;
  }
  // Which module each node is of, in the trip at hand.
  const ir::Scopes& scopes() const {
    if (scopes_ == nullptr)
      scopes_ = std::make_unique<ir::Scopes>(outer_ != nullptr
                                                 ? outer_->scopes().of_body(loop(), g_, std::to_string(trip_))
                                                 : ir::Scopes(g_, context_.state_name));
    return *scopes_;
  }

  // `inputs`: where each input lies; null for one that is never read. `key`: seed and step, four words.
  void run(const std::byte* const* inputs, const u32* key, std::byte* workspace) {
    inputs_ = inputs;
    key_ = key;
    workspace_ = workspace;
    walk_values(
        g_, [this](int i) { evaluate(i); }, [](int) {});
  }
  // Puts what is assigned into its slots.
  void assign() const {
    for (const ir::Assign& a : g_.assigns)
      each_piece(g_, g_.slots[a.slot], [&](i64 to, i64 from, i64 bytes) {
        copy_bytes(state(g_.slots[a.slot].space, to), values_[a.node] + from, bytes);
      });
  }

 private:
  friend struct NodeChecks;

  // A loop's body, and where its results lie.
  struct Loop final : Counted {
    Loop(const ir::LoopShape& s, LoopLayout&& l, GraphRunner* runner)
        : shape(s), layout(static_cast<LoopLayout&&>(l)), body(runner) {}
    ir::LoopShape shape;
    LoopLayout layout;
    Shared<GraphRunner> body;
    List<Oddity> odd;  // of each result
  };

  void find_function(int i) {
    const ir::Op op = g_.nodes[i].op;
    const u64 kind = node_kind(g_, i);
    if (kind != 0) function_[i] = functions_.find(kind);
    const bool found = kind != 0              ? function_[i] != nullptr
                       : op == ir::Op::loop   ? functions_.run_loop != nullptr
                       : op == ir::Op::custom ? functions_.run_custom != nullptr
                                              : op == ir::Op::result || ir::info(op).arity == 0;
    if (!found) throw_missing(op);
    if (op == ir::Op::loop) (this->*functions_.make_loop)(i);
  }
  [[noreturn]] static void throw_missing(ir::Op op) {
    throw Error("interpreter/function", std::string("no function was compiled for ") + ir::info(op).name);
  }

  std::byte* state(ir::Space space, i64 offset) const {
    return space == ir::Space::model ? context_.model.at(offset) : context_.optimizer + offset;
  }

  // One node.
  void evaluate(int i) {
    const ir::Node& n = g_.nodes[i];
    if (n.arity > operands_.size()) operands_ = List<const std::byte*>(n.arity, nullptr);
    for (int k = 0; k < n.arity; ++k) operands_[k] = values_[g_.in(i, k)];
    std::byte* const out = plan_.at[i] >= 0 ? workspace_ + plan_.at[i] : nullptr;
    const NodeCall call{g_, i, operands_.data(), out};
    values_[i] = out;
    if (context_.before != nullptr) context_.before(*this, call);
    if (function_[i] != nullptr)
      function_[i](call);
    else
      evaluate_other(call);
    if (context_.after != nullptr) context_.after(*this, call);
    if (context_.visit != nullptr && n.op != ir::Op::loop)
      context_.visit({ir::info(n.op).name, i, depth_, trip_, n.dtype, g_.dims(i), values_[i], &g_, this});
  }

  // Leaves, and what works on more than its operands.
  void evaluate_other(const NodeCall& c) {
    const ir::Node& n = c.self();
    switch (n.op) {
      case ir::Op::input:
        values_[c.node] = inputs_[n.imm];
        return;
      case ir::Op::scalar:
        values_[c.node] = context_.scalars + 4 * static_cast<i64>(n.imm);
        return;
      case ir::Op::state: {
        const ir::Slot& slot = g_.slots[static_cast<int>(n.imm)];
        if (slot.segments < 0)
          values_[c.node] = state(slot.space, slot.offset);
        else
          each_piece(g_, slot, [&](i64 at, i64 to, i64 bytes) {
            copy_bytes(c.out + to, state(slot.space, at), bytes);
          });
        return;
      }
      case ir::Op::random:
        return run_random(c, key_);
      case ir::Op::loop:
        return (this->*functions_.run_loop)(c);
      case ir::Op::result: {
        const LoopLayout& layout = loops_[g_.in(c.node, 0)]->layout;
        const int k = static_cast<int>(n.imm);
        return copy_bytes(c.out, c.in[0] + layout.at[k], layout.size[k]);
      }
      default:
        return (this->*functions_.run_custom)(c);
    }
  }

 public:
  // What NodeFunctions names.
  void make_loop(int i) {
    ir::Graph body = ir::loop_body(g_, i);
    LoopLayout layout = loop_layout(g_, i, body);
    loops_[i] =
        Shared<Loop>(new Loop(ir::loop_shape(g_, i), static_cast<LoopLayout&&>(layout),
                              new GraphRunner(static_cast<ir::Graph&&>(body), functions_, context_, this)));
  }

  void run_loop(const NodeCall& c) {
    Loop& loop = *loops_[c.node];
    GraphRunner& body = *loop.body;
    const ir::LoopShape& s = loop.shape;
    const LoopLayout& l = loop.layout;
    const auto put = [&](int result, i64 row, const std::byte* from, i64 bytes) {
      if (l.at[result] >= 0) copy_bytes(c.out + l.at[result] + row * bytes, from, bytes);
    };
    // the carries are kept where they end
    List<const std::byte*> inputs(s.operands(), nullptr);
    for (int k = 0; k < s.operands(); ++k) inputs[k] = c.in[k];
    i64 carried_bytes = 0;
    for (int k = 0; k < s.carries; ++k) {
      const i64 bytes = l.size[s.final_of(k)];
      put(s.final_of(k), 0, c.in[k], bytes);
      put(s.history_of(k), s.first_row(), c.in[k], bytes);
      inputs[k] = c.out + l.at[s.final_of(k)];
      carried_bytes += bytes;
    }
    if (context_.after != nullptr) begin_checked(c, loop);
    HostBuffer carried(static_cast<std::size_t>(carried_bytes));
    for (i64 n = 0; n < s.trips; ++n) {
      const i64 t = s.reverse ? s.trips - 1 - n : n;
      for (int k = s.carries; k < s.carries + s.stacked; ++k)
        inputs[k] = c.in[k] + t * (c.operand_dims(k).size() / s.trips) * size_of(c.operand_dtype(k));
      const int key = body.g_.key_input;
      body.trip_ = t;
      body.scopes_.reset();
      body.run(inputs.data(), key >= 0 ? reinterpret_cast<const u32*>(inputs[key]) : key_, c.out + l.body_at);
      // All carries change together: one may be another's old value.
      i64 at = 0;
      for (int k = 0; k < s.carries; ++k) {
        copy_bytes(carried.data() + at, body.values_[body.g_.outputs[k]], l.size[s.final_of(k)]);
        at += l.size[s.final_of(k)];
      }
      at = 0;
      for (int k = 0; k < s.carries; ++k) {
        const i64 bytes = l.size[s.final_of(k)];
        put(s.final_of(k), 0, carried.data() + at, bytes);
        put(s.history_of(k), t + s.written_from(), carried.data() + at, bytes);
        at += bytes;
      }
      for (int k = 0; k < s.outputs; ++k)
        put(s.output(k), t, body.values_[body.g_.outputs[s.carries + k]], l.size[s.output(k)] / s.trips);
      if (context_.after != nullptr) body.settle_trip(loop);
    }
  }

  void run_custom(const NodeCall& c) {
    List<u64> words;
    custom_words(words, g_, c.node);
    const int at = find_custom(functions_.customs, functions_.custom_size, words);
    if (at < 0) throw_missing(ir::Op::custom);
    int nth = 0;  // among all
    for (int k = 0; k < at; k += 3 + static_cast<int>(functions_.customs[k + 2])) ++nth;
    kernels::HostLaunch launch;
    List<u64> numbers;
    for (int k = 0; k <= c.self().arity; ++k) {
      launch.args.pointer[k] = k == 0 ? c.out : const_cast<std::byte*>(c.in[k - 1]);
      const Dims& d = k == 0 ? c.dims() : c.operand_dims(k - 1);
      numbers.push(static_cast<u64>(d.rank));
      for (int a = 0; a < d.rank; ++a) numbers.push(static_cast<u64>(d.extent[a]));
    }
    launch.numbers = numbers.data();
    launch.number_count = numbers.size();
    functions_.custom[nth](launch, 1);
  }

 private:
  // Before a loop's first trip: what its carries and its body's inputs inherit.
  void begin_checked(const NodeCall& c, Loop& loop) const {
    loop.odd = List<Oddity>(loop.shape.results());
    loop.body->input_faults_ = List<int>(loop.shape.operands(), -1);
    for (int k = 0; k < loop.shape.operands(); ++k) {
      const Oddity& odd = odd_[g_.in(c.node, k)];
      loop.body->input_faults_[k] = odd.fault;
      if (k < loop.shape.carries) loop.odd[loop.shape.final_of(k)] = loop.odd[loop.shape.history_of(k)] = odd;
    }
  }
  // Of a loop's body after a trip: what the loop's results and the next trip's carries inherit.
  void settle_trip(Loop& loop) {
    const auto join = [](Oddity& all, const Oddity& odd) {
      if (odd.fault >= 0 && (all.fault < 0 || odd.fault < all.fault)) all.fault = odd.fault;
    };
    for (int k = 0; k < g_.outputs.size(); ++k) {
      const Oddity& odd = odd_[g_.outputs[k]];
      if (k < loop.shape.carries) {
        input_faults_[k] = odd.fault;
        loop.odd[loop.shape.final_of(k)] = odd;
        join(loop.odd[loop.shape.history_of(k)], odd);
      } else {
        join(loop.odd[loop.shape.output(k - loop.shape.carries)], odd);
      }
    }
  }

  ir::Graph g_;
  NodeFunctions functions_;
  const RunContext& context_;
  const GraphRunner* outer_ = nullptr;  // of a loop's body
  int depth_ = 0;
  i64 trip_ = -1;
  ValuePlan plan_;
  List<const std::byte*> values_;
  List<NodeFunction> function_;
  List<Shared<Loop>> loops_;
  List<const std::byte*> operands_;
  const std::byte* const* inputs_ = nullptr;
  const u32* key_ = nullptr;
  std::byte* workspace_ = nullptr;
  mutable std::unique_ptr<ir::Scopes> scopes_;  // once somebody asks
  // of a program that is checked (node_checks.hpp)
  List<Oddity> odd_;          // of each node
  List<int> input_faults_;    // of a body's inputs
  List<u8> spared_;           // scaled_nodes
  List<std::string> faults_;  // of the outermost graph and its loops, as sentences
};

}  // namespace WEFT_NAMESPACE::exec
