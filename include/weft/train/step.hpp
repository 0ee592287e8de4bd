#pragma once
// The whole training step as one graph: forward, backward, clipping, loss scaling, the optimiser's updates.
//
// Gradients are packed into one arena laid out like the parameters'; each parameter group is updated by one
// kernel over its ranges. State beside the parameters lies in the optimiser's block: the applied updates, the
// loss scale and its count of good updates, the accumulated gradients, then the moments. Updates are counted
// by the program only where it may skip one (a loss scale); elsewhere the trainer counts.

#include "weft/exec/custom_gradients.hpp"
#include "weft/exec/probes.hpp"
#include "weft/exec/trace.hpp"
#include "weft/passes/differentiate.hpp"
#include "weft/train/options.hpp"

namespace weft::train {

using ir::Op;
using ir::Value;

// Where the optimiser's state lies in its block, in bytes.
struct OptimizerLayout {
  i64 updates = 0, scale = 0, good = 0;
  i64 accumulated = -1;
  i64 moment[4]{-1, -1, -1, -1};
  i64 bytes = 0;
};

template <class M, class O>
constexpr OptimizerLayout make_optimizer_layout() {
  OptimizerLayout l;
  const i64 arena = nn::state_table<M>.trained_bytes;
  l.updates = 0;
  l.scale = 64;
  l.good = 128;
  l.bytes = nn::state_alignment;
  if (O::Accumulation::count > 1) {
    l.accumulated = l.bytes;
    l.bytes += arena;
  }
  for (int k = 0; k < O::Optimizer::base::moments; ++k) {
    l.moment[k] = l.bytes;
    l.bytes += arena;
  }
  return l;
}
template <class M, class O>
inline constexpr OptimizerLayout optimizer_layout = make_optimizer_layout<M, O>();

// Run-time scalars: the clip bound, the number of the update, then each group's numbers.
template <class O>
struct ScalarLayout {
  static constexpr int clip = exec::random_words;
  static constexpr int update = clip + 1;
  static constexpr int per_group = O::Optimizer::base::numbers;
  static constexpr int group(int k) { return update + 1 + per_group * k; }
  static constexpr int count = group(O::Optimizer::group_count);
};

// The parameter group of a row of the state table. The name is copied first: a user's predicate that searches
// characters of a constant is no constant itself under g++'s -fsanitize=undefined.
template <class Optimizer>
constexpr int group_of(const nn::StateInfo& row) {
  const nn::Name name = row.name;
  return Optimizer::group_of(name.view(), row.dims);
}

// The vectors of one parameter group: ranges of the arena that hold its parameters, neighbours joined.
template <class M, class O>
constexpr void add_group(ir::Graph& g, int group) {
  constexpr const auto& table = nn::state_table<M>;
  const int begin = g.ranges.size();
  for (int i = 0; i < table.size; ++i) {
    const nn::StateInfo& row = table.row[i];
    if (!row.trained || (group >= 0 && group_of<typename O::Optimizer>(row) != group)) continue;
    const i64 unit = size_of(row.dtype);
    const i64 offset = row.offset / unit;
    const i64 length =
        (row.dims.size() * unit + nn::state_alignment - 1) / nn::state_alignment * nn::state_alignment / unit;
    if (g.ranges.size() > begin && g.ranges.back().offset + g.ranges.back().length == offset)
      g.ranges.back().length += length;
    else
      g.ranges.push({offset, length});
  }
  g.groups.push({begin, g.ranges.size() - begin});
}

// The forward pass: its graph, the loss's node, and an input that nothing reads (-1: none).
struct Forward {
  ir::Graph graph;
  int loss = -1;
  int unused_input = -1;
  int customs = 0;   // custom primitives, by id and types
  List<u64> probes;  // exec/probes.hpp
};

template <class M, class F, class O, class... I>
constexpr Forward trace_forward() {
  Forward r;
  ir::Builder b(512);
  b.graph.scalar_count = ScalarLayout<O>::count;
  List<ir::Probe> probes;
  if constexpr (O::Probes::count > 0) b.probes = &probes;
  const M model = exec::bind_model<M>(b, O::training);
  const auto loss = exec::call<I...>(b, F{}, model);
  r.loss = ir::cast(loss.value, DType::f32).id;
  b.graph.outputs.push(r.loss);
  if constexpr (O::Probes::count > 0) exec::add_probes<typename O::Probes>(b.graph, probes, r.probes);
  b.graph.optimizer_bytes = optimizer_layout<M, O>.bytes;
  List<u8> read(b.graph.nodes.size(), 0);
  for (int e : b.graph.edges) read[e] = 1;
  for (int k = 0; k < b.graph.inputs.size(); ++k)
    if (!read[b.graph.inputs[k]]) r.unused_input = k;
  r.customs = b.custom_gradients.size();
  r.graph = static_cast<ir::Graph&&>(b.graph);
  return r;
}

// Adds a slot of the optimiser's or the model's state.
constexpr int add_slot(ir::Builder& b, ir::Space space, DType t, const Dims& d, i64 offset,
                       int segments = -1) {
  b.graph.slots.push({space, t, b.shape(d), segments, offset});
  return b.graph.slots.size() - 1;
}
constexpr Value read_slot(ir::Builder& b, int s) {
  const ir::Slot slot = b.graph.slots[s];
  return {&b, b.leaf(Op::state, slot.dtype, Dims(b.graph.shapes[slot.shape]), static_cast<u64>(s))};
}

// Forward and backward, as far as the backward pass has come: the node of every trained parameter in the
// table's order, the slot of the loss scale (-1 without one).
struct Backward {
  ir::Graph graph;
  passes::Differentiation state;
  List<int> parameters;
  int scale_slot = -1;

