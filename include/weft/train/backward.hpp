#pragma once
// The loss and its gradients as a graph: the model's forward pass, and the backward pass behind it, which can
// stop after so many nodes and continue in another constant evaluation.

#include "weft/exec/custom_gradients.hpp"
#include "weft/exec/probes.hpp"
#include "weft/ir/unrounded.hpp"
#include "weft/train/optimizer_layout.hpp"
#include "weft/transforms/differentiate.hpp"

namespace WEFT_NAMESPACE::train {

using ir::Op;
using ir::Value;

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

// A gradient, not rounded where products are.
template <class O>
constexpr Value exact(Value gradient) {
  return O::Precision::rule.compute == DType::f32 ? gradient : ir::unrounded(gradient);
}

// Forward and backward, as far as the backward pass has come: the node of every trained parameter in the
// table's order, the slot of the loss scale (-1 without one).
struct Backward {
  ir::Graph graph;
  transforms::Differentiation state;
  List<int> parameters;
  List<int> scales;      // of precision::f8: the nodes of the gradients' scales, until the pass has ended
  List<int> magnitudes;  // of precision::f8, then: the largest magnitude of each tensor, -1: none is known
  int scale_slot = -1;
  int requests = 0;  // of collectives so far

  // The gradient's node of trained parameter k, -1 where no gradient reaches it.
  constexpr int gradient(int k) const { return adjoint(parameters[k]); }
  constexpr int adjoint(int node) const {
    // a parameter that the loss never reads got its node behind the loss's
    return node < state.adjoint.size() && state.adjoint[node] >= 0 ? state.adjoint[node] : -1;
  }
};

template <class M, class O>
constexpr Backward begin_backward(ir::Graph&& forward, int loss, int nodes,
                                  const List<ir::CustomGradient>& customs = {},
                                  const List<int>& scale_slots = {}) {
  constexpr const auto& table = nn::state_table<M>;
  Backward r;
  ir::Builder b(static_cast<ir::Graph&&>(forward));
  b.custom_gradients = customs;
  b.recomputes = O::recomputes;
  b.rounds_products = size_of(O::Precision::rule.compute) == 2;
  b.keeps = O::keeps();
  const Value total{&b, loss};
  Value seed = ir::constant_like(total, 1);
  if (O::Precision::scaled) {
    r.scale_slot = add_slot(b, ir::Space::optimizer, DType::f32, Dims{}, optimizer_layout<M, O>.scale);
    seed = ir::broadcast(ir::read_slot(b, r.scale_slot), total.dims());
  }
  for (int i = 0; i < table.size; ++i)
    if (table.row[i].trained) r.parameters.push(ir::read_slot(b, i).id);
  List<int> wrt = r.parameters;
  for (int slot : scale_slots) {
    r.scales.push(ir::read_slot(b, slot).id);
    wrt.push(r.scales.back());
  }
  r.state = transforms::begin_differentiation(total, seed, wrt);
  transforms::differentiate_on(b, r.state, nodes);
  r.graph = static_cast<ir::Graph&&>(b.graph);
  return r;
}
template <class O>
constexpr void continue_backward(Backward& r, int nodes, const List<ir::CustomGradient>& customs = {}) {
  ir::Builder b(static_cast<ir::Graph&&>(r.graph));
  b.custom_gradients = customs;
  b.recomputes = O::recomputes;
  b.rounds_products = size_of(O::Precision::rule.compute) == 2;
  b.keeps = O::keeps();
  transforms::differentiate_on(b, r.state, nodes);
  r.graph = static_cast<ir::Graph&&>(b.graph);
}

}  // namespace WEFT_NAMESPACE::train
