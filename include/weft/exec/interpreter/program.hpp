#pragma once
// A traced program for the interpreter. Law: it is compiled from the pruned graph as it is: no pass behind
// prune runs, and of functions only those of the graph's kinds are instantiated; it has the interface of
// HostProgram.

#include <cstring>

#include "weft/exec/function.hpp"
#include "weft/exec/interpreter/node_checks.hpp"
#include "weft/targets/interpreter/device.hpp"
#include "weft/targets/interpreter/node_function.hpp"
#include "weft/targets/workspace.hpp"

namespace WEFT_NAMESPACE::exec {

// What the interpreter's program of a source is made from; see Compiled.
template <class Source>
struct Interpreted {
  using source = Source;
  // What is asked of the graph, of which each look costs compile time.
  struct Facts {
    bool faulty, has_loops;
    int inputs, outputs, assigns;
  };
  static constexpr Facts facts = [] {
    const ir::Graph g = program_graph<Source>();
    return Facts{static_cast<bool>(ir::verify(g, ir::Stage::pruned)), ir::has_loops(g), g.inputs.size(),
                 g.outputs.size(), g.assigns.size()};
  }();
  static_assert(
      !facts.faulty || refused_before<Source>,
      "weft made a graph that breaks its own rules: please report the program (ir::verify names the node)");
  using Kinds = KindStage<PrunedGraph<Source>>;
  static constexpr const auto& words = Kept<GraphStage<Source>>::words;
  static constexpr int inputs = facts.inputs, outputs = facts.outputs, assigns = facts.assigns;
  static constexpr bool has_loops = facts.has_loops;

  static constexpr int kind_count = static_cast<int>(Kept<Kinds>::data[0]);
  static constexpr int custom_size = Kept<Kinds>::size - 1 - kind_count;
  static constexpr u64 kind(int k) { return Kept<Kinds>::data[1 + k]; }
  static constexpr const u64* customs = Kept<Kinds>::data + 1 + kind_count;
  static constexpr int count_customs() {
    int n = 0;
    for (int at = 0; at < custom_size; at += 3 + static_cast<int>(customs[at + 2])) ++n;
    return n;
  }

  // One for each node that computes something; those of a loop's body once.
  static constexpr int launches() { return make_plan().launches; }
  static constexpr i64 workspace_bytes() { return plan_values(program_graph<Source>()).bytes; }
  // Launches, what they read and write, and their products and sums; the rest is of kernels, of which there
  // are none.
  static constexpr const compiler::ImageHeader& plan() { return plan_of<Interpreted>; }
  static constexpr bool output_in_state(int) { return false; }

  static constexpr compiler::ImageHeader make_plan() {
    compiler::ImageHeader h;
    const ir::Graph g = program_graph<Source>();
    h.inputs = inputs, h.outputs = outputs, h.assigns = assigns;
    h.nodes = g.nodes.size();
    h.workspace_bytes = plan_values(g).bytes;
    h.model_bytes = g.model_bytes, h.optimizer_bytes = g.optimizer_bytes;
    count_work(g, 1, h);
    return h;
  }

 private:
  template <class Code>
  static constexpr compiler::ImageHeader plan_of = Code::make_plan();

  static constexpr void count_work(const ir::Graph& g, i64 trips, compiler::ImageHeader& h) {
    for (int i = 0; i < g.nodes.size(); ++i) {
      const ir::Node& n = g.nodes[i];
      if (n.op == ir::Op::loop) {
        count_work(ir::loop_body(g, i), trips * ir::loop_shape(g, i).trips, h);
        continue;
      }
      if (n.arity == 0) continue;
      ++h.launches;
      h.bytes += trips * g.dims(i).size() * size_of(n.dtype);
      for (int k = 0; k < n.arity; ++k)
        h.bytes += trips * g.dims(g.in(i, k)).size() * size_of(g.nodes[g.in(i, k)].dtype);
      h.flops += trips * flops(g, i);
    }
  }
  static constexpr i64 flops(const ir::Graph& g, int i) {
    const ir::Node& n = g.nodes[i];
    const i64 size = g.dims(i).size();
    if (ir::is_pointwise(n.op)) return size * ir::info(n.op).cost;
    if (ir::is_reduction(n.op)) return g.dims(g.in(i, 0)).size();
    i64 terms = 0;
    if (n.op == ir::Op::dot) {
      const ir::DotAxes axes = ir::dot_axes(g, i);
      terms = 1;
      for (int k = 0; k < axes.contracted; ++k) terms *= g.dims(g.in(i, 0)).extent[axes.contracted_a[k]];
    } else if (n.op == ir::Op::conv) {
      terms = 1;
      for (int k = 2; k < g.dims(g.in(i, 1)).rank; ++k) terms *= g.dims(g.in(i, 1)).extent[k];
    }
    return 2 * terms * size;
  }
};
template <class Source>
struct CodeOf<Interpreter, Source> {
  using type = Interpreted<composed_source<Source>>;
};

// The functions of P's kinds and custom primitives.
template <class P>
struct InterpretedFunctions {
  // The words of the nth custom primitive, as kernels::run_custom takes them.
  template <int Nth>
  struct CustomCode {
    static constexpr const u64* find() {
      const u64* at = P::customs;
      for (int n = 0; n < Nth; ++n) at += 3 + at[2];
      return at;
    }
    static constexpr const u64* w = find();
  };
  struct Table {
    u64 kinds[at_least_one(P::kind_count)]{};
    NodeFunction functions[at_least_one(P::kind_count)]{};
    u64 customs[at_least_one(P::custom_size)]{};
    void (*custom[at_least_one(P::count_customs())])(const kernels::HostLaunch&, int){};
  };
  template <int... K, int... C>
  static constexpr Table make(std::integer_sequence<int, K...>, std::integer_sequence<int, C...>) {
    Table t{{P::kind(K)...}, {node_function<P::kind(K)>()...}, {}, {&kernels::run_custom<CustomCode<C>>...}};
    for (int k = 0; k < P::custom_size; ++k) t.customs[k] = P::customs[k];
    return t;
  }
  static constexpr Table table = make(std::make_integer_sequence<int, P::kind_count>{},
                                      std::make_integer_sequence<int, P::count_customs()>{});
  static constexpr NodeFunctions list() {
    NodeFunctions f{table.kinds, table.functions, P::kind_count, table.customs, P::custom_size, table.custom};
    if constexpr (P::custom_size > 0) f.run_custom = &GraphRunner::run_custom;
    if constexpr (P::has_loops) {
      f.make_loop = &GraphRunner::make_loop;
      f.run_loop = &GraphRunner::run_loop;
    }
    return f;
  }
};

// What every program for the interpreter does, whatever its source.
class InterpreterRun {
 public:
  InterpreterRun(const u64* words, const NodeFunctions& functions, const RunContext& context,
                 std::byte* workspace)
      : context_(context),
        runner_(ir::thaw(words), functions, context_),
        arguments_(runner_.graph().inputs.size()) {
    const ir::Graph& g = runner_.graph();
    workspace_ = host_workspace(workspace, runner_.bytes());
    scalars_ = HostBuffer(static_cast<std::size_t>(g.scalar_count) * 4);
    if (workspace_.size() > 0) std::memset(workspace_.data(), 0, workspace_.size());
    if (scalars_.size() > 0) std::memset(scalars_.data(), 0, scalars_.size());
    context_.scalars = scalars_.data();
    for (const ir::Preset& p : g.presets) set_scalar(p.scalar, p.value);
    inputs_ = List<const std::byte*>(g.inputs.size(), nullptr);
  }

