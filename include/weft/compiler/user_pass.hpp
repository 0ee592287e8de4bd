#pragma once
// A pass of the user's own, an option of compile and make_trainer: pass::after<"differentiate">(P{}). P is an
// empty struct with
//
//   static constexpr ir::Graph run(const ir::Graph& g);     // another graph for the same inputs and results
//   static constexpr bool verify(const ir::Graph& g);       // of what run returned: whether it is as meant
//
// and runs while the program compiles. Law: what it returns has the inputs, results and assignments of what
// it was given, with their shapes and dtypes, and passes ir::verify; else the program does not compile.

#include "weft/compiler/pipeline.hpp"
#include "weft/core/diagnose.hpp"
#include "weft/core/fixed_string.hpp"
#include "weft/core/option.hpp"
#include "weft/ir/verify.hpp"

namespace WEFT_NAMESPACE {

namespace pass {

// The graph with every node rematerialized, in order: f(b, node, operands) returns a value of the builder b
// in its place, or none, {}, to keep it. `node` has the operation, the dtype and the attributes, `operands`
// are the values that it now reads, node.arity of them. The bodies of loops stay as they are.
template <class F>
constexpr ir::Graph rewrite(const ir::Graph& g, F f) {
  const int n = g.nodes.size();
  ir::Builder b(g, 2 * n);
  b.graph.bodies = g.bodies;
  b.graph.body_words = g.body_words;
  List<int> moved(n, -1), ids;
  List<ir::Value> operands;
  for (int i = 0; i < n; ++i) {
    const ir::Node& node = g.nodes[i];
    ids.clear();
    operands.clear();
    for (int k = 0; k < node.arity; ++k) {
      ids.push(moved[g.in(i, k)]);
      operands.push(ir::Value{&b, ids[k]});
    }
    const ir::Value made = f(b, node, static_cast<const ir::Value*>(operands.data()));
    moved[i] = made ? made.id : b.add(node, ids.data(), node.arity);
  }
  for (const int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved[x]);
  for (const int x : g.outputs) b.graph.outputs.push(moved[x]);
  for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved[a.node]});
  return static_cast<ir::Graph&&>(b.graph);
}

template <class P>
concept GraphPass = std::is_empty_v<P> && requires(const ir::Graph& g) {
  { P::run(g) } -> std::same_as<ir::Graph>;
  { P::verify(g) } -> std::same_as<bool>;
};

// The passes that leave a graph, in the order of the list. (Numbers, as nvcc matches no partial
// specialisation by a string.)
enum class Behind { trace, differentiate, update, precision, prune, unknown };
namespace detail {
constexpr Behind behind_of(std::string_view name) {
  int k = 0;
  for (const std::string_view known : {"trace", "differentiate", "update", "precision", "prune"}) {
    if (name == known) return static_cast<Behind>(k);
    ++k;
  }
  return Behind::unknown;
}
}  // namespace detail

// What after() returns.
template <Behind Where, class P>
struct After {
  static constexpr OptionKind option = OptionKind::pass;
  static constexpr Behind behind = Where;
  using type = P;
};

WEFT_REFUSAL(PassIsGraphPass,
             "a pass of one's own is an empty struct with static constexpr ir::Graph run(const ir::Graph&) "
             "and static constexpr bool verify(const ir::Graph&): pass::after<\"differentiate\">(P{})");
WEFT_REFUSAL(PassIsKnown,
             "pass::after names a pass that leaves a graph: \"trace\", \"differentiate\", \"update\" (of a "
             "trainer alone), \"precision\" or \"prune\"");

// P runs on the graph that the pass called Name leaves.
template <FixedString Name, class P>
constexpr auto after(P) {
  constexpr Behind where = detail::behind_of(Name.view());
  static_assert(sizeof(PassIsKnown<where != Behind::unknown, GivenName<Name>>) > 0);
  static_assert(sizeof(PassIsGraphPass<GraphPass<P>, P>) > 0);
  return After < GraphPass<P> ? where : Behind::unknown, P > {};
}

}  // namespace pass

