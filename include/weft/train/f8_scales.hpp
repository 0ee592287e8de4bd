#pragma once
// precision::f8 of a trainer: the trace with its products rounded, as a stage of its own, and the state that
// scales them, behind the optimiser's.

#include <string_view>

#include "weft/train/backward.hpp"
#include "weft/transforms/delayed_scaling.hpp"

namespace WEFT_NAMESPACE::train {

// What became of a model's products.
enum class F8Outcome : u8 { fits, none_chosen, blocks_differ };

// What the policy says of each parameter; of a Stack's, of all blocks together.
template <class M, class Precision>
constexpr F8Outcome choose_f8(transforms::F8Choice& choice) {
  constexpr const auto& table = nn::state_table<M>;
  F8Outcome outcome = F8Outcome::fits;
  choice.inner = Precision::inner;
  for (int i = 0; i < table.size; ++i) {
    const nn::StateInfo& row = table.row[i];
    i64 held = 0;
    for (i64 copy = 0; copy < row.copies(); ++copy) {
      const nn::Name name = row.name.of_copy(copy);
      held += Precision::chooses(name.view(), row.dims);
    }
    if (held != 0 && held != row.copies()) outcome = F8Outcome::blocks_differ;
    choice.chosen.push(held != 0);
  }
  return outcome;
}

// The state of one tensor: of each copy a scale, `history` largest magnitudes behind one another, and, where
// several calls go into an update, that of the calls since the last one.
struct F8Scale {
  transforms::F8Role role{};
  int parameter = -1;  // the row of the state table
  int scale_slot = -1, history_slot = -1, gathered_slot = -1;
  i64 copies = 1;
  i64 scale = 0, history = 0, gathered = 0;  // where they lie, in bytes of the optimiser's block
};

// Source: the trace.
template <class Source, class M, class O>
struct F8Stage {
  static constexpr int header_words = 3;  // F8Outcome, how many tensors, where their state ends
  static constexpr int tensor_words = 8;
  static constexpr bool gathers = O::Accumulation::count > 1;
  static constexpr int capacity = compiler::words_of<Source>() * 2 + 1024;
  static constexpr void write(WordWriter& w) {
    using Precision = typename O::Precision;
    transforms::F8Choice choice;
    F8Outcome outcome = choose_f8<M, Precision>(choice);
    const transforms::ScaledGraph made = transforms::scale_products(
        compiler::graph_of<Source>(), choice, Precision::scaling, optimizer_layout<M, O>.bytes, gathers);
    if (outcome == F8Outcome::fits && made.tensors.empty()) outcome = F8Outcome::none_chosen;
    w.put_int(static_cast<int>(outcome));
    w.put_int(made.tensors.size());
    w.put_int(made.bytes);
    ir::write(w, made.graph);
    for (const transforms::ScaledTensor& t : made.tensors) {
      w.put_int(static_cast<int>(t.role));
      w.put_int(t.parameter);
      w.put_pair(t.scale_slot, t.history_slot);
      w.put_int(t.copies());
      w.put_int(t.scale);
      w.put_int(t.history);
      w.put_int(t.gathered_slot);
      w.put_int(t.gathered);
    }
  }
  static constexpr ir::Graph graph() { return ir::thaw(Kept<F8Stage>::data + header_words); }
  static constexpr F8Outcome outcome() { return static_cast<F8Outcome>(Kept<F8Stage>::data[0]); }
  static constexpr int count() { return static_cast<int>(Kept<F8Stage>::data[1]); }
  static constexpr i64 bytes() { return static_cast<i64>(Kept<F8Stage>::data[2]); }
  static constexpr F8Scale scale(int k) {
    const u64* w = Kept<F8Stage>::data + Kept<F8Stage>::size - (count() - k) * tensor_words;
    F8Scale s;
    s.role = static_cast<transforms::F8Role>(w[0]);
    s.parameter = static_cast<int>(w[1]);
    s.scale_slot = WordReader::low(w[2]);
    s.history_slot = WordReader::high(w[2]);
    s.copies = static_cast<i64>(w[3]);
    s.scale = static_cast<i64>(w[4]);
    s.history = static_cast<i64>(w[5]);
    s.gathered_slot = static_cast<int>(static_cast<i64>(w[6]));
    s.gathered = static_cast<i64>(w[7]);
    return s;
  }
  static constexpr List<int> gradient_slots() {
    List<int> slots;
    for (int k = 0; k < count(); ++k)
      if (scale(k).role == transforms::F8Role::gradient) slots.push(scale(k).scale_slot);
    return slots;
  }
  // When the backward pass is there: takes the largest magnitudes from behind the results.
  static constexpr void find_magnitudes(Backward& r) {
    int at = r.graph.outputs.size();
    for (int k = 0; k < count(); ++k) at -= scale(k).role != transforms::F8Role::gradient;
    const int results = at;
    for (int k = 0, n = 0; k < count(); ++k)
      r.magnitudes.push(scale(k).role == transforms::F8Role::gradient ? r.adjoint(r.scales[n++])
                                                                      : r.graph.outputs[at++]);
    r.graph.outputs.resize(results);
    r.scales.clear();
  }
  // Those of all ranks, as one vector. Every rank has the same scales.
  static constexpr void share_magnitudes(Backward& r) {
    ir::Builder b(static_cast<ir::Graph&&>(r.graph));
    i64 length = 0, at = 0;
    for (int k = 0; k < count(); ++k)
      if (r.magnitudes[k] >= 0) length += scale(k).copies;
    ir::Value all;
    for (int k = 0; k < count(); ++k) {
      if (r.magnitudes[k] < 0) continue;
      const i64 copies = scale(k).copies, around[2]{at, length - at - copies};
      const ir::Value own = ir::pad(ir::reshape(of_calls(b, r, k), ir::make_dims(1, &copies)), around, 0);
      all = all ? all + own : own;
      at += copies;
    }
    if (all) {
      all = ir::all_reduce_max(all, r.requests++);
      at = 0;
      for (int k = 0; k < count(); ++k) {
        if (r.magnitudes[k] < 0) continue;
        const Dims d = b.graph.shapes[b.graph.nodes[r.magnitudes[k]].shape];
        r.magnitudes[k] = ir::reshape(ir::rows(all, at, scale(k).copies), d).id;
        at += scale(k).copies;
      }
    }
    r.graph = static_cast<ir::Graph&&>(b.graph);
  }
  // Of a call that updates: the scales by the largest magnitudes of all calls that go into it.
  static constexpr void update(Backward& r) {
    ir::Builder b(static_cast<ir::Graph&&>(r.graph));
    for (int k = 0; k < count(); ++k) {
      if (r.magnitudes[k] < 0) continue;  // no gradient reaches it
      const F8Scale s = scale(k);
      transforms::ScaledTensor t;
      t.role = s.role;
      t.scale_slot = s.scale_slot;
      t.history_slot = s.history_slot;
      t.blocks = b.graph.shapes[b.graph.slots[s.scale_slot].shape];
      transforms::update_scale(b, t, of_calls(b, r, k), O::Precision::scaling);
      if (s.gathered_slot >= 0)
        b.graph.assigns.push({s.gathered_slot, ir::constant(b, DType::f32, t.blocks, 0).id});
    }
    r.graph = static_cast<ir::Graph&&>(b.graph);
  }
  // Of a call that does not.
  static constexpr void gather(Backward& r) {
    ir::Builder b(static_cast<ir::Graph&&>(r.graph));
    for (int k = 0; k < count(); ++k)
      if (r.magnitudes[k] >= 0) b.graph.assigns.push({scale(k).gathered_slot, of_calls(b, r, k).id});
    r.graph = static_cast<ir::Graph&&>(b.graph);
  }

 private:
  // The largest magnitude of a tensor in this call, and in those since the last update.
  static constexpr ir::Value of_calls(ir::Builder& b, const Backward& r, int k) {
    const ir::Value own{&b, r.magnitudes[k]};
    const int slot = scale(k).gathered_slot;
    return slot < 0 ? own : ir::binary(ir::Op::max, own, ir::read_slot(b, slot));
  }
};

}  // namespace WEFT_NAMESPACE::train
