#pragma once
// apply<Init>(model, predicate, seed): starts the parameters whose name and shape a predicate picks as
// another initialiser says, as model.apply(f) with torch.nn.init's functions. One compiled program; the rest
// of the model stays as it is.

#include "weft/exec/model.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

template <class M, class Init, class P>
struct ApplySource {
  using model = M;
  static constexpr bool picks(const nn::StateInfo& row, i64 copy) {
    const nn::Name name = row.name.of_copy(copy);
    return P{}(name.view(), row.dims);
  }
  // How many copies of a row are picked.
  static constexpr i64 picked(const nn::StateInfo& row) {
    i64 n = 0;
    for (i64 copy = 0; copy < row.copies(); ++copy) n += picks(row, copy) ? 1 : 0;
    return n;
  }
  static constexpr i64 picked() {
    i64 n = 0;
    for (int i = 0; i < nn::state_table<M>.size; ++i) n += picked(nn::state_table<M>.row[i]);
    return n;
  }
  static constexpr ir::Graph graph() {
    constexpr const auto& table = nn::state_table<M>;
    ir::Builder b;
    b.graph.scalar_count = random_words;
    bind_model<M>(b, true);
    for (int i = 0; i < table.size; ++i) {
      const nn::StateInfo& row = table.row[i];
      const i64 some = picked(row);
      if (some == 0) continue;
      ir::Value v = starting_value<Init>(b, row);
      if (some < row.copies()) v = ir::select(picked_copies(b, row), v, ir::read_slot(b, i));
      b.graph.assigns.push(ir::Assign{i, v.id});
    }
    return static_cast<ir::Graph&&>(b.graph);
  }
  // Of every element of a row whether its copy is picked.
  static constexpr ir::Value picked_copies(ir::Builder& b, const nn::StateInfo& row) {
    const Dims d = ir::stacked_dims(row.copies(), row.dims);
    const ir::Value at{&b, b.leaf(ir::Op::iota, DType::i64, d, 0)};
    ir::Value hit{};
    for (i64 copy = 0; copy < row.copies(); ++copy) {
      if (!picks(row, copy)) continue;
      const ir::Value here = ir::binary(ir::Op::eq, at, ir::constant_like(at, static_cast<double>(copy)));
      hit = hit ? ir::binary(ir::Op::bit_or, hit, here) : here;
    }
    return ir::reshape(hit, row.all_dims());
  }
};

WEFT_REFUSAL(SomethingIsPicked, "apply: the predicate picks no parameter or buffer of the model");

}  // namespace exec

WEFT_REFUSAL(InitIsType,
             "the initialiser has numbers of its own, and is a type with them: write "
             "apply<nn::init::XavierUniform<>>(model, predicate), apply<nn::init::Normal<1, 50>>(model, "
             "predicate)");
// Refused: apply<nn::init::XavierUniform>(model, predicate).
template <template <int, int> class Init, class M, class Device, class... A>
void apply(Model<M, Device>&, const A&...) {
  static_assert(sizeof(InitIsType<sizeof(M) == 0, M>) > 0);
}

// The predicate captures nothing: [](std::string_view name, const Dims& d) { return d.rank == 2; }. The same
// seed gives the same values on every device; without one it is a fresh one.
template <class Init, class M, class Device, class P>
void apply(Model<M, Device>& model, P, u64 seed) {
  static_assert(sizeof(CapturesNothing<is_traceable<P>, P>) > 0);
  if constexpr (is_traceable<P>) {
    using Source = exec::ApplySource<M, Init, P>;
    static_assert(sizeof(exec::SomethingIsPicked<(Source::picked() > 0), M, Init>) > 0);
    exec::run_once<Source>(model.device(), model.state(), seed);
  }
}
template <class Init, class M, class Device, class P>
void apply(Model<M, Device>& model, P picks) {
  apply<Init>(model, picks, fresh_seed(SeedUse::model));
}

}  // namespace WEFT_NAMESPACE
