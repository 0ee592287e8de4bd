#pragma once
// The whole training step as one graph: forward, backward, clipping, loss scaling, the optimiser's updates.
//
// Gradients are packed into one arena laid out like the parameters'; each parameter group is updated by one
// kernel over its ranges. State beside the parameters lies in the optimiser's block: the applied updates, the loss
// scale and its count of good updates, the accumulated gradients, then the moments.

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

// Run-time scalars: the clip bound, then each group's numbers.
template <class O>
struct ScalarLayout {
  static constexpr int clip = exec::random_words;
  static constexpr int per_group = O::Optimizer::base::numbers;
  static constexpr int group(int k) { return clip + 1 + per_group * k; }
  static constexpr int count = group(O::Optimizer::group_count);
};

// What the trainer checks before it differentiates, each with a sentence of its own.
struct StepChecks {
  int unused_input = -1;     // an input that nothing reads
  int unreached = -1;        // a trained parameter without a gradient
};

struct StepGraph {
  ir::Graph graph;
  StepChecks checks;
};

// The vectors of one parameter group: ranges of the arena that hold its parameters, neighbours joined.
template <class M, class O>
constexpr void add_group(ir::Graph& g, int group) {
  constexpr const auto& table = nn::state_table<M>;
  const int begin = g.ranges.size();
  for (int i = 0; i < table.size; ++i) {
    const nn::StateInfo& row = table.row[i];
    if (!row.trained || (group >= 0 && O::Optimizer::group_of(row.name.view(), row.dims) != group)) continue;
    const i64 unit = size_of(row.dtype);
    const i64 offset = row.offset / unit;
    const i64 length = (row.dims.size() * unit + nn::state_alignment - 1) / nn::state_alignment * nn::state_alignment / unit;
    if (g.ranges.size() > begin && g.ranges.back().offset + g.ranges.back().length == offset)
      g.ranges.back().length += length;
    else
      g.ranges.push({offset, length});
  }
  g.groups.push({begin, g.ranges.size() - begin});
}

