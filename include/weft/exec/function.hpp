#pragma once
// A compiled function: called with memory for each input, it returns views of its results.

#include <tuple>
#include <utility>

#include "weft/exec/argument.hpp"
#include "weft/exec/explain.hpp"
#include "weft/exec/host_program.hpp"
#include "weft/exec/owned.hpp"
#include "weft/exec/source.hpp"
#include "weft/exec/tensor.hpp"

namespace weft {

namespace exec {

// The program class of a device. Every one has the interface of HostProgram.
template <class Device, class P>
struct ProgramOf;
template <class P>
struct ProgramOf<Cpu, P> {
  using type = HostProgram<P>;
};
template <class T>
concept is_device = requires {
  sizeof(ProgramOf<T, void>);
};

}  // namespace exec

// What compile() returns. One call at a time; results are valid until the next.
template <class Device, class Source, class... I>
class CompiledFunction {
 public:
  using Code = exec::Compiled<Source>;
  using Program = typename exec::ProgramOf<Device, Code>::type;
  using ResultTypes = typename exec::Results<typename Source::result>::tuple;
  using InputTypes = std::tuple<I...>;

  template <class... Options>
  explicit CompiledFunction(const Device& device, std::byte* model, const Options&... options)
      : program_(
            new Program(device, {.model = model, .workspace = lent_workspace(get_option<lend>(options...))})),
        seed_(get_option<seed>(options...).value) {}

  // Memory the function needs for intermediate values and results, in bytes.
  static constexpr i64 workspace_bytes() { return Code::header.workspace_bytes; }
  // What a caller who lends its memory must lend: the same, and on a GPU room for inputs, partial sums and
  // the library's scratch.
  static constexpr i64 memory_bytes() { return Program::memory_bytes(); }
  static constexpr int launches() { return Code::header.launches; }
  // Every launch with what is fused into it, its bytes, FLOPs and least time; see explain.hpp.
  static std::string explain(const Roofline& machine = {}) { return weft::explain<Source>(machine); }

  template <class... A>
  auto operator()(const A&... args) {
    static_assert(sizeof...(A) == sizeof...(I), "a compiled function takes one argument an input");
    bind(std::index_sequence_for<I...>{}, args...);
    program_->set_random(seed_, calls_++);
    program_->run();
    return results(std::make_index_sequence<std::tuple_size_v<ResultTypes>>{});
  }

  // Calls that write their results to the caller's memory: f.into(y, z)(a, b).
  template <class... Out>
  auto into(Out&... out) {
    static_assert(sizeof...(Out) == std::tuple_size_v<ResultTypes>,
                  "into() takes one tensor or pointer a result");
    return [this, targets = std::tuple<Out&...>{out...}](const auto&... args) {
      (*this)(args...);
      copy_results(targets, std::make_index_sequence<sizeof...(Out)>{});
    };
  }

  // The seed of random numbers; every call draws afresh.
  void set_seed(u64 number) { seed_ = number, calls_ = 0; }

  // What the nth place marked by probe<Name>(x) was in the last call, until the next; the option
  // probes<"name", ...> asks for it.
  template <FixedString Name, int Nth = 0>
  auto get_probe() const {
    if constexpr (requires { typename Source::Probes; })
      return exec::probe_view<typename Source::TraceStage, typename Source::Probes, Name, Nth, Device>(
          *program_);
    else
      static_assert(sizeof(ProbeAskedFor<false, ProbeName<Name>>) > 0);
  }

