#pragma once
// A compiled function: called with memory for each input, it returns its results, which stay right for as
// long as they are held (results.hpp).

#include <array>
#include <initializer_list>
#include <tuple>
#include <utility>

#include "weft/exec/argument.hpp"
#include "weft/exec/explain.hpp"
#include "weft/exec/instance.hpp"
#include "weft/exec/memory_timeline.hpp"
#include "weft/exec/padding.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/exec/traced_program.hpp"
#include "weft/targets/host/program.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

template <class P>
struct ProgramOf<Cpu, P> {
  using type = HostProgram<P>;
};
template <class T>
concept is_device = requires {
  sizeof(ProgramOf<T, void>);
};

// The graph of a compiled source.
template <class Source>
struct PrunedGraph {
  static constexpr ir::Graph graph() { return program_graph<Source>(); }
};

WEFT_REFUSAL(ArgumentIsTyped,
             "an argument in braces has no type: write f(Tensor<f32, Shape<2, 3>>{1, 2, 3, 4, 5, 6})");

WEFT_REFUSAL(FunctionIsMoved,
             "a compiled function is moved, not copied, as it works in one block of memory: compile a second "
             "one, take it by reference, or hold it in a weft::Function<Tensor<f32, Shape<8>>(Tensor<f32, "
             "Shape<8>>)>, not in a std::function");
WEFT_REFUSAL(SeedIsSet, "the seed of a function's random numbers is set by f.set_seed(7)");
WEFT_REFUSAL(FunctionIsCalled,
             "a compiled function is called, f(x), and f.model() is its model: mode::train is an option of "
             "compile, make_trainer trains");
WEFT_REFUSAL(
    CallChanges,
    "a compiled function and a trainer change when they run, and this one is const: take it by auto& "
    "or Function&, not by const auto&");

// The arguments of a call, for inputs I... of a program on Device.
template <class Device, class... I, class... A>
auto given_arguments(const A&... args) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<Given, sizeof...(I)>{argument<I, static_cast<int>(K), Device>(args)...};
  }
  (std::index_sequence_for<I...>{});
}

}  // namespace exec

// What compile() returns; it may move. One thread at a time. A result is a view that costs nothing until the
// next call; one that is held longer is then copied.
template <class Device, class Source, class... I>
class CompiledFunction {
 public:
  using Code = exec::code_of<Device, Source>;
  using Instance = exec::Instance<Device, Code>;
  using Program = typename Instance::Program;
  using ResultTypes = typename exec::Results<typename Source::result>::tuple;
  using InputTypes = std::tuple<I...>;
  using Table = exec::InputTable<exec::PrunedGraph<Source>, I...>;

  template <class... Options>
  explicit CompiledFunction(const Device& device, exec::HeldStates<Device> states, const Options&... options)
      : called_(new Called(exec::given_or_fresh_seed(SeedUse::function, options...), device,
                           std::move(states), lent_workspace(get_option<lend>(options...)))) {}

  CompiledFunction(CompiledFunction&&) noexcept = default;
  CompiledFunction& operator=(CompiledFunction&&) noexcept = default;
  // A refusal.
  CompiledFunction(const CompiledFunction& other) : called_(other.called_) {
    static_assert(sizeof(exec::FunctionIsMoved<sizeof(Device) == 0, CompiledFunction>) > 0);
  }
  CompiledFunction& operator=(const CompiledFunction&) {
    static_assert(sizeof(exec::FunctionIsMoved<sizeof(Device) == 0, CompiledFunction>) > 0);
    return *this;
  }

