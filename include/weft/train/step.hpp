#pragma once
// The whole training step as a source of exec::Compiled: its forward pass, its backward pass and its update,
// each a stage of constant evaluation of its own.

#include "weft/train/blocks.hpp"
#include "weft/train/f8_scales.hpp"
#include "weft/train/update.hpp"
#include "weft/transforms/all_reduce_gradients.hpp"
#include "weft/transforms/gather_parameters.hpp"
#include "weft/transforms/rematerialize.hpp"

namespace WEFT_NAMESPACE::train {

// The stages of a step's trace, each a constant evaluation of its own.
// Both of the forward pass write the same: what is known of it, the graph, and the probes.
template <class Stage>
struct ForwardParts {
  static constexpr int header_words = 5;
  static constexpr List<ir::CustomGradient> customs() {
    List<ir::CustomGradient> list;
    if constexpr (Kept<Stage>::data[2] > 0) exec::CustomSignatures<Stage, header_words>::add(list);
    return list;
  }
};
template <class M, class F, class O, class... I>
struct ForwardTrace : ForwardParts<ForwardTrace<M, F, O, I...>> {
  static constexpr void write(WordWriter& w) {
    const Forward f = trace_forward<M, F, O, I...>();
    w.put_int(f.unused_input);
    w.put_int(f.loss);
    w.put_int(f.customs);
    w.put_int(exec::node_without_value(f.graph));
    w.put_int(transforms::may_compose_attention(f.graph));
    ir::write(w, f.graph);
    if constexpr (O::Probes::count > 0) {
      w.put_all(f.probes.data(), f.probes.size());
      w.put_int(f.probes.size());
    }
  }
};
// The same with attention that was composed by hand as one operation.
template <class M, class F, class O, class... I>
struct ForwardRecognized : ForwardParts<ForwardRecognized<M, F, O, I...>> {
  using Trace = Kept<ForwardTrace<M, F, O, I...>>;
  static constexpr int capacity = Trace::size + 1024;
  static constexpr void write(WordWriter& w) {
    const u64* const traced = Trace::data;
    ir::Graph graph = ir::thaw(traced + ForwardRecognized::header_words);
    transforms::recognize_attention(graph);
    w.put_int(static_cast<int>(traced[0]));
    w.put_int(graph.outputs[0]);
    for (int k = 2; k < ForwardRecognized::header_words; ++k) w.put_int(static_cast<int>(traced[k]));
    ir::write(w, graph);
    if constexpr (O::Probes::count > 0) {
      const int probes = static_cast<int>(traced[Trace::size - 1]);
      w.put_all(traced + Trace::size - 1 - probes, probes);
      w.put_int(probes);
    }
  }
};
template <class M, class F, class O, class... I>
struct ForwardStageOf {
  using Trace = ForwardTrace<M, F, O, I...>;
  using type = std::conditional_t<Kept<Trace>::data[4] != 0, ForwardRecognized<M, F, O, I...>, Trace>;
};
template <class M, class F, class O, class... I>
using ForwardStage = typename ForwardStageOf<M, F, O, I...>::type;

template <class M, class F, class O, class... I>
struct ForwardGraph {
  static constexpr int capacity = Kept<ForwardStage<M, F, O, I...>>::size;
  static constexpr ir::Graph graph() {
    using Stage = ForwardStage<M, F, O, I...>;
    return ir::FrozenGraph<Stage, Stage::header_words>::graph();
  }
};
// What is differentiated: the same behind the user's passes that follow the trace, if any.
template <class M, class F, class O, class... I>
using TracedStage =
    compiler::through_user<ForwardGraph<M, F, O, I...>, compiler::Behind::trace, typename O::Passes>;
// Of precision::f8: the same with its products rounded.
template <class M, class F, class O, class... I>
using RoundedTrace = F8Stage<TracedStage<M, F, O, I...>, M, O>;
// How many nodes and words are differentiated.
template <class M, class F, class O, class... I>
constexpr int traced_nodes() {
  if constexpr (precision::is_f8<typename O::Precision>)
    return RoundedTrace<M, F, O, I...>::graph().nodes.size();
  else
    return compiler::graph_of<TracedStage<M, F, O, I...>>().nodes.size();
}
template <class M, class F, class O, class... I>
constexpr int traced_words() {
  if constexpr (precision::is_f8<typename O::Precision>)
    return Kept<RoundedTrace<M, F, O, I...>>::size;
  else
    return Kept<ForwardStage<M, F, O, I...>>::size;
}
constexpr void write_backward(WordWriter& w, const Backward& r) {
  w.put_int(r.scale_slot);
  w.put_int(r.requests);
  w.put_int(r.state.next);
  for (const List<int>* list : {&r.parameters, &r.scales, &r.magnitudes, &r.state.adjoint}) {
    w.put_int(list->size());
    for (int x : *list) w.put_int(x);
  }
  ir::write(w, r.graph);
}
constexpr Backward read_backward(const u64* words) {
  WordReader reader(words);
  Backward r;
  r.scale_slot = static_cast<int>(reader.get_int());
  r.requests = static_cast<int>(reader.get_int());
  r.state.next = static_cast<int>(reader.get_int());
  for (List<int>* list : {&r.parameters, &r.scales, &r.magnitudes, &r.state.adjoint}) {
    list->resize(reader.get_size());
    for (int& x : *list) x = static_cast<int>(reader.get_int());
  }
  r.graph = ir::read_graph(reader);
  return r;
}

// For what rebuilds the graph: puts the largest magnitudes of precision::f8 behind its results, and takes
// them from there, the last results.
constexpr void put_magnitudes(Backward& r) {
  for (const int x : r.magnitudes)
    if (x >= 0) r.graph.outputs.push(x);
}
constexpr void take_magnitudes(Backward& r) {
  int at = r.graph.outputs.size();
  for (const int x : r.magnitudes) at -= x >= 0;
  const int results = at;
  for (int& x : r.magnitudes)
    if (x >= 0) x = r.graph.outputs[at++];
  r.graph.outputs.resize(results);
}

// Zeros in place of the gradients of copies that are frozen beside others of their row: of whole rows ranks
// sum, keep and measure what is frozen, too.
template <class M, class O>
constexpr void clear_frozen_copies(Backward& local, const List<GroupRun>& runs) {
  const auto is_frozen = [&](int k) { return O::Optimizer::is_frozen(runs[k].group); };
  List<ir::Span> rows;  // the runs of each such row
  for (int i = 0, end = 0; i < runs.size(); i = end) {
    int frozen = 0;
    for (end = i; end < runs.size() && runs[end].row == runs[i].row; ++end) frozen += is_frozen(end);
    if (frozen > 0 && frozen < end - i && local.gradient(runs[i].trained) >= 0) rows.push({i, end - i});
  }
  if (rows.empty()) return;
  ir::Builder b(static_cast<ir::Graph&&>(local.graph), ir::Sharing::leaves);
  for (const ir::Span& span : rows) {
    const GroupRun& first = runs[span.begin];
    const nn::StateInfo& row = nn::state_table<M>.row[first.row];
    const ir::Value whole{&b, local.gradient(first.trained)};
    ir::Value kept = ir::reshape(exact<O>(whole), ir::stacked_dims(row.copies(), row.dims));
    const ir::Value zero = ir::constant_like(kept, 0);
    const ir::Value number{&b, b.leaf(ir::Op::iota, DType::i32, kept.dims(), 0)};
    const auto below = [&](i64 n) {
      return ir::binary(ir::Op::lt, number, ir::constant_like(number, static_cast<double>(n)));
    };
    for (int k = span.begin; k < span.begin + span.size; ++k)
      if (is_frozen(k))
        kept = ir::select(below(runs[k].first), kept,
                          ir::select(below(runs[k].first + runs[k].count), zero, kept));
    local.state.adjoint[local.parameters[first.trained]] = ir::reshape(kept, whole.dims()).id;
  }
  local.graph = static_cast<ir::Graph&&>(b.graph);
}

// The backward pass with the gradients that are applied summed over ranks, and what accumulate<N> has
// gathered on each rank added before.
template <class M, class O>
constexpr Backward reduce_gradients(Backward&& local) {
  constexpr const auto& table = nn::state_table<M>;
  constexpr DType type = parameter_type<M>();
  const List<GroupRun> runs = group_runs<M, O>();
  clear_frozen_copies<M, O>(local, runs);
  List<transforms::ArenaGradient> given;
  List<int> trained;  // number of each of them
  int behind = -1;
  for (const GroupRun& run : runs) {
    if (O::Optimizer::is_frozen(run.group) || run.trained == behind) continue;
    behind = run.trained;
    const nn::StateInfo& row = table.row[run.row];
    int gathered = -1;
    if (O::Accumulation::count > 1 && !O::shards_gradients) {
      gathered = local.graph.slots.size();
      local.graph.slots.push({ir::Space::optimizer, type,
                              local.graph.nodes[local.gradient(run.trained)].shape, -1,
                              optimizer_layout<M, O>.accumulated + row.offset});
    }
    given.push({local.gradient(run.trained), row.offset / size_of(type), gathered});
    trained.push(run.trained);
  }
  Backward r;
  r.scale_slot = local.scale_slot;
  r.magnitudes = local.magnitudes;
  put_magnitudes(local);
  ir::SharedVector shared;
  if constexpr (O::sharded) shared = {arena_shares<M, O>.elements, arena_shares<M, O>.grain};
  int into = -1;
  if constexpr (O::shards_gradients) {
    const i64 all[1]{arena_shares<M, O>.elements};
    into = local.graph.slots.size();
    local.graph.shapes.push(ir::make_dims(1, all));
    local.graph.slots.push(
        {ir::Space::optimizer, type, local.graph.shapes.size() - 1, -1, optimizer_layout<M, O>.accumulated});
  }
  transforms::GradientReducer reducer(local.graph, given, O::Comm::bucket_bytes / size_of(type), shared, into,
                                      O::reduction.in_bf16);
  r.graph = reducer.run();
  r.requests = reducer.requests();
  r.parameters = local.parameters;
  for (int k = 0; k < r.parameters.size(); ++k) {
    r.parameters[k] = k;
    r.state.adjoint.push(-1);
  }
  for (int k = 0; k < trained.size(); ++k) r.state.adjoint[trained[k]] = reducer.reduced()[k];
  take_magnitudes(r);
  return r;
}

// The backward pass goes in pieces of so many nodes of the forward pass.
template <int Piece, class M, class F, class O, class... I>
struct BackwardStage {
  static constexpr int capacity = 3 * traced_words<M, F, O, I...>() + 1024;
  static constexpr void write(WordWriter& w) {
    const Backward r = make();
    w.put_int(unreached(r));
    write_backward(w, r);
  }
  // The number of a parameter that is updated and has no gradient; -1: none.
  static constexpr int unreached(const Backward& r) {
    int missing = 0;
    for (int k = 0; k < r.parameters.size(); ++k) missing += r.gradient(k) < 0 ? 1 : 0;
    if (missing == 0) return -1;
    for (const GroupRun& run : group_runs<M, O>())
      if (r.gradient(run.trained) < 0 && !O::Optimizer::is_frozen(run.group)) return run.trained;
    return -1;
  }
  static constexpr Backward make() {
    if constexpr (precision::is_f8<typename O::Precision>) {
      Backward r = differentiate();
      if (r.state.next < 0) RoundedTrace<M, F, O, I...>::find_magnitudes(r);
      return r;
    } else {
      return differentiate();
    }
  }
  static constexpr Backward differentiate() {
    if constexpr (Piece == 0) {
      using Before = ForwardStage<M, F, O, I...>;
      using Traced = TracedStage<M, F, O, I...>;
      if constexpr (precision::is_f8<typename O::Precision>) {
        using Scaled = RoundedTrace<M, F, O, I...>;
        ir::Graph graph = Scaled::graph();
        const int loss = graph.outputs[0];
        return begin_backward<M, O>(static_cast<ir::Graph&&>(graph), loss, compiler::differentiated_nodes,
                                    Before::customs(), Scaled::gradient_slots());
      } else if constexpr (compiler::is_stage<Traced>) {
        ir::Graph graph = ir::thaw(Kept<Traced>::data);
        const int loss = graph.outputs[0];
        return begin_backward<M, O>(static_cast<ir::Graph&&>(graph), loss, compiler::differentiated_nodes,
                                    Before::customs());
      } else {
        return begin_backward<M, O>(ir::thaw(Kept<Before>::data + Before::header_words),
                                    static_cast<int>(Kept<Before>::data[1]), compiler::differentiated_nodes,
                                    Before::customs());
      }
    } else {
      Backward r = BackwardStage<Piece - 1, M, F, O, I...>::thaw();
      continue_backward<O>(r, compiler::differentiated_nodes, ForwardStage<M, F, O, I...>::customs());
      return r;
    }
  }
  static constexpr Backward thaw() { return read_backward(Kept<BackwardStage>::data + 1); }
};

// The step as a source of exec::Compiled; Apply: update the parameters, else only add to the gradients.
template <class M, class F, class O, bool Apply, class... I>
struct StepSource {
  using model = M;
  static constexpr Checks checks = O::checks;
  static constexpr bool shards_parameters = O::shards_parameters;
  static constexpr i64 scale_offset = O::Precision::scaled ? optimizer_layout<M, O>.scale : -1;
  using Forwards = Kept<ForwardStage<M, F, O, I...>>;
  static constexpr int forward_nodes = traced_nodes<M, F, O, I...>();
  static constexpr int backward_pieces = compiler::pieces_of(forward_nodes, compiler::differentiated_nodes);
  using Backwards = BackwardStage<backward_pieces - 1, M, F, O, I...>;
  static constexpr bool is_f8 = precision::is_f8<typename O::Precision>;
  using Scaled = RoundedTrace<M, F, O, I...>;

