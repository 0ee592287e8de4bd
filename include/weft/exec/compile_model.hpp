#pragma once
// compile of a model alone: its operator() is the function.

#include "weft/exec/model.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

WEFT_REFUSAL(
    ModelIsCallable,
    "compile(model, in<...>) compiles the model's operator(), and it has none: write constexpr auto "
    "operator()(auto x) const, or give a function, compile(model, [](const auto& m, auto x) { ... }, "
    "in<...>)");

// Whether M has an operator(); refused without.
template <class M>
constexpr auto calls_itself() {
  constexpr bool called = [] {
    if constexpr (std::is_final_v<M>)
      return true;
    else
      return weft::detail::HasCall<M>;
  }();
  static_assert(sizeof(ModelIsCallable<called, M>) > 0);
  return called;
}

struct CallModel {
  template <class M, class... X>
  requires(weft::detail::takes<M, X...>()) constexpr auto operator()(const M& model, const X&... x) const {
    return model(x...);
  }
};

}  // namespace exec

// Of a template that was not given its arguments.
template <template <auto...> class M, class... A>
AfterRefusal compile(const A&...) {
  static_assert(sizeof(exec::ModelHasArguments<(sizeof...(A) > 99), A...>) > 0);
  return {};
}
template <template <class...> class M, class... A>
AfterRefusal compile(const A&...) {
  static_assert(sizeof(exec::ModelHasArguments<(sizeof...(A) > 99), A...>) > 0);
  return {};
}

// compile(model, in<f32, 1, 64>): the model's operator(), as compile(model, [](const auto& m, auto x) {
// return m(x); }, in<f32, 1, 64>) has it, with the same options behind the inputs.
template <class M, class Device, class T, class S, class... A>
auto compile(const Model<M, Device>& model, Input<T, S> first, const A&... inputs_then_options) {
  if constexpr (exec::calls_itself<M>())
    return compile(model, exec::CallModel{}, first, inputs_then_options...);
  else
    return AfterRefusal{};
}
template <class M, class Device, class T, class S, class... A>
auto compile(Model<M, Device>& model, Input<T, S> first, const A&... inputs_then_options) {
  if constexpr (exec::calls_itself<M>())
    return compile(model, exec::CallModel{}, first, inputs_then_options...);
  else
    return AfterRefusal{};
}
template <class M, class Device, class T, class S, class... A>
auto compile(Model<M, Device>&& model, Input<T, S> first, const A&... inputs_then_options) {
  if constexpr (exec::calls_itself<M>())
    return compile(std::move(model), exec::CallModel{}, first, inputs_then_options...);
  else
    return AfterRefusal{};
}
// compile<Net>(Cpu{}, in<f32, 1, 64>): the same with a model of its own.
template <class M, class Device, class T, class S, class... A>
requires exec::is_device<Device>
auto compile(const Device& device, Input<T, S> first, const A&... inputs_then_options) {
  if constexpr (exec::calls_itself<M>())
    return compile<M>(device, exec::CallModel{}, first, inputs_then_options...);
  else
    return AfterRefusal{};
}

}  // namespace WEFT_NAMESPACE