  // The gradient's node of trained parameter k, -1 where no gradient reaches it.
  constexpr int gradient(int k) const {
    // a parameter that the loss never reads got its node behind the loss's
    const int node = parameters[k];
    return node < state.adjoint.size() && state.adjoint[node] >= 0 ? state.adjoint[node] : -1;
  }
};

template <class M, class O>
constexpr Backward begin_backward(ir::Graph&& forward, int loss, int nodes,
                                  const List<ir::CustomGradient>& customs = {}) {
  constexpr const auto& table = nn::state_table<M>;
  Backward r;
  ir::Builder b(static_cast<ir::Graph&&>(forward));
  b.custom_gradients = customs;
  const Value total{&b, loss};
  Value seed = ir::constant_like(total, 1);
  if (O::Precision::scaled) {
    r.scale_slot = add_slot(b, ir::Space::optimizer, DType::f32, Dims{}, optimizer_layout<M, O>.scale);
    seed = ir::broadcast(read_slot(b, r.scale_slot), total.dims());
  }
  for (int i = 0; i < table.size; ++i)
    if (table.row[i].trained) r.parameters.push(read_slot(b, i).id);
  r.state = passes::begin_differentiation(total, seed, r.parameters);
  passes::differentiate_on(b, r.state, nodes);
  r.graph = static_cast<ir::Graph&&>(b.graph);
  return r;
}
constexpr void continue_backward(Backward& r, int nodes, const List<ir::CustomGradient>& customs = {}) {
  ir::Builder b(static_cast<ir::Graph&&>(r.graph));
  b.custom_gradients = customs;
  passes::differentiate_on(b, r.state, nodes);
  r.graph = static_cast<ir::Graph&&>(b.graph);
}

// The end of a step: gradients into their arena, one factor for all of them, one update a parameter group.
template <class M, class O>
class UpdateBuilder {
  using Optimizer = typename O::Optimizer;
  using Scalars = ScalarLayout<O>;
  static constexpr OptimizerLayout layout = optimizer_layout<M, O>;
  static constexpr int micro = O::Accumulation::count;
  static constexpr bool scaled = O::Precision::scaled;
  static constexpr bool by_norm = std::is_same_v<typename O::Clip, clip::Norm>;
  static constexpr bool by_value = std::is_same_v<typename O::Clip, clip::Value>;