  // The same with the gradients as further results, so that a pass keeps them.
  struct Differentiated {
    static constexpr int capacity = Kept<Backwards>::size;
    static constexpr ir::Graph graph() {
      Backward r = Backwards::thaw();
      put_magnitudes(r);
      for (int k = 0; k < r.parameters.size(); ++k)
        if (r.gradient(k) >= 0) r.graph.outputs.push(r.gradient(k));
      return static_cast<ir::Graph&&>(r.graph);
    }
  };
  using DifferentiatedStage =
      compiler::through_user<Differentiated, compiler::Behind::differentiate, typename O::Passes>;
  static constexpr Backward gradients() {
    Backward r = Backwards::thaw();
    if constexpr (compiler::is_stage<DifferentiatedStage>) {
      r.graph = ir::thaw(Kept<DifferentiatedStage>::data);
      List<int> found;
      int at = r.graph.outputs.size();
      for (int k = r.parameters.size() - 1; k >= 0; --k)
        found.push(r.gradient(k) >= 0 ? r.graph.outputs[--at] : -1);
      r.graph.outputs.resize(at);
      take_magnitudes(r);
      r.state.adjoint.clear();
      for (int k = 0; k < r.parameters.size(); ++k) {
        r.state.adjoint.push(found[r.parameters.size() - 1 - k]);
        r.parameters[k] = k;
      }
    }
    return r;
  }