  // Memory the function needs for intermediate values and results, in bytes.
  static constexpr i64 workspace_bytes() { return Code::workspace_bytes(); }
  // What a caller who lends its memory must lend: the same, and on a GPU room for inputs, partial sums and
  // the library's scratch.
  static constexpr i64 memory_bytes() { return Program::memory_bytes(); }
  // Kernels that a call launches, those inside a loop once.
  static constexpr int launches() { return Code::launches(); }
  // How many buffers of a model a call assigns.
  static constexpr int assigned() { return Code::assigns; }
  // Whether it assigns one of a model that is kept, of several models.
  static constexpr bool assigns_any(const bool* kept) {
    const ir::Graph graph = exec::program_graph<Source>();
    for (const ir::Assign& a : graph.assigns)
      if (kept[graph.slots[a.slot].offset / exec::state_room]) return true;
    return false;
  }
  // Whether the padded rows of a loader's batch count in result K.
  template <int K>
  static constexpr bool padding_counts() {
    constexpr i64 rows = exec::common_rows<I...>();
    return rows == 0 || Table::padding_counts(K, rows);
  }
  // A call's arguments, which a loader's may be. Throws `code` where their padded rows would count in a
  // buffer that it assigns; `remedy`: how there are none.
  template <class... A>
  static auto checked_arguments(const char* code, const char* remedy, const A&... args) {
    const auto given = exec::given_arguments<Device, I...>(args...);
    constexpr bool may_count = Code::assigns > 0 && (exec::Padded<A> || ... || false);
    if constexpr (may_count)
      exec::check_padding_in_buffers<Table, exec::common_rows<I...>()>(given, code, "the function", remedy);
    return given;
  }
  // Every launch with what is fused into it, its bytes, FLOPs and least time; see explain.hpp.
  static std::string explain(const Roofline& machine = {}) {
    return exec::to_text(exec::Shown<Source, Code>::explanation(), machine);
  }
  // On a GPU: the calls from now on run behind `event`, a weft::Event or the runtime's, of whichever stream.
  template <class E>
  CompiledFunction& after(const E& event) {
    static_assert(sizeof(exec::EventsAreOfGpu<exec::HasStream<Program>, E, Device>) > 0);
    if constexpr (exec::HasStream<Program>) called_->instance.program().after(event);
    return *this;
  }
  // On a GPU: an event behind all calls so far, for cudaStreamWaitEvent. It is this object's, which records
  // it anew when it is asked again.
  auto done() {
    static_assert(sizeof(exec::EventsAreOfGpu<exec::HasStream<Program>, Device>) > 0);
    if constexpr (exec::HasStream<Program>) return called_->instance.program().done();
  }
  // What each launch takes here beside its least time on `machine`, and the same by module: the median of 10
  // calls and more with these arguments or, without any, on zeros; state that a call assigns is assigned.
  std::string profile(const Roofline& machine = {}) {
    return on_zeros([&](const auto&... zero) { return profile_text(machine, times_given({zero...})); });
  }
  template <class... A>
  std::string profile(const Roofline& machine, const A&... arguments) {
    if constexpr (count_fits<A...>())
      return profile_text(machine, times_given(exec::given_arguments<Device, I...>(arguments...)));
    else
      return {};
  }
  template <class... A>
  requires(sizeof...(A) > 0) std::string profile(const A&... arguments) { return profile({}, arguments...); }
  // Seconds of a call's launches, one after the other, measured as profile() does.
  double measure() {
    return on_zeros([&](const auto&... zero) { return times_given({zero...}).in_launches(); });
  }
  template <class... A>
  requires(sizeof...(A) > 0) double measure(const A&... arguments) {
    if constexpr (count_fits<A...>())
      return times_given(exec::given_arguments<Device, I...>(arguments...)).in_launches();
    else
      return 0;
  }
  // Writes a page for a browser: who holds the workspace at each launch, by module. Throws the file's errors.
  static void memory_timeline(const std::string& path) {
    exec::Shown<Source, Code>::save_memory_timeline(path);
  }

  // Arguments are tensors, views, pointers, arrays, containers or, for one element, numbers.
  template <class... A>
  auto operator()(const A&... args) {
    if constexpr (count_fits<A...>()) {
      Called& called = held();
      const typename Instance::Call call(called.instance);
      called.run(checked_arguments("call/padding", "use .last = data::drop", args...));
      return called.results();
    } else {
      return AfterRefusal{};
    }
  }

  // Refusals.
  template <class... A>
  AfterRefusal operator()(const A&...) const {
    return detail::misspelt<exec::CallChanges<false, CompiledFunction>>();
  }
#define WEFT_MEMBER(name) \
  WEFT_REFUSED_MEMBER(name, AfterRefusal{}, exec::FunctionIsCalled, spelled::name, I...)
  WEFT_MEMBER(forward)
  WEFT_MEMBER(run)
  WEFT_MEMBER(eval)
  WEFT_MEMBER(train)
  WEFT_MEMBER(to)
  WEFT_MEMBER(parameters)
  WEFT_MEMBER(predict)
  WEFT_MEMBER(cuda)
  WEFT_MEMBER(cpu)
  WEFT_MEMBER(save)
  WEFT_MEMBER(load)
  WEFT_MEMBER(step)
  WEFT_MEMBER(backward)
#undef WEFT_MEMBER
  WEFT_REFUSED_MEMBER(manual_seed, AfterRefusal{}, exec::SeedIsSet, spelled::manual_seed, I...)
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string_view>
  auto get_probe(const Name&) const { return detail::misspelt<ProbeIsNamed<sizeof(Name) == 0, Name>>(); }
  AfterRefusal operator()(std::initializer_list<double>) {
    return detail::misspelt<exec::ArgumentIsTyped<false, I...>>();
  }