 private:
  static std::byte* lent_workspace(const lend& lent) {
    if (lent.optimizer != nullptr)
      throw Error("exec/lent", "a function has no optimiser that would work in the memory lent to it");
    return static_cast<std::byte*>(lent.workspace);
  }
  template <std::size_t... K, class... A>
  void bind(std::index_sequence<K...>, const A&... args) {
    static_assert(((sizeof(exec::ArgumentReachable<exec::argument_reachable<Device, A>(), A, Device>) > 0) &&
                   ... && true));
    (program_->bind_input(static_cast<int>(K), exec::argument<I>(args, static_cast<int>(K))), ...);
  }
  template <class E, std::size_t K>
  auto result() {
    using T = typename E::dtype;
    return TensorView<T, typename E::shape, Device>(
        reinterpret_cast<T*>(program_->output(static_cast<int>(K))));
  }
  template <std::size_t... K>
  auto results(std::index_sequence<K...>) {
    if constexpr (exec::Results<typename Source::result>::single)
      return result<std::tuple_element_t<0, ResultTypes>, 0>();
    else
      return std::tuple{result<std::tuple_element_t<K, ResultTypes>, K>()...};
  }
  template <class Targets, std::size_t... K>
  void copy_results(Targets& targets, std::index_sequence<K...>) {
    (copy_result<std::tuple_element_t<K, ResultTypes>>(static_cast<int>(K), std::get<K>(targets)), ...);
  }
  template <class E, class Out>
  void copy_result(int k, Out& out) {
    using T = typename E::dtype;
    T* to = nullptr;
    if constexpr (std::is_pointer_v<Out>)
      to = out;
    else
      to = out.data();
    program_->read_output(k, to, static_cast<i64>(sizeof(T)) * E::shape::size);
  }

  exec::Owned<Program> program_;
  u64 seed_ = 0, calls_ = 0;
};

template <class F>
inline constexpr bool is_traceable = std::is_empty_v<F>&& std::is_default_constructible_v<F>;
template <bool Ok, class Function>
struct CapturesNothing {
  static_assert(Ok, "a compiled function must capture nothing: make run-time values inputs");
};

// get_probe<"name">(f), f a compiled function or a trainer: as the member, without `template` in generic
// code.
template <FixedString Name, int Nth = 0, class P>
auto get_probe(const P& program) {
  return program.template get_probe<Name, Nth>();
}

namespace exec {

template <class M, class F, class Options, class Device, class... I, class... A>
auto make_function(std::tuple<I...>, const Device& device, std::byte* model, const A&... arguments) {
  using Source = typename SourceFor<M, F, Options, I...>::type;
  if constexpr (probes_exist<Source>())
    return CompiledFunction<Device, Source, I...>(device, model, arguments...);
}

// M: the model's type, void without one.
template <class M, class F, class Device, class... A>
auto compile_with(const Device& device, std::byte* model, const A&... arguments) {
  using Split = SplitArguments<std::tuple<>, A...>;
  using Check = typename Split::template options<CompileCheck<!std::is_void_v<M>>::template For>;
  static_assert(sizeof(CapturesNothing<is_traceable<F>, F>) > 0);
  static_assert(sizeof(Check) > 0);
  if constexpr (is_traceable<F> && Check::ok)
    return make_function<M, F, typename Split::template options<CompileOptions>>(typename Split::inputs{},
                                                                                 device, model, arguments...);
}

}  // namespace exec

// compile(Cpu{}, [](auto q, auto k) { ... }, in<f32, 2, 8>, in<f32, 2, 8>): any function of tensors. Options
// after the inputs: exec/options.hpp.
template <class Device, class F, class... A>
requires exec::is_device<Device>
auto compile(const Device& device, F, const A&... inputs_then_options) {
  return exec::compile_with<void, F>(device, nullptr, inputs_then_options...);
}

template <bool Ok, class Given>
struct CompileTakes {
  static_assert(
      Ok,
      "compile: takes a device, or a Model that outlives the function; of a bare struct the settings "
      "would be ignored");
};
template <class Given, class F, class... A>
requires(!exec::is_device<Given>) void compile(const Given&, F, const A&...) {
  static_assert(sizeof(CompileTakes<sizeof(Given) == 0, Given>) > 0);
}

}  // namespace weft