  void set_random(u64 seed, u64 step) {
    std::memcpy(scalars_.data(), &seed, 8);
    std::memcpy(scalars_.data() + 8, &step, 8);
  }
  void set_scalar(int k, float value) { std::memcpy(scalars_.data() + 4 * k, &value, 4); }
  void bind_input(int number, const void* data) {
    const ir::Graph& g = runner_.graph();
    const int node = g.inputs[number];
    if (node < 0) return;
    inputs_[number] = arguments_.readable(number, data, g.dims(node).size() * size_of(g.nodes[node].dtype),
                                          {workspace_.data(), runner_.bytes()}, context_.model,
                                          {context_.optimizer, g.optimizer_bytes});
  }
  // Throws "check/finite" or "check/indices" where that is asked for; nothing is assigned then.
  void run() {
    runner_.run(inputs_.data(), reinterpret_cast<const u32*>(scalars_.data()), workspace_.data());
    if (context_.settle != nullptr) context_.settle(runner_);
    runner_.assign();
  }
  std::byte* output(int k) const { return workspace_.data() + runner_.place(runner_.graph().outputs[k]); }

 private:
  RunContext context_;
  GraphRunner runner_;
  HostBuffer workspace_, scalars_;
  List<const std::byte*> inputs_;
  HostArguments arguments_;
};

template <class P>
class InterpreterProgram {
  using Source = typename P::source;

 public:
  // The checks are of every node, not of what lies between kernels.
  struct Checker {};

  InterpreterProgram(const Interpreter& device, const Blocks& given)
      : run_(new InterpreterRun(P::words.w, InterpretedFunctions<P>::list(), context(device, given),
                                given.workspace)) {}
  ~InterpreterProgram() { delete run_; }
  InterpreterProgram(const InterpreterProgram&) = delete;
  InterpreterProgram& operator=(const InterpreterProgram&) = delete;

  static constexpr i64 memory_bytes() { return P::workspace_bytes(); }

  void set_random(u64 seed, u64 step) { run_->set_random(seed, step); }
  void set_scalar(int k, float value) { run_->set_scalar(k, value); }
  void bind_input(int number, const void* data) { run_->bind_input(number, data); }
  void run() const { run_->run(); }
  void run_watched(Checker&) const { run_->run(); }
  void wait() const {}
  std::byte* output(int k) const { return run_->output(k); }
  void copy_output(int k, void* to, i64 bytes) const { read_output(k, to, bytes); }
  void read_output(int k, void* to, i64 bytes) const { copy_bytes(to, output(k), bytes); }

 private:
  static RunContext context(const Interpreter& device, const Blocks& given) {
    RunContext c{.model = given.model, .optimizer = given.optimizer, .visit = device.visit};
    c.state_name = &state_name<Source>;
    constexpr Checks checks = checks_of<Source>();
    if constexpr (checks.indices) c.before = &NodeChecks::places;
    if constexpr (checks.finite) {
      c.scale_offset = scale_offset_of<Source>();
      c.after = &NodeChecks::finite;
      c.settle = &NodeChecks::settle;
    }
    return c;
  }

  InterpreterRun* run_;
};

template <class P>
struct ProgramOf<Interpreter, P> {
  using type = InterpreterProgram<P>;
};

}  // namespace WEFT_NAMESPACE::exec