  // Calls that write their results to the caller's memory: f.into(y, z)(a, b), where y and z are tensors,
  // arrays, containers of the right size or pointers; all but tensors must outlive the calls.
  template <class... Out>
  auto into(Out&&... out) {
    constexpr bool fits = sizeof...(Out) == std::tuple_size_v<ResultTypes>;
    static_assert(
        sizeof(
            exec::TargetCount<fits, GivenSize<sizeof...(Out)>, WantedSize<std::tuple_size_v<ResultTypes>>>) >
        0);
    return [called = called_, targets = std::tuple<decltype(exec::kept_target<Out>(out))...>(
                                  exec::kept_target<Out>(out)...)]<class... A>(const A&... args) mutable {
      if constexpr (fits && count_fits<A...>()) {
        if (!called) throw_moved();
        called->check_targets_of(targets, std::make_index_sequence<sizeof...(Out)>{});
        const typename Instance::Call call(called->instance);
        called->run(checked_arguments("call/padding", "use .last = data::drop", args...));
        called->copy_results(targets, std::make_index_sequence<sizeof...(Out)>{});
      }
    };
  }

  // A call with arguments that are checked, in host memory, whose results go to host memory: what Function
  // makes.
  void call_into(const std::array<exec::Given, sizeof...(I)>& given, void* const* to) {
    constexpr auto each = std::make_index_sequence<std::tuple_size_v<ResultTypes>>{};
    Called& called = held();
    called.check_targets(to, each);
    const typename Instance::Call call(called.instance);
    called.run(given);
    called.copy_to(to, each);
  }

  // The seed of random numbers; every call draws afresh.
  template <class S>  // seed{7}
  requires(S::option == OptionKind::seed) void set_seed(const S& s) { set_seed(s.value); }
  void set_seed(u64 number) {
    Called& called = held();
    called.seed = number;
    called.calls = 0;
  }

  // What the nth place marked by probe<Name>(x) was in the last call; the option probes<"name", ...> asks
  // for it. Throws "call/no-call" where there was none.
  template <FixedString Name, int Nth = 0>
  auto get_probe() const {
    if constexpr (requires { typename Source::Probes; }) {
      if (!held().called) throw Error("call/no-call", "no call was made yet, so that no probe has a value");
      return exec::probe_view<typename Source::TraceStage, typename Source::Probes, Name, Nth>(
          held().instance);
    } else {
      return detail::misspelt<ProbeAskedFor<false, ProbeName<Name>>>();
    }
  }

 private:
  // What the calls of a function work on, which those that into() makes share.
  struct Called final : Counted {
    Called(u64 first_seed, const Device& device, exec::HeldStates<Device> states, void* workspace)
        : instance(device, std::move(states), {}, workspace), seed(first_seed) {}

    void run(const std::array<exec::Given, sizeof...(I)>& given) {
      prepare(given);
      instance.run();
    }
    void prepare(const std::array<exec::Given, sizeof...(I)>& given) {
      called = true;
      for (int k = 0; k < Table::count; ++k)
        instance.bind(Table::table.row[k], k, given[static_cast<std::size_t>(k)]);
      instance.program().set_random(seed, calls++);
    }
    auto results() {
      return exec::Results<typename Source::result>::made([&]<std::size_t K>() { return result<K>(); });
    }
    template <std::size_t K>
    auto result() {
      using E = std::tuple_element_t<K, ResultTypes>;
      return instance.template result<typename E::dtype, typename E::shape, static_cast<int>(K)>();
    }
    template <std::size_t... K>
    static void check_targets(void* const* to, std::index_sequence<K...>) {
      const exec::TargetMemory memory[]{{to[K], bytes_of<K>}...};
      exec::check_apart(memory, static_cast<int>(sizeof...(K)));
    }
    template <class Targets, std::size_t... K>
    static void check_targets_of(Targets& targets, std::index_sequence<K...> each) {
      void* const to[]{
          exec::target<std::tuple_element_t<K, ResultTypes>, static_cast<int>(K)>(std::get<K>(targets))...};
      check_targets(to, each);
    }
    template <class Targets, std::size_t... K>
    void copy_results(Targets& targets, std::index_sequence<K...>) {
      (copy_result<std::tuple_element_t<K, ResultTypes>, static_cast<int>(K)>(std::get<K>(targets)), ...);
    }
    template <class E, int K, class Out>
    void copy_result(Out& out) {
      void* const to = exec::target<E, K>(out);
      if constexpr (requires { out.storage(); })
        copy_result<E, K>(to, out.storage());
      else
        copy_result<E, K>(to);
    }