  // The same with gradients that are sums over ranks, once a step.
  struct ReducedStage {
    static constexpr int capacity = Kept<Backwards>::size * 3 / 2 + 1024;
    static constexpr void write(WordWriter& w) {
      Backward r = reduce_gradients<M, O>(gradients());
      if constexpr (is_f8) Scaled::share_magnitudes(r);
      write_backward(w, r);
    }
  };
  static constexpr Backward updated_by() {
    if constexpr (O::distributed && (Apply || O::shards_gradients))
      return read_backward(Kept<typename StepSource<M, F, O, true, I...>::ReducedStage>::data);
    else
      return gradients();
  }
  struct UpdateStage {
    static constexpr int capacity = Kept<Backwards>::size * 3 / 2 + (O::distributed ? 2048 : 1024);
    static constexpr void write(WordWriter& w) {
      Backward r = updated_by();
      if constexpr (is_f8 && Apply) Scaled::update(r);
      if constexpr (is_f8 && !Apply) Scaled::gather(r);
      UpdateBuilder<M, O> update(static_cast<Backward&&>(r));
      if constexpr (Apply)
        ir::write(w, update.apply());
      else
        ir::write(w, update.accumulate());
    }
  };
  static constexpr int capacity = Kept<UpdateStage>::size * 3 / 2 + 1024;
  struct Updated {
    static constexpr int capacity = StepSource::capacity;
    static constexpr ir::Graph graph() { return ir::FrozenGraph<UpdateStage>::graph(); }
  };
  struct Rounded {
    static constexpr int capacity = StepSource::capacity;
    static constexpr ir::Graph graph() {
      using Before = compiler::through_user<Updated, compiler::Behind::update, typename O::Passes>;
      if constexpr (O::Precision::rule.changes_nothing())
        return compiler::graph_of<Before>();
      else if constexpr (precision::is_f8<typename O::Precision>)  // markers stand between its products
        return transforms::apply_precision(transforms::prune(compiler::graph_of<Before>()),
                                           O::Precision::rule);
      else
        return transforms::apply_precision(compiler::graph_of<Before>(), O::Precision::rule);
    }
  };
  using RoundedStage = compiler::through_user<Rounded, compiler::Behind::precision, typename O::Passes>;
  struct RematerializedStage {
    static constexpr int capacity = StepSource::capacity * 3 / 2;
    static constexpr void write(WordWriter& w) {
      const ir::Graph before = transforms::place_biases(compiler::graph_of<RoundedStage>());
      ir::write(w,
                transforms::rematerialize(before, blocks_of_slots<M, typename O::Checkpoint>(), O::keeps()));
    }
  };
  static constexpr ir::Graph kept_graph() {
    if constexpr (O::recomputes && has_written_blocks<M, typename O::Checkpoint>)
      return ir::FrozenGraph<RematerializedStage>::graph();
    else
      return compiler::graph_of<RoundedStage>();
  }
  // The same with the parameters gathered, where ranks share them out. Sums over ranks have the first
  // requests, two of the norm and of what is not finite the next.
  static constexpr ir::Graph gathered(const ir::Graph& g) {
    return transforms::ParameterGatherer(g, arena_units<M>(),
                                         {arena_shares<M, O>.elements, arena_shares<M, O>.grain},
                                         parameter_type<M>(), updated_by().requests + 2)
        .run();
  }
  struct GatheredStage {
    static constexpr int capacity = StepSource::capacity * 2;
    static constexpr void write(WordWriter& w) { ir::write(w, gathered(kept_graph())); }
  };
  static constexpr ir::Graph graph() {
    if constexpr (O::shards_parameters)
      return ir::FrozenGraph<GatheredStage>::graph();
    else
      return kept_graph();
  }
  // Where the buffers lie that the step assigns, in bytes of the model's block.
  static constexpr ir::Range assigned_buffers() {
    const ir::Graph g = compiler::graph_of<TracedStage<M, F, O, I...>>();
    ir::Range range;
    for (const ir::Assign& a : g.assigns) {
      const ir::Slot& slot = g.slots[a.slot];
      const i64 end = slot.offset + g.shapes[slot.shape].size() * size_of(slot.dtype);
      const i64 last =
          range.length == 0 || range.offset + range.length < end ? end : range.offset + range.length;
      if (range.length == 0 || slot.offset < range.offset) range.offset = slot.offset;
      range.length = last - range.offset;
    }
    return range;
  }
  using Passed = typename O::Passes;
  static constexpr bool probes_exist() {
    return exec::check_probes<ForwardStage<M, F, O, I...>, typename O::Probes>();
  }
  // An input that the loss never reads, and a row of the state table that no gradient reaches; -1: none.
  static constexpr int unused_input() { return static_cast<int>(static_cast<i64>(Forwards::data[0])); }
  static constexpr int unreached() {
    constexpr const auto& table = nn::state_table<M>;
    int k = static_cast<int>(static_cast<i64>(Kept<Backwards>::data[0]));
    for (int i = 0; k >= 0 && i < table.size; ++i)
      if (table.row[i].trained && k-- == 0) return i;
    return -1;
  }
};

}  // namespace WEFT_NAMESPACE::train