 public:
  constexpr explicit UpdateBuilder(Backward&& backward)
      : b(static_cast<ir::Graph&&>(backward.graph), ir::Sharing::leaves), scale_slot_(backward.scale_slot) {
    for (int k = 0; k < backward.parameters.size(); ++k) gradients_.push(backward.gradient(k));
    for (int k = 0; k < Optimizer::group_count; ++k) add_group<M, O>(b.graph, k);
  }

  // Adds to the accumulated gradients, nothing else.
  constexpr ir::Graph accumulate() {
    const int sums = add_slot(b, ir::Space::optimizer, DType::f32, flat(arena()), layout.accumulated);
    assign(sums, read_slot(b, sums) + pack(whole_arena));
    return static_cast<ir::Graph&&>(b.graph);
  }

  // Updates parameters and moments, unless gradients that are not finite make it skip.
  constexpr ir::Graph apply() {
    make_factor();
    if constexpr (scaled) {
      const int updates = add_slot(b, ir::Space::optimizer, DType::i32, Dims{}, layout.updates);
      const Value before = read_slot(b, updates), after = before + 1.0;
      update_groups(ir::cast(after, DType::f32));
      assign(updates, keep(after, before));
      update_scale();
    } else {
      update_groups(scalar(Scalars::update));
    }
    return static_cast<ir::Graph&&>(b.graph);
  }

 private:
  static constexpr int whole_arena = -1;
  static constexpr i64 arena() { return nn::state_table<M>.trained_bytes / 4; }
  static constexpr Dims flat(i64 length) {
    Dims d;
    d.rank = 1;
    d.extent[0] = length;
    return d;
  }
  constexpr i64 length_of(int group) const {
    if (group == whole_arena) return arena();
    i64 length = 0;
    const ir::Span span = b.graph.groups[group];
    for (int r = 0; r < span.size; ++r) length += b.graph.ranges[span.begin + r].length;
    return length;
  }
  constexpr Value scalar(int k) { return {&b, b.leaf(Op::scalar, DType::f32, Dims{}, static_cast<u64>(k))}; }
  constexpr void assign(int slot, Value v) { b.graph.assigns.push({slot, v.id}); }
  constexpr Value keep(Value changed, Value unchanged) const {
    return scaled ? ir::select(skip_, unchanged, changed) : changed;
  }

  // The gradients of a group's parameters as one vector.
  constexpr Value pack(int group) {
    constexpr const auto& table = nn::state_table<M>;
    List<int> operands;
    List<i64> offsets;
    for (int i = 0, k = 0; i < table.size; ++i) {
      const nn::StateInfo& row = table.row[i];
      if (!row.trained) continue;
      const int gradient = gradients_[k++];
      if (group != whole_arena && group_of<Optimizer>(row) != group) continue;
      operands.push(gradient);
      offsets.push(row.offset / 4);
    }
    return ir::pack(b, DType::f32, length_of(group), operands, offsets,
                    static_cast<u64>(static_cast<i64>(group)));
  }

  // What every gradient is multiplied by: the mean over microbatches, one over the loss scale, the norm's
  // bound.
  constexpr void make_factor() {
    factor_ = ir::constant(b, DType::f32, Dims{}, 1.0 / micro);
    if (scaled) factor_ = factor_ / read_slot(b, scale_slot_);
    if (!by_norm && !scaled) return;
    Value all = pack(whole_arena);
    if (micro > 1)
      all = all +
            read_slot(b, add_slot(b, ir::Space::optimizer, DType::f32, flat(arena()), layout.accumulated));
    if (by_norm) {
      const Value norm =
          ir::unary(Op::sqrt, ir::reshape(ir::reduce(Op::reduce_sum, all * all, 1u), Dims{})) * factor_;
      const Value bound = scalar(Scalars::clip) / (norm + 1e-6);
      factor_ = factor_ * ir::binary(Op::min, bound, ir::constant_like(bound, 1));
    }
    if (scaled) {
      const Value broken = ir::cast(ir::unary(Op::logical_not, ir::unary(Op::is_finite, all)), DType::f32);
      const Value any = ir::reshape(ir::reduce(Op::reduce_max, broken, 1u), Dims{});
      skip_ = ir::binary(Op::ne, any, ir::constant_like(any, 0));
    }
  }