    template <std::size_t... K>
    void copy_to(void* const* to, std::index_sequence<K...>) {
      (copy_result<std::tuple_element_t<K, ResultTypes>, static_cast<int>(K)>(to[K]), ...);
    }
    template <class E, int K>
    void copy_result(void* to, const exec::Storage* memory = nullptr) {
      if constexpr (exec::HasStream<Program>)
        instance.program().write_output(K, to, bytes_of<K>, memory);
      else
        instance.program().read_output(K, to, bytes_of<K>);
    }
    template <std::size_t K, class E = std::tuple_element_t<K, ResultTypes>>
    static constexpr i64 bytes_of = static_cast<i64>(sizeof(typename E::dtype)) * E::shape::size;

    Instance instance;
    u64 seed = 0, calls = 0;
    bool called = false;
  };

  exec::StepTimes times_given(const std::array<exec::Given, sizeof...(I)>& given) {
    Called& called = held();
    const typename Instance::Call call(called.instance);
    return exec::measure(Code::plan().steps, exec::seconds_to_measure, [&](exec::StepTimes& now) {
      called.prepare(given);
      called.instance.run_timed(now);
    });
  }
  static std::string profile_text(const Roofline& machine, const exec::StepTimes& times) {
    return Instance::profile_text(times, machine);
  }
  // f(arguments...), all of them zeros.
  template <class F>
  static auto on_zeros(const F& f) {
    const std::tuple zeros{
        std::vector<std::byte>(sizeof(typename I::dtype) * static_cast<std::size_t>(I::shape::size))...};
    return std::apply(
        [&](const auto&... zero) { return f(exec::Given{.data = zero.data(), .on_host = true}...); }, zeros);
  }
  template <class... A>
  static constexpr bool count_fits() {
    constexpr bool fits = sizeof...(A) == sizeof...(I);
    static_assert(sizeof(exec::ArgumentCount<fits, GivenSize<sizeof...(A)>, WantedSize<sizeof...(I)>>) > 0);
    constexpr bool outside = !(is_expr<A> || ...);
    static_assert(sizeof(exec::CallIsOutside<outside, A...>) > 0);
    return fits && outside;
  }
  [[noreturn]] static void throw_moved() {
    throw Error("call/moved", "a function was called that had been moved from");
  }
  Called& held() const {
    if (!called_) [[unlikely]]
      throw_moved();
    return *called_;
  }
  static void* lent_workspace(const lend& lent) {
    if (lent.optimizer != nullptr)
      throw Error("exec/lent", "a function has no optimiser that would work in the memory lent to it");
    return lent.workspace;
  }

  Shared<Called> called_;
};

template <class F>
inline constexpr bool is_traceable = std::is_empty_v<F>&& std::is_default_constructible_v<F>;
WEFT_REFUSAL(
    CapturesNothing,
    "a compiled function must capture nothing: make run-time values inputs; the model is its first "
    "parameter, [](const auto& model, auto x) { return model(x); }, and of several a struct that has "
    "them as members, struct Both { Net student; nn::Frozen<Net> teacher; }");

// get_probe<"name">(f), f a compiled function or a trainer: as the member, without `template` in generic
// code.
template <FixedString Name, int Nth = 0, class P>
auto get_probe(const P& program) {
  return program.template get_probe<Name, Nth>();
}

WEFT_REFUSAL(ModelsAreStates,
             "compile: several models are given together: compile(states(model, cache), [](const auto& net, "
             "const auto& cache, auto x) { ... }, in<...>)");
WEFT_REFUSAL(DeviceIsOfModel,
             "compile: a Model lies on a device already, and the function comes behind it: write "
             "compile(model, [](const auto& net, auto x) { return net(x); }, in<...>...)");
WEFT_REFUSAL(FunctionIsMissing,
             "compile: the function comes before the inputs: write compile(Cpu{}, [](auto x) { ... }, "
             "in<...>...); of a model, compile(model, in<...>...), or compile<Net>(Cpu{}, in<...>...)");
// A Model (model.hpp).
template <class A>
inline constexpr bool is_model = false;

