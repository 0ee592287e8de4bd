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

// The state of one tensor: of each copy a scale, and `history` largest magnitudes behind one another.
struct F8Scale {
  transforms::F8Role role{};
  int parameter = -1;  // the row of the state table
  int scale_slot = -1, history_slot = -1;
  i64 copies = 1;
  i64 scale = 0, history = 0;  // where they lie, in bytes of the optimiser's block
};

// Source: the trace.
template <class Source, class M, class O>
struct F8Stage {
  static constexpr int header_words = 3;  // F8Outcome, how many tensors, where their state ends
  static constexpr int tensor_words = 6;
  static constexpr int capacity = compiler::words_of<Source>() * 2 + 1024;
  static constexpr void write(WordWriter& w) {
    using Precision = typename O::Precision;
    transforms::F8Choice choice;
    F8Outcome outcome = choose_f8<M, Precision>(choice);
    const transforms::ScaledGraph made = transforms::scale_products(
        compiler::graph_of<Source>(), choice, Precision::scaling, optimizer_layout<M, O>.bytes);
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
    return s;
  }
  static constexpr List<int> gradient_slots() {
    List<int> slots;
    for (int k = 0; k < count(); ++k)
      if (scale(k).role == transforms::F8Role::gradient) slots.push(scale(k).scale_slot);
    return slots;
  }
  // Updates the scales of the gradients, when the backward pass is there.
  static constexpr void update_gradient_scales(Backward& r) {
    ir::Builder b(static_cast<ir::Graph&&>(r.graph));
    for (int k = 0, n = 0; k < count(); ++k) {
      const F8Scale s = scale(k);
      if (s.role != transforms::F8Role::gradient) continue;
      const int found = r.adjoint(r.scales[n++]);
      if (found < 0) continue;  // no gradient reaches it
      transforms::ScaledTensor t;
      t.role = s.role;
      t.scale_slot = s.scale_slot;
      t.history_slot = s.history_slot;
      t.blocks = b.graph.shapes[b.graph.slots[s.scale_slot].shape];
      transforms::update_scale(b, t, {&b, found}, O::Precision::scaling);
    }
    r.scales.clear();
    r.graph = static_cast<ir::Graph&&>(b.graph);
  }
};

}  // namespace WEFT_NAMESPACE::train
