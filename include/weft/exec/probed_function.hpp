#pragma once
// compile(..., probes<"name", ...>): a compiled function that keeps the values marked by probe<"name">(x), to
// be read by get_probe<"name"> until its next call.

#include "weft/exec/model.hpp"
#include "weft/exec/probes.hpp"

namespace weft {

namespace exec {

// f(inputs...), or f(model, inputs...) in evaluation mode; M is void for a function.
template <class Names, class M, class F, class... I>
struct ProbedSource {
  struct TraceStage {
    static constexpr void write(WordWriter& w) {
      ir::Builder b;
      List<ir::Probe> found;
      b.probes = &found;
      b.graph.scalar_count = random_words;
      if constexpr (std::is_void_v<M>) {
        add_outputs(b, call<I...>(b, F{}));
      } else {
        const M model = bind_model<M>(b, false);
        add_outputs(b, call<I...>(b, F{}, model));
      }
      List<u64> table;
      add_probes<Names>(b.graph, found, table);
      ir::write(w, b.graph);
      w.put_all(table.data(), table.size());
      w.put_int(table.size());
    }
  };
  static constexpr ir::Graph graph() { return ir::FrozenGraph<TraceStage>::graph(); }
  static constexpr bool checked = check_probes<TraceStage, Names>();

  template <class X>
  struct Result {
    using type = decltype(call<I...>(std::declval<ir::Builder&>(), F{}, std::declval<const X&>()));
  };
  template <class X>
  requires std::is_void_v<X>
  struct Result<X> {
    using type = decltype(call<I...>(std::declval<ir::Builder&>(), F{}));
  };
  using result = typename Result<M>::type;
};

}  // namespace exec

template <class Device, class Names, class M, class F, class... I>
class ProbedFunction : public CompiledFunction<Device, exec::ProbedSource<Names, M, F, I...>, I...> {
  using Source = exec::ProbedSource<Names, M, F, I...>;
  using Base = CompiledFunction<Device, Source, I...>;

 public:
  using Base::Base;

  // What the nth place marked Name was in the last call.
  template <FixedString Name, int Nth = 0>
  auto get_probe() const {
    return exec::probe_view<typename Source::TraceStage, Names, Name, Nth, Device>(this->program());
  }
};

// get_probe<"name">(f), f a compiled function or a trainer: as the member, without `template` in generic
// code.
template <FixedString Name, int Nth = 0, class P>
auto get_probe(const P& program) {
  return program.template get_probe<Name, Nth>();
}

namespace exec {

template <class Device, class M, class F, class... I, class Last>
auto compile_probed(const Device& device, std::byte* model, F, std::tuple<I...>, Last) {
  if constexpr (IsProbeNames<Last>) {
    if constexpr (ProbedSource<Last, M, F, I...>::checked)
      return ProbedFunction<Device, Last, M, F, I...>(device, model);
  } else {
    static_assert(IsProbeNames<Last>, "compile: inputs, then probes<...> as the last argument");
  }
}
template <class Device, class M, class F, class... I, class Next, class... Rest>
requires(sizeof...(Rest) > 0) auto compile_probed(const Device& device, std::byte* model, F f,
                                                  std::tuple<I...>, Next, Rest... rest) {
  return compile_probed<Device, M>(device, model, f, std::tuple<I..., Next>{}, rest...);
}
template <class... A>
inline constexpr bool ends_in_probes = (IsProbeNames<A> || ...);

}  // namespace exec

// compile(device, f, inputs..., probes<"name">) and compile(model, f, inputs..., probes<"name">)
template <class Device, class F, class... A>
requires(exec::ends_in_probes<A...>&& requires { typename exec::ProgramOf<Device, void>; })  //
    auto compile(const Device& device, F f, A... arguments) {
  static_assert(sizeof(CapturesNothing<is_traceable<F>, F>) > 0);
  if constexpr (is_traceable<F>)
    return exec::compile_probed<Device, void>(device, nullptr, f, std::tuple<>{}, arguments...);
}
template <class M, class Device, class F, class... A>
requires exec::ends_in_probes<A...>
auto compile(Model<M, Device>& model, F f, A... arguments) {
  static_assert(sizeof(CapturesNothing<is_traceable<F>, F>) > 0);
  if constexpr (is_traceable<F>)
    return exec::compile_probed<Device, M>(model.device(), model.state(), f, std::tuple<>{}, arguments...);
}

}  // namespace weft