namespace exec {

// What compile makes of a function F of M and of inputs I: M is the model's type, void without one; of
// several a StatePack.
template <class M, class F, class Options, class Inputs>
struct Compilation;
template <class M, class F, class Options, class... I>
struct Compilation<M, F, Options, std::tuple<I...>> {
  using Source = typename SourceFor<M, F, Options, I...>::type;
  template <class Device>
  using Function = CompiledFunction<Device, Source, I...>;
  static constexpr bool called() { return calls_operator<M, F, I...>(); }
  static constexpr bool compiles = body_compiles<M, F, I...>;
};

// (One function, for the compiler's trail to the user's line has room for ten calls.)
template <class M, class F, class Device, class... A>
auto compile_with(const Device& device, HeldStates<Device> states, const A&... arguments) {
  using Split = SplitArguments<std::tuple<>, A...>;
  using Check = typename Split::template options<CompileCheck<!std::is_void_v<M>>::template For>;
  static_assert(sizeof(DeviceIsOfModel<!(is_model<F> && std::is_void_v<M>), Device, F>) > 0);
  static_assert(sizeof(ModelsAreStates<!is_model<F>, M, F>) > 0);
  static_assert(sizeof(FunctionIsMissing<!is_input<F>, F>) > 0);
  static_assert(sizeof(FunctionKeepsItsType<!hides_body<F>, F>) > 0);
  static_assert(sizeof(CapturesNothing < is_traceable<F> || hides_body<F>, F >) > 0);
  static_assert(sizeof(Check) > 0);
  constexpr bool model_fits = [] { return AllPlain<M>::value; }();
  if constexpr (is_traceable<F> && !is_input<F> && Check::ok && model_fits) {
    using Compiled =
        Compilation<M, F, typename Split::template options<CompileOptions>, typename Split::inputs>;
    if constexpr (!Compiled::called())
      return AfterRefusal{};
    else if constexpr (Compiled::compiles && traces<typename Compiled::Source>() &&
                       probes_exist<typename Compiled::Source>())
      return typename Compiled::template Function<Device>(device, std::move(states), arguments...);
    else if constexpr (is_tuple_like<typename Compiled::Source::result>)
      return AfterFunction<std::tuple_size_v<typename Compiled::Source::result>>{};
    else
      return AfterRefusal{};
  } else {
    return AfterRefusal{};
  }
}

}  // namespace exec

// compile(Cpu{}, [](auto q, auto k) { ... }, in<f32, 2, 8>, in<f32, 2, 8>): any function of tensors. Options
// after the inputs: exec/options.hpp.
template <class Device, class F, class... A>
requires exec::is_device<Device>
auto compile(const Device& device, F, const A&... inputs_then_options) {
  return exec::compile_with<void, F>(device, exec::HeldStates<Device>(), inputs_then_options...);
}

template <class Device, class... A>
requires exec::is_device<Device>
auto compile(const Device&, exec::NamedFunction, const A&...) {
  static_assert(sizeof(exec::NamedFunctionIsCalled<sizeof(Device*) == 0, A...>) > 0);
  return AfterRefusal{};
}

WEFT_REFUSAL(CompileTakes,
             "compile: it takes a device or a Model, of a trainer compile(trainer.model(), f, inputs...); of "
             "a bare struct the settings would be ignored: write compile<Net>(Cpu{}, f, inputs...)");
WEFT_REFUSAL(
    DeviceIsFirst,
    "compile: the device, or the model, is the first argument and the function the second: write "
    "compile(Cpu{}, f, in<...>...), compile(model, f, in<...>...), or compile(model, in<...>...) of its own "
    "operator()");
WEFT_REFUSAL(
    InputsAreMissing,
    "compile: the shapes of the inputs are missing: write compile(model, in<f32, 32, 8>) of the model's "
    "own operator(), compile(Cpu{}, f, in<f32, 32, 8>) of a function");
template <class Given, class F, class... A>
requires(!exec::is_device<Given> && !is_model<Given>) auto compile(const Given&, F, const A&...) {
  constexpr bool swapped = exec::is_device<F> || is_model<F> || is_traceable<Given>;
  static_assert(sizeof(DeviceIsFirst<!swapped, Given, F>) > 0);
  static_assert(sizeof(CompileTakes<swapped, Given>) > 0);
  return AfterRefusal{};
}
template <class Given>
auto compile(const Given&) {
  constexpr bool model = is_model<Given>;
  static_assert(sizeof(InputsAreMissing<!model, Given>) > 0);
  static_assert(sizeof(DeviceIsFirst<model, Given>) > 0);
  return AfterRefusal{};
}
template <class Device, class F, class... A>
requires(exec::is_device<Device> && !exec::is_device<F>) auto compile(F, const A&...) {
  static_assert(sizeof(DeviceIsFirst<sizeof(F) == 0, Device, F>) > 0);
  return AfterRefusal{};
}

}  // namespace WEFT_NAMESPACE
