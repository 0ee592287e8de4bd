#pragma once
// The source of a compiled function with its options: probes kept as further results, products computed under
// a precision policy.

#include "weft/exec/options.hpp"
#include "weft/exec/probes.hpp"
#include "weft/exec/trace.hpp"

namespace WEFT_NAMESPACE::exec {

// f(inputs...), or f(model, inputs...); M is void for a function.
template <class M, class F, bool Training, class... I>
struct PlainSource {
  using type = ModelSource<M, F, Training, I...>;
};
template <class F, bool Training, class... I>
struct PlainSource<void, F, Training, I...> {
  using type = FunctionSource<F, I...>;
};

template <class Names, class M, class F, bool Training, class... I>
struct ProbedSource {
  struct TraceStage {
    static constexpr void write(WordWriter& w) {
      ir::Builder b;
      List<ir::Probe> found;
      b.probes = &found;
      b.graph.scalar_count = random_words;
      add_outputs(b, PlainSource<M, F, Training, I...>::type::trace(b));
      List<u64> table;
      add_probes<Names>(b.graph, found, table);
      transforms::recognize_attention(b.graph);
      ir::write(w, b.graph);
      w.put_all(table.data(), table.size());
      w.put_int(table.size());
    }
  };
  using Probes = Names;
  static constexpr ir::Graph graph() { return ir::FrozenGraph<TraceStage>::graph(); }
  using result = typename PlainSource<M, F, Training, I...>::type::result;
};

// The same function under a precision policy that changes something.
template <class Source, class Policy>
struct PrecisionSource : Source {
  static constexpr ir::Graph graph() { return transforms::apply_precision(Source::graph(), Policy::rule); }
};

// The same function behind the stage At of its passes.
template <class Source, class At>
struct StagedSource : Source {
  static constexpr ir::Graph graph() { return compiler::graph_of<At>(); }
};
// The same with the user's passes behind prune.
template <class Source, class Passes>
struct PassedSource : Source {
  using Passed = Passes;
};

// The same function, watched while it runs.
template <class Source, bool Finite, bool Indices>
struct CheckedSource : Source {
  static constexpr Checks checks{Finite, Indices};
};

// Options: a CompileOptions<...>.
template <class M, class F, class Options, class... I>
struct SourceFor {
  using Probes = typename Options::Probes;
  using Traced = typename std::conditional_t<
      Probes::count == 0, PlainSource<M, F, Options::training, I...>,
      std::type_identity<ProbedSource<Probes, M, F, Options::training, I...>>>::type;
  using Passes = typename Options::Passes;
  template <class Source, class At>
  using staged = std::conditional_t<std::is_same_v<Source, At>, Source, StagedSource<Source, At>>;
  template <class Source, compiler::Behind Where>
  using behind = staged<Source, compiler::through_user<Source, Where, Passes>>;
  // What a function differentiates it differentiates while it is traced.
  using Differentiated = behind<behind<Traced, compiler::Behind::trace>, compiler::Behind::differentiate>;
  using Rounded = std::conditional_t<Options::Precision::rule.changes_nothing(), Differentiated,
                                     PrecisionSource<Differentiated, typename Options::Precision>>;
  using Passed = behind<Rounded, compiler::Behind::precision>;
  using Pruned = std::conditional_t<compiler::has_pass_behind<compiler::Behind::prune, Passes>,
                                    PassedSource<Passed, Passes>, Passed>;
  using type =
      std::conditional_t<Options::checks.any(),
                         CheckedSource<Pruned, Options::checks.finite, Options::checks.indices>, Pruned>;
};

// Whether the function can be traced at all. The result's type is found first, so that every refusal of its
// operations is said by then.
template <class Source>
constexpr bool traces() {
  using Result = typename Source::result;
  if constexpr (refused_before<Source, Result>) {
    return false;
  } else {
    constexpr bool runs = RunsWhileCompiling<GraphStage<Source>>;
    static_assert(sizeof(TracesWhileCompiling<runs, Source>) > 0 &&
                  sizeof(ShownWhyNot<runs, GraphStage<Source>>) > 0);
    if constexpr (runs) {
      constexpr int node = node_without_value(program_graph<Source>());
      if constexpr (node < 0)
        return true;
      else
        return state_has_values<without_value(program_graph<Source>(), node), Source>();
    } else {
      return false;
    }
  }
}

// Whether every probe that is asked for is marked; where not, the sentence comes.
template <class Source>
constexpr bool probes_exist() {
  if constexpr (requires { typename Source::Probes; })
    return check_probes<typename Source::TraceStage, typename Source::Probes>();
  else
    return true;
}

}  // namespace WEFT_NAMESPACE::exec