template <class M, class F, class O, bool Apply, class... I>
constexpr StepGraph build_step() {
  constexpr const auto& table = nn::state_table<M>;
  constexpr OptimizerLayout layout = optimizer_layout<M, O>;
  using Scalars = ScalarLayout<O>;
  using Optimizer = typename O::Optimizer;
  StepGraph out;
  ir::Builder b(1024);
  b.graph.scalar_count = Scalars::count;
  const M model = exec::bind_model<M>(b, O::training);
  const auto loss = exec::call<I...>(b, F{}, model);
  Value total = ir::cast(loss.value, DType::f32);
  b.graph.outputs.push(total.id);
  b.graph.optimizer_bytes = layout.bytes;

  // every input must be read
  {
    List<u8> read(b.graph.nodes.size(), 0);
    for (int e : b.graph.edges) read[e] = 1;
    for (int k = 0; k < b.graph.inputs.size(); ++k)
      if (!read[b.graph.inputs[k]]) out.checks.unused_input = k;
  }

  const auto slot = [&](ir::Space space, DType t, const Dims& d, i64 offset, int segments) {
    b.graph.slots.push({space, t, b.shape(d), segments, offset});
    return b.graph.slots.size() - 1;
  };
  const auto state = [&](int s) { return Value{&b, b.leaf(Op::state, b.graph.slots[s].dtype, Dims(b.graph.shapes[b.graph.slots[s].shape]), static_cast<u64>(s))}; };
  const auto scalar = [&](int k) { return Value{&b, b.leaf(Op::scalar, DType::f32, Dims{}, static_cast<u64>(k))}; };
  const auto assign = [&](int s, Value v) { b.graph.assigns.push({s, v.id}); };

  // gradients of every trained parameter, in the arena's order
  constexpr bool scaled = O::Precision::scaled;
  const int scale_slot = scaled ? slot(ir::Space::optimizer, DType::f32, Dims{}, layout.scale, -1) : -1;
  const Value seed = scaled ? ir::broadcast(state(scale_slot), total.dims()) : ir::constant_like(total, 1);
  List<int> parameters, places;
  for (int i = 0; i < table.size; ++i) {
    if (!table.row[i].trained) continue;
    parameters.push(b.leaf(Op::state, table.row[i].dtype, table.row[i].dims, static_cast<u64>(i)));
    places.push(i);
  }
  const List<Value> gradients = passes::differentiate(total, seed, parameters);
  for (int k = 0; k < gradients.size(); ++k)
    if (!gradients[k]) {
      out.checks.unreached = places[k];
      out.graph = static_cast<ir::Graph&&>(b.graph);
      return out;
    }

  const i64 arena = table.trained_bytes / 4;
  const auto pack = [&](int group) {
    List<int> operands;
    List<i64> offsets;
    i64 length = 0;
    for (int k = 0; k < gradients.size(); ++k) {
      const nn::StateInfo& row = table.row[places[k]];
      if (group >= 0 && Optimizer::group_of(row.name.view(), row.dims) != group) continue;
      operands.push(gradients[k].id);
      offsets.push(row.offset / 4);
    }
    if (group < 0) {
      length = arena;
    } else {
      const ir::Span span = b.graph.groups[group];
      for (int r = 0; r < span.size; ++r) length += b.graph.ranges[span.begin + r].length;
    }
    return ir::pack(b, DType::f32, length, operands, offsets, static_cast<u64>(static_cast<i64>(group)));
  };
  for (int k = 0; k < Optimizer::group_count; ++k) add_group<M, O>(b.graph, k);
  const auto flat = [](i64 length) {
    Dims d;
    d.rank = 1;
    d.extent[0] = length;
    return d;
  };

  constexpr int micro = O::Accumulation::count;
  if constexpr (!Apply) {
    // add to the accumulated gradients, nothing else
    const int sums = slot(ir::Space::optimizer, DType::f32, flat(arena), layout.accumulated, -1);
    assign(sums, state(sums) + pack(-1));
    out.graph = static_cast<ir::Graph&&>(b.graph);
    return out;
  } else {
    const int sums_whole = micro > 1 ? slot(ir::Space::optimizer, DType::f32, flat(arena), layout.accumulated, -1) : -1;
    // one factor on all gradients: the mean over microbatches, the loss scale, the norm's bound
    Value whole = {};
    constexpr bool by_norm = std::is_same_v<typename O::Clip, clip::Norm>;
    if (by_norm || scaled) {
      whole = pack(-1);
      if (micro > 1) whole = whole + state(sums_whole);
    }
    Value unit = ir::constant(b, DType::f32, Dims{}, 1.0 / micro);
    if (scaled) unit = unit / state(scale_slot);
    Value factor = unit;
    if constexpr (by_norm) {
      const Value norm = ir::unary(Op::sqrt, ir::reshape(ir::reduce(Op::reduce_sum, whole * whole, 1u), Dims{})) * unit;
      const Value bound = scalar(Scalars::clip) / (norm + 1e-6);
      factor = factor * ir::binary(Op::min, bound, ir::constant_like(bound, 1));
    }
    Value skip = {};
    if (scaled) {
      const Value broken = ir::cast(ir::unary(Op::logical_not, ir::unary(Op::is_finite, whole)), DType::f32);
      const Value any = ir::reshape(ir::reduce(Op::reduce_max, broken, 1u), Dims{});
      skip = ir::binary(Op::ne, any, ir::constant_like(any, 0));
    }
    const int updates_slot = slot(ir::Space::optimizer, DType::i32, Dims{}, layout.updates, -1);
    const Value before = state(updates_slot);
    const Value after = before + 1.0;
    for (int k = 0; k < Optimizer::group_count; ++k) {
      const ir::Span span = b.graph.groups[k];
      if (span.size == 0) continue;
      i64 length = 0;
      for (int r = 0; r < span.size; ++r) length += b.graph.ranges[span.begin + r].length;
      const auto vector = [&](ir::Space space, i64 offset) { return slot(space, DType::f32, flat(length), offset, k); };
      const int parameter = vector(ir::Space::model, 0);
      optim::Update u;
      u.parameter = state(parameter);
      Value g = pack(k);
      if (micro > 1) {
        const int sums = vector(ir::Space::optimizer, layout.accumulated);
        g = g + state(sums);
        const Value zero = ir::constant_like(g, 0);
        assign(sums, zero);
      }
      g = factor.is(1) ? g : g * factor;
      if constexpr (std::is_same_v<typename O::Clip, clip::Value>) {
        const Value most = scalar(Scalars::clip);
        g = ir::binary(Op::max, ir::binary(Op::min, g, most), -most);
      }
      u.gradient = g;
      int moments[4]{};
      for (int m = 0; m < Optimizer::base::moments; ++m) {
        moments[m] = vector(ir::Space::optimizer, layout.moment[m]);
        u.moment[m] = state(moments[m]);
      }
      for (int n = 0; n < Optimizer::base::numbers; ++n) u.number[n] = scalar(Scalars::group(k) + n);
      u.updates = ir::cast(after, DType::f32);
      const optim::Update old = u;
      Optimizer::base::update(u);
      const auto keep = [&](Value changed, Value unchanged) { return scaled ? ir::select(skip, unchanged, changed) : changed; };
      assign(parameter, keep(u.parameter, old.parameter));
      for (int m = 0; m < Optimizer::base::moments; ++m) assign(moments[m], keep(u.moment[m], old.moment[m]));
    }
    assign(updates_slot, scaled ? ir::select(skip, before, after) : after);
    if constexpr (scaled) {
      const int good_slot = slot(ir::Space::optimizer, DType::i32, Dims{}, layout.good, -1);
      const Value scale = state(scale_slot), good = state(good_slot) + 1.0;
      const Value grows = ir::binary(Op::le, ir::constant_like(good, 2000), good);
      assign(scale_slot, ir::select(skip, scale * 0.5, ir::select(grows, scale * 2.0, scale)));
      assign(good_slot, ir::select(ir::binary(Op::bit_or, skip, grows), ir::constant_like(good, 0), good));
    }
    out.graph = static_cast<ir::Graph&&>(b.graph);
    return out;
  }
}

// The step as a source of exec::Compiled; Apply: update the parameters, else only add to the gradients. The traced
// and differentiated graph is kept with its checks in front.
template <class M, class F, class O, bool Apply, class... I>
struct StepTrace {
  static constexpr void write(WordWriter& w) {
    const StepGraph step = build_step<M, F, O, Apply, I...>();
    w.put_int(step.checks.unused_input);
    w.put_int(step.checks.unreached);
    ir::write(w, step.graph);
  }
};

template <class M, class F, class O, bool Apply, class... I>
struct StepSource {
  using Trace = Kept<StepTrace<M, F, O, Apply, I...>>;
  static constexpr ir::Graph graph() { return passes::apply_precision(ir::thaw(Trace::words.w + 2), O::Precision::rule); }
  static constexpr StepChecks checks() {
    return {static_cast<int>(static_cast<i64>(Trace::words.w[0])), static_cast<int>(static_cast<i64>(Trace::words.w[1]))};
  }
};

}  // namespace weft::train
