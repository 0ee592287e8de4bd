#pragma once
// compile of several models together: states(model, cache).

#include "weft/exec/model.hpp"

namespace WEFT_NAMESPACE {

// Models that a function is given together; it shares their parameters, as functions do.
template <class First, class... More>
struct BoundStates {
  exec::HeldStates<typename First::device_type> states;  // the blocks of all
  typename First::device_type device;
};
namespace exec {
template <class...>
inline constexpr bool are_states = false;
template <class First, class... More>
requires(is_model<First> && (is_model<More> && ...)) inline constexpr bool are_states<First, More...> =
    sizeof...(More) < most_states &&
    (std::is_same_v<typename First::device_type, typename More::device_type> && ...);
}  // namespace exec
WEFT_REFUSAL(StatesAreModels,
             "states takes Models of one device: Model<Caches> caches; compile(states(model, caches), f, "
             "inputs...)");

// compile(states(model, cache), [](const auto& net, const auto& cache, auto x) { ... }, in<...>...): a
// function of several models, each of which it shares as compile(model, ...) does. What a function assigns, a
// cache of which dynamic_update_slice writes a row, the next one over the same model reads. Throws
// "states/same" for a model that is given twice.
template <class... Models>
auto states(Models&... models) {
  constexpr bool fit = exec::are_states<std::remove_const_t<Models>...>;
  static_assert(sizeof(StatesAreModels<fit, Models...>) > 0);
  if constexpr (fit) {
    BoundStates<Models...> bound{{}, std::get<0>(std::tie(models...)).device()};
    (bound.states.add(models.storage(), models.state_bytes(), models.connects_group()), ...);
    return bound;
  } else {
    return AfterRefusal{};
  }
}
// Refused: states({model, cache}), states<Net, Caches>().
namespace exec {
struct MaybeModel {
  MaybeModel() = default;
  template <class M>
  requires is_model<M> MaybeModel(const M&) {}
};
struct BracedModels {
  MaybeModel first, second, third, fourth;
};
}  // namespace exec
template <class None = void>
auto states(const exec::BracedModels&) {
  static_assert(sizeof(StatesAreModels<sizeof(None*) == 0>) > 0);
  return AfterRefusal{};
}
template <class First, class... More>
auto states() {
  static_assert(sizeof(StatesAreModels<sizeof(First*) == 0, First, More...>) > 0);
  return AfterRefusal{};
}
template <class First, class... More, class F, class... A>
auto compile(const BoundStates<First, More...>& given, F, const A&... inputs_then_options) {
  using Pack = exec::StatePack<typename First::type, typename More::type...>;
  auto f = exec::compile_with<Pack, F>(given.device, given.states, inputs_then_options...);
  constexpr bool keeps_some = std::is_const_v<First> || (std::is_const_v<More> || ...);
  if constexpr (keeps_some && !std::is_same_v<decltype(f), AfterRefusal>) {
    constexpr bool kept[]{std::is_const_v<First>, std::is_const_v<More>...};
    static_assert(sizeof(ConstModelIsRead<!decltype(f)::assigns_any(kept), Pack>) > 0);
  }
  return f;
}

}  // namespace WEFT_NAMESPACE