  // One update of the group's vector; of an optimiser that works on matrices, one for each of them.
  // `updates`: how many were applied, this one included; f32, exact up to 2^24.
  constexpr void update_groups(Value updates) {
    for (int k = 0; k < Optimizer::group_count; ++k)
      if (b.graph.groups[k].size > 0) update_group(k, updates);
  }
  constexpr void update_group(int k, Value updates) {
    if constexpr (requires { Optimizer::by_matrix(0); }) {
      if (Optimizer::by_matrix(k)) return update_matrices(k, updates);
    }
    const auto vector = [&](ir::Space space, i64 offset) {
      return add_slot(b, space, DType::f32, flat(length_of(k)), offset, k);
    };
    const Value gradient = pack(k);
    const int parameters = vector(ir::Space::model, 0);
    update_tensor(k, gradient, updates, parameters, vector,
                  [](optim::Update& u) { Optimizer::base::update(u); });
  }
  constexpr void update_matrices(int group, Value updates) {
    constexpr const auto& table = nn::state_table<M>;
    for (int i = 0, k = 0; i < table.size; ++i) {
      const nn::StateInfo& row = table.row[i];
      if (!row.trained) continue;
      const Value gradient{&b, gradients_[k++]};
      if (group_of<Optimizer>(row) != group) continue;
      const auto matrix = [&](ir::Space space, i64 offset) {
        return add_slot(b, space, DType::f32, row.dims, offset + row.offset);
      };
      update_tensor(group, gradient, updates, i, matrix, [](optim::Update& u) {
        if constexpr (requires { Optimizer::base::update_matrix(u); }) Optimizer::base::update_matrix(u);
      });
    }
  }

  // A gradient, its parameters' slot, and where state laid out as they are lies.
  constexpr void update_tensor(int group, Value g, Value updates, int parameter, const auto& slot,
                               const auto& update) {
    if (micro > 1) {
      const int sums = slot(ir::Space::optimizer, layout.accumulated);
      g = g + read_slot(b, sums);
      assign(sums, ir::constant_like(g, 0));
    }
    if (!factor_.is(1)) g = g * factor_;
    if (by_value) {
      const Value most = scalar(Scalars::clip);
      g = ir::binary(Op::max, ir::binary(Op::min, g, most), -most);
    }
    optim::Update u;
    u.gradient = g;
    u.updates = updates;
    u.parameter = read_slot(b, parameter);
    int moments[4]{};
    for (int m = 0; m < Optimizer::base::moments; ++m) {
      moments[m] = slot(ir::Space::optimizer, layout.moment[m]);
      u.moment[m] = read_slot(b, moments[m]);
    }
    for (int n = 0; n < Optimizer::base::numbers; ++n) u.number[n] = scalar(Scalars::group(group) + n);
    const optim::Update old = u;
    update(u);
    assign(parameter, keep(u.parameter, old.parameter));
    for (int m = 0; m < Optimizer::base::moments; ++m)
      if (u.moment[m].id != old.moment[m].id) assign(moments[m], keep(u.moment[m], old.moment[m]));
  }

  // Halved after an update that was skipped, doubled after 2,000 that were not: torch.amp.GradScaler's
  // defaults.
  constexpr void update_scale() {
    const int good_slot = add_slot(b, ir::Space::optimizer, DType::i32, Dims{}, layout.good);
    const Value scale = read_slot(b, scale_slot_), good = read_slot(b, good_slot) + 1.0;
    const Value grows = ir::binary(Op::le, ir::constant_like(good, 2000), good);
    assign(scale_slot_, ir::select(skip_, scale * 0.5, ir::select(grows, scale * 2.0, scale)));
    assign(good_slot, ir::select(ir::binary(Op::bit_or, skip_, grows), ir::constant_like(good, 0), good));
  }