namespace compiler {

WEFT_REFUSAL(PassKeepsResults,
             "a pass of one's own left a graph with other inputs, results or assignments, or others' shapes "
             "and dtypes, than it was given: pass::rewrite keeps them");
WEFT_REFUSAL(PassKeepsRules,
             "a pass of one's own left a graph that breaks the rules of graphs: ir::verify, called at run "
             "time, names the node");
WEFT_REFUSAL(PassVerifies, "a pass of one's own left a graph that its own verify refuses");

using pass::Behind;

// A user's pass P as one of the list; Verified: how far the graph has come. What it leaves unused behind
// prune is dropped again.
template <class P, ir::Stage Verified>
struct UserPass {
  static constexpr std::string_view name = "user's";
  static constexpr Part makes = Part::graph;
  using reads = Parts<Part::graph>;
  static constexpr int capacity(int graph, int) { return graph * 3 / 2 + 1024; }
  static constexpr void run(Module& m) {
    m.graph = P::run(m.graph);
    if constexpr (Verified == ir::Stage::pruned) m.graph = transforms::prune(m.graph);
  }
};

constexpr bool same_value(const ir::Graph& a, int x, const ir::Graph& b, int y) {
  if (x < 0 || y < 0) return x < 0 || y < 0;  // an input that nothing reads, or no longer
  return a.nodes[x].dtype == b.nodes[y].dtype && a.dims(x) == b.dims(y);
}
// Whether `after` is a graph for the inputs, results and assignments of `before`.
constexpr bool same_interface(const ir::Graph& before, const ir::Graph& after) {
  if (before.inputs.size() != after.inputs.size() || before.outputs.size() != after.outputs.size() ||
      before.assigns.size() != after.assigns.size() || before.slots.size() > after.slots.size() ||
      before.model_bytes != after.model_bytes || before.optimizer_bytes != after.optimizer_bytes)
    return false;
  for (int k = 0; k < before.inputs.size(); ++k)
    if (!same_value(before, before.inputs[k], after, after.inputs[k])) return false;
  for (int k = 0; k < before.outputs.size(); ++k)
    if (!same_value(before, before.outputs[k], after, after.outputs[k])) return false;
  for (int k = 0; k < before.assigns.size(); ++k)
    if (before.assigns[k].slot != after.assigns[k].slot ||
        !same_value(before, before.assigns[k].node, after, after.assigns[k].node))
      return false;
  return true;
}

// The graph behind a stage or a source.
template <class From>
constexpr ir::Graph graph_of() {
  Module m;
  load<Part::graph, From>(m);
  return static_cast<ir::Graph&&>(m.graph);
}

// The stage of user's pass P behind Previous, checked.
template <class Previous, class P, ir::Stage Verified>
struct Checked {
  using type = next<Previous, UserPass<P, Verified>>;
  static constexpr ir::Graph graph() { return ir::FrozenGraph<type>::graph(); }
  static constexpr bool keeps_rules = !ir::verify(graph(), Verified);
  static constexpr bool keeps_results() {
    if constexpr (keeps_rules)
      return same_interface(graph_of<Previous>(), graph());
    else
      return true;
  }
  static constexpr bool verifies() {
    if constexpr (keeps_rules)
      return P::verify(graph());
    else
      return true;
  }
};

// The stage behind those of a user's passes that follow the pass Where.
template <class Previous, Behind Where, class List>
struct ThroughUser {
  using type = Previous;
};
template <class Previous, Behind Where, class First, class... More>
struct ThroughUser<Previous, Where, PassList<First, More...>> {
  static constexpr auto find() {
    if constexpr (First::behind == Where) {
      using P = typename First::type;
      using Check = Checked<Previous, P, Where == Behind::prune ? ir::Stage::pruned : ir::Stage::traced>;
      static_assert(sizeof(PassKeepsRules<Check::keeps_rules, P>) > 0);
      static_assert(sizeof(PassKeepsResults<Check::keeps_results(), P>) > 0);
      static_assert(sizeof(PassVerifies<Check::verifies(), P>) > 0);
      if constexpr (Check::keeps_rules && Check::keeps_results() && Check::verifies())
        return std::type_identity<typename Check::type>{};
      else
        return std::type_identity<Previous>{};
    } else {
      return std::type_identity<Previous>{};
    }
  }
  using type = typename ThroughUser<typename decltype(find())::type, Where, PassList<More...>>::type;
};
template <class Previous, Behind Where, class List>
using through_user = typename ThroughUser<Previous, Where, List>::type;

// The passes among a list of options.
template <class Found, class... O>
struct UserPasses {
  using type = Found;
};
template <class... Found, class First, class... O>
struct UserPasses<PassList<Found...>, First, O...> {
  using type = typename std::conditional_t<option_kind<First>() == OptionKind::pass,
                                           UserPasses<PassList<Found..., First>, O...>,
                                           UserPasses<PassList<Found...>, O...>>::type;
};
template <class... O>
using user_passes = typename UserPasses<PassList<>, O...>::type;

template <Behind Where, class List>
inline constexpr bool has_pass_behind = false;
template <Behind Where, class... P>
inline constexpr bool has_pass_behind<Where, PassList<P...>> = ((P::behind == Where) || ...);

}  // namespace compiler

}  // namespace WEFT_NAMESPACE
