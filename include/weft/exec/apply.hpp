#pragma once
// apply<Init>(model, predicate, seed): starts the parameters whose name and shape a predicate picks as
// another initialiser says, as model.apply(f) with torch.nn.init's functions. One compiled program; the rest
// of the model stays as it is.

#include "weft/exec/model.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

template <class M, class Init, class P>
struct ApplySource {
  static constexpr bool picks(const nn::StateInfo& row) { return P{}(row.name.view(), row.dims); }
  static constexpr int picked() {
    int n = 0;
    for (int i = 0; i < nn::state_table<M>.size; ++i) n += picks(nn::state_table<M>.row[i]) ? 1 : 0;
    return n;
  }
  static constexpr ir::Graph graph() {
    constexpr const auto& table = nn::state_table<M>;
    ir::Builder b;
    b.graph.scalar_count = random_words;
    bind_model<M>(b, true);
    for (int i = 0; i < table.size; ++i) {
      if (!picks(table.row[i])) continue;
      const ir::Value v = Init::value(b, table.row[i].dims);
      b.graph.assigns.push(ir::Assign{i, ir::cast(v, table.row[i].dtype).id});
    }
    return static_cast<ir::Graph&&>(b.graph);
  }
};

WEFT_REFUSAL(SomethingIsPicked, "apply: the predicate picks no parameter or buffer of the model");

}  // namespace exec

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