  ir::Builder b;
  List<int> gradients_;
  int scale_slot_ = -1;
  Value factor_, skip_;
};

// The stages of a step's trace, each a constant evaluation of its own.
template <class M, class F, class O, class... I>
struct ForwardStage {
  static constexpr void write(WordWriter& w) {
    const Forward f = trace_forward<M, F, O, I...>();
    w.put_int(f.unused_input);
    w.put_int(f.loss);
    w.put_int(f.customs);
    ir::write(w, f.graph);
    if constexpr (O::Probes::count > 0) {
      w.put_all(f.probes.data(), f.probes.size());
      w.put_int(f.probes.size());
    }
  }
  static constexpr int header_words = 3;
  static constexpr List<ir::CustomGradient> customs() {
    List<ir::CustomGradient> list;
    if constexpr (Kept<ForwardStage>::data[2] > 0)
      exec::CustomSignatures<ForwardStage, header_words>::add(list);
    return list;
  }
};
// The backward pass goes in pieces of so many nodes of the forward pass.
template <int Piece, class M, class F, class O, class... I>
struct BackwardStage {
  static constexpr int capacity = 3 * Kept<ForwardStage<M, F, O, I...>>::size + 1024;
  static constexpr void write(WordWriter& w) {
    const Backward r = make();
    int unreached = -1;
    for (int k = r.parameters.size() - 1; k >= 0; --k)
      if (r.gradient(k) < 0) unreached = k;
    w.put_int(unreached);
    w.put_int(r.scale_slot);
    w.put_int(r.state.next);
    for (const List<int>* list : {&r.parameters, &r.state.adjoint}) {
      w.put_int(list->size());
      for (int x : *list) w.put_int(x);
    }
    ir::write(w, r.graph);
  }
  static constexpr Backward make() {
    if constexpr (Piece == 0) {
      using Before = ForwardStage<M, F, O, I...>;
      return begin_backward<M, O>(ir::thaw(Kept<Before>::data + Before::header_words),
                                  static_cast<int>(Kept<Before>::data[1]), exec::pieces.differentiated_nodes,
                                  Before::customs());
    } else {
      Backward r = BackwardStage<Piece - 1, M, F, O, I...>::thaw();
      continue_backward(r, exec::pieces.differentiated_nodes, ForwardStage<M, F, O, I...>::customs());
      return r;
    }
  }
  static constexpr Backward thaw() {
    WordReader reader(Kept<BackwardStage>::data + 1);
    Backward r;
    r.scale_slot = static_cast<int>(reader.get_int());
    r.state.next = static_cast<int>(reader.get_int());
    for (List<int>* list : {&r.parameters, &r.state.adjoint}) {
      list->resize(reader.get_size());
      for (int& x : *list) x = static_cast<int>(reader.get_int());
    }
    r.graph = ir::read_graph(reader);
    return r;
  }
};

// The step as a source of exec::Compiled; Apply: update the parameters, else only add to the gradients.
template <class M, class F, class O, bool Apply, class... I>
struct StepSource {
  using Forwards = Kept<ForwardStage<M, F, O, I...>>;
  static constexpr int forward_nodes =
      ir::FrozenGraph<ForwardStage<M, F, O, I...>, ForwardStage<M, F, O, I...>::header_words>::sizes.nodes;
  static constexpr int backward_pieces = exec::pieces_of(forward_nodes, exec::pieces.differentiated_nodes);
  using Backwards = BackwardStage<backward_pieces - 1, M, F, O, I...>;

  struct UpdateStage {
    static constexpr int capacity = Kept<Backwards>::size * 3 / 2 + 1024;
    static constexpr void write(WordWriter& w) {
      UpdateBuilder<M, O> update(Backwards::thaw());
      if constexpr (Apply)
        ir::write(w, update.apply());
      else
        ir::write(w, update.accumulate());
    }
  };
  static constexpr int capacity = Kept<UpdateStage>::size * 3 / 2 + 1024;
  static constexpr ir::Graph graph() {
    if constexpr (O::Precision::rule.compute == DType::f32)
      return ir::FrozenGraph<UpdateStage>::graph();
    else
      return passes::apply_precision(ir::FrozenGraph<UpdateStage>::graph(), O::Precision::rule);
  }
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

}  // namespace weft::train
