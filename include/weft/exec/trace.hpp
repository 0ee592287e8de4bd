#pragma once
// Tracing: runs a user's function on handles while the program compiles, and leaves a graph. The model is
// value-initialised, so its settings are constants; its parameters are bound to the slots of the state table.

#include <tuple>
#include <utility>

#include "weft/compiler/user_pass.hpp"
#include "weft/core/takes.hpp"
#include "weft/exec/callable.hpp"
#include "weft/ir/verify.hpp"
#include "weft/nn/state_table.hpp"
#include "weft/ops/core/input.hpp"
#include "weft/targets/state_blocks.hpp"
#include "weft/transforms/decompose_attention.hpp"
#include "weft/transforms/recognize_attention.hpp"
#include "weft/transforms/vmap_rules.hpp"

namespace WEFT_NAMESPACE::exec {

// The scalars block starts with four words for random numbers: seed (2), step (2); run-time scalars follow.
inline constexpr int random_words = 4;

// Adds a slot for every piece of M's state, which lies in block `block`, and returns a model whose parameters
// refer to them.
template <class M>
constexpr M bind_model(ir::Builder& b, bool training, int block = 0) {
  constexpr const auto& table = nn::state_table<M>;
  M m{};
  int n = 0;
  const int first = b.graph.slots.size();
  const i64 begin = block * state_room;
  auto f = [&](const nn::Unnamed&, auto& s) {
    const nn::StateInfo& row = table.row[n];
    b.graph.slots.push({ir::Space::model, row.dtype, b.shape(row.all_dims()), -1, begin + row.offset});
    s.builder = &b;
    s.slot = first + n++;
    s.stacked = row.name.copies.rank;
  };
  auto g = [&](nn::Mode& mode) { mode.training = training; };
  nn::walk<nn::Unnamed>(m, f, g);
  b.graph.model_bytes = begin + table.bytes;
  return m;
}

template <class I>
constexpr auto trace_input(ir::Builder& b, int number) {
  using T = typename I::dtype;
  const int node = b.leaf(ir::Op::input, dtype_of<T>, I::shape::value, static_cast<u64>(number));
  b.graph.inputs.push(node);
  return Expr<T, typename I::shape>{ir::Value{&b, node}};
}

template <class R>
inline constexpr bool is_tuple = false;
template <class... A>
inline constexpr bool is_tuple<std::tuple<A...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;

WEFT_REFUSAL(
    ReturnsExpressions,
    "a compiled function returns an expression, or a std::tuple or std::pair of them: return what was "
    "computed from its arguments, by exp(x) and not by std::exp(x), by a layer that is called, act(x), and "
    "not by its type, nn::ReLU(x); of a model's gradient g, nn::parameters(g)");

WEFT_REFUSAL(
    ResultIsDeduced,
    "the result of a traced function is a value, whose type is deduced: a function and all that it calls "
    "return auto and take auto, constexpr auto operator()(auto x) const, no Tensor, no float and no number "
    "of std, exp(x) in place of std::exp(x)");
WEFT_REFUSAL(
    TransformIsCalled,
    "what is returned is a function made by grad, vjp, jvp or vmap: give that a function, and call what it "
    "makes: grad([](auto h) { return sum(h * h); })(x)");

// The results of a function as a type: one expression, or a tuple or pair of them, in which each may be one
// again. `tuple` has them one by one; made(get) is what a call returns, of get<k>() for each, in the same
// nesting.
template <class R>
struct Results {
  static_assert(sizeof(ReturnsExpressions<is_expr<R>, R>) > 0);
  using tuple = std::tuple<R>;
  template <std::size_t First = 0>
  static auto made(const auto& get) {
    return get.template operator()<First>();
  }
};
template <class... R>
struct Results<std::tuple<R...>> {
  using tuple = decltype(std::tuple_cat(std::declval<typename Results<R>::tuple>()...));
  // Where result k begins among these, the first of which is number `first`.
  static constexpr std::size_t begin(std::size_t first, std::size_t k) {
    const std::size_t sizes[]{std::tuple_size_v<typename Results<R>::tuple>..., 0};
    while (k > 0) first += sizes[--k];
    return first;
  }
  template <std::size_t First = 0>
  static auto made(const auto& get) {
    return made<First>(get, std::index_sequence_for<R...>{});
  }
  template <std::size_t First, std::size_t... K>
  static auto made(const auto& get, std::index_sequence<K...>) {
    return std::tuple<decltype(Results<R>::template made<begin(First, K)>(get))...>(
        Results<R>::template made<begin(First, K)>(get)...);
  }
};
template <class A, class B>
struct Results<std::pair<A, B>> : Results<std::tuple<A, B>> {};

template <class R>
constexpr void add_outputs(ir::Builder& b, const R& r) {
  if constexpr (is_tuple<R>)
    std::apply([&](const auto&... e) { (add_outputs(b, e), ...); }, r);
  else if constexpr (!std::is_same_v<R, AfterRefusal>)
    b.graph.outputs.push(r.value.id);
}

template <class R>
constexpr bool returns_values() {
  if constexpr (is_tuple<R>)
    return []<class... E, template <class...> class Tuple>(Tuple<E...>*) {
      return (returns_values<E>() && ...);
    }(static_cast<R*>(nullptr));
  else if constexpr (std::is_void_v<R>)
    return false;
  else
    return ExprLike<R> || is_lazy<R> || std::is_same_v<R, AfterRefusal>;
}

// A parameter or a literal that a function returns becomes an expression.
template <class R>
constexpr auto as_results(ir::Builder& b, const R& r) {
  if constexpr (is_tuple<R>)
    return std::apply(
        [&](const auto&... e) { return std::tuple<decltype(as_results(b, e))...>(as_results(b, e)...); }, r);
  else
    return detail::traced(b, r);
}

// Whether f, which returns nothing, computes something on the way: a function that forgot its `return`, and
// not one whose `return` the compiler has refused, which g++ then takes for one without. One that does
// neither does not link.
template <class F, class... A, class... I>
constexpr bool computes(std::tuple<I...>) {
  ir::Builder b;
  const std::tuple<A...> models{bind_model<A>(b, false)...};
  return [&]<std::size_t... J, std::size_t... K>(std::index_sequence<J...>, std::index_sequence<K...>) {
    const std::tuple<decltype(trace_input<I>(b, 0))...> inputs{trace_input<I>(b, static_cast<int>(K))...};
    const int before = b.graph.nodes.size();
    F{}(std::get<J>(models)..., std::get<K>(inputs)...);
    return b.graph.nodes.size() > before;
  }
  (std::index_sequence_for<A...>{}, std::index_sequence_for<I...>{});
}
template <bool>
struct IsComputed;
template <>
struct IsComputed<true> {
  using type = void;
};
template <class Returned, class F, class Inputs, class... A>
concept Computes = std::is_void_v<Returned> && requires {
  typename IsComputed<computes<F, A...>(Inputs{})>::type;
};

// Calls f(leading..., inputs...) with one traced handle an input.
template <class... I, class F, class... A>
constexpr auto call(ir::Builder& b, const F& f, const A&... leading) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    const std::tuple<decltype(trace_input<I>(b, 0))...> inputs{trace_input<I>(b, static_cast<int>(K))...};
    if constexpr (!detail::takes<F, A..., Expr<typename I::dtype, typename I::shape>...>()) {
      static_assert(sizeof(FunctionTakes<sizeof(F) == 0, F, A..., I...>) > 0);
      return AfterRefusal{};
    } else if constexpr (!detail::CallCompiles<F, A..., Expr<typename I::dtype, typename I::shape>...>) {
      // The compiler has said what is wrong with the body.
      if constexpr (!refused_before<F, A..., I...>) static_assert(sizeof(weft::detail::Refused<F>) > 0);
      return AfterRefusal{};
    } else {
      using Returned = std::remove_cvref_t<decltype(f(leading..., std::get<K>(inputs)...))>;
      if constexpr (std::is_void_v<Returned>)
        static_assert(sizeof(SaidByCompiler<!Computes<Returned, F, std::tuple<I...>, A...>, F>) > 0);
      constexpr bool plain = std::is_arithmetic_v<Returned> || TensorLike<Returned>;
      constexpr bool transform = requires { typename Returned::weft_transform; };
      static_assert(sizeof(ResultIsDeduced<!plain, Returned>) > 0);
      static_assert(sizeof(TransformIsCalled<!transform, Returned>) > 0);
      static_assert(
          sizeof(ReturnsExpressions < returns_values<Returned>() || plain || transform, Returned >) > 0);
      if constexpr (returns_values<Returned>())
        return as_results(b, f(leading..., std::get<K>(inputs)...));
      else
        return AfterRefusal{};
    }
  }
  (std::index_sequence_for<I...>{});
}

// The first state of a graph that has no value: its node, or -1.
constexpr int node_without_value(const ir::Graph& graph) {
  for (int i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].op == ir::Op::state && ir::valueless(graph.nodes[i]) != ir::Valueless::none) return i;
  return -1;
}
struct WithoutValue {
  ir::Valueless why = ir::Valueless::none;
  Dims dims{};  // of the parameter, or of what is computed from the number
};
constexpr WithoutValue without_value(const ir::Graph& graph, int node) {
  if (node < 0) return {};
  return {ir::valueless(graph.nodes[node]), graph.dims(node)};
}
template <Dims D>
struct GivenDims {
  static constexpr Dims value = D;
};
template <WithoutValue Of, class... Where>
constexpr bool state_has_values() {
  using ir::Valueless;
  constexpr Valueless found = Of.why;
  using Size = shape_of<GivenDims<Of.dims>>;
  static_assert(sizeof(LayerIsMember<found != Valueless::no_member, Where..., Size>) > 0);
  static_assert(sizeof(BlocksReadTheirs<found != Valueless::of_blocks, Where..., Size>) > 0);
  static_assert(sizeof(SamplesAssignNothing<found != Valueless::of_sample, Where..., Size>) > 0);
  static_assert(sizeof(WhileAssignsNothing<found != Valueless::of_while, Where..., Size>) > 0);
  static_assert(sizeof(DrawnInside<found != Valueless::of_draw, Where..., Size>) > 0);
  static_assert(sizeof(PlacesExist<found != Valueless::no_place, Where..., Size>) > 0);
  static_assert(sizeof(RatesAreShares<found != Valueless::no_rate, Where..., Size>) > 0);
  static_assert(sizeof(ValuesAreSeveral<found != Valueless::one_value, Where..., Size>) > 0);
  static_assert(sizeof(NumbersFit<found != Valueless::no_fit, Where..., Size>) > 0);
  static_assert(sizeof(SharesAreNumbers<found != Valueless::no_share, Where..., Size>) > 0);
  static_assert(sizeof(ScalesArePositive<found != Valueless::no_scale, Where..., Size>) > 0);
  static_assert(sizeof(BoundsHoldIntegers<found != Valueless::no_bounds, Where..., Size>) > 0);
  return found == Valueless::none;
}

// The stage behind a source's prune, and behind the user's passes that follow it.
template <class Source>
struct BehindPrune {
  using type = compiler::through<Source, compiler::GraphPasses>;
};
template <class Source>
requires requires { typename Source::Passed; }
struct BehindPrune<Source> {
  using type = compiler::through_user<compiler::through<Source, compiler::GraphPasses>,
                                      compiler::Behind::prune, typename Source::Passed>;
};

// The stages of a source's program: behind the passes on its graph, and behind all.
template <class Source>
using GraphStage = typename BehindPrune<Source>::type;
template <class Source>
using ProgramStage = compiler::through<GraphStage<Source>, compiler::KernelPasses>;

// The graph that becomes kernels.
template <class Source>
constexpr ir::Graph program_graph() {
  return ir::FrozenGraph<GraphStage<Source>>::graph();
}

// Source::graph() traces; Compiled holds what comes out as constants.
template <class Source>
struct Compiled {
  using source = Source;
  static_assert(
      !ir::verify(program_graph<Source>(), ir::Stage::pruned) || refused_before<Source>,
      "weft made a graph that breaks its own rules: please report the program (ir::verify names the node)");
  static constexpr const auto& words = Kept<ProgramStage<Source>>::words;
  static constexpr compiler::ImageHeader header = compiler::read_header(words.w);
  static constexpr const u64* image = words.w + compiler::header_words;

  static constexpr int inputs = header.inputs, outputs = header.outputs, assigns = header.assigns;
  static constexpr int launches() { return header.launches; }
  static constexpr i64 workspace_bytes() { return header.workspace_bytes; }
  static constexpr const compiler::ImageHeader& plan() { return header; }
  // Whether result k lies in state, which other programs write.
  static constexpr bool output_in_state(int k) {
    const u64 address = image[header.output_at + k];
    return address != kernel_ir::BufferAddress::none &&
           (kernel_ir::BufferAddress::space(address) == ir::Space::model ||
            kernel_ir::BufferAddress::space(address) == ir::Space::optimizer);
  }
};

// What a device's program is made from: Compiled, or another class with its functions of constants.
template <class Device, class Source>
struct CodeOf {
  using type = Compiled<Source>;
};
template <class Device, class Source>
using code_of = typename CodeOf<Device, Source>::type;

// The same for a device that has kernels of some attentions alone; others are composed there of what the
// device has.
template <class Source, class HasKernel>
struct ComposedSource : Source {
  static constexpr ir::Graph graph() {
    return transforms::decompose_attention(ir::thaw(Kept<GraphStage<Source>>::data), HasKernel{});
  }
};
template <class Source, class HasKernel = transforms::NoAttentionKernels>
using composed_source =
    std::conditional_t<transforms::needs_composition(program_graph<Source>(), HasKernel{}),
                       ComposedSource<Source, HasKernel>, Source>;

// What a source that traces has in common: Source::trace(b) returns the results.
template <class Source>
struct TracedSource {
  static constexpr ir::Graph graph() {
    ir::Builder b;
    b.graph.scalar_count = random_words;
    add_outputs(b, Source::trace(b));
    transforms::recognize_attention(b.graph);
    return static_cast<ir::Graph&&>(b.graph);
  }
};

// f(inputs...)
template <class F, class... I>
struct FunctionSource : TracedSource<FunctionSource<F, I...>> {
  static constexpr auto trace(ir::Builder& b) { return call<I...>(b, F{}); }
  using result = decltype(call<I...>(std::declval<ir::Builder&>(), F{}));
};

// f(model, inputs...)
template <class M, class F, bool Training, class... I>
struct ModelSource : TracedSource<ModelSource<M, F, Training, I...>> {
  using model = M;
  static constexpr auto trace(ir::Builder& b) {
    const M model = bind_model<M>(b, Training);
    return call<I...>(b, F{}, model);
  }
  using result = decltype(call<I...>(std::declval<ir::Builder&>(), F{}, std::declval<const M&>()));
};

// In the place of a model: several, each with a block of its own.
template <class... M>
struct StatePack {};

// Whether the body of f(models..., inputs...) compiles. Asked before anything else of the function is: of a
// mistake inside the compiler's trail has room for ten calls, and the user's line is behind the operation's.
template <class M, class F, class... I>
inline constexpr bool body_compiles =
    detail::CallCompiles<F, M, Expr<typename I::dtype, typename I::shape>...>;
template <class F, class... I>
inline constexpr bool body_compiles<void, F, I...> =
    detail::CallCompiles<F, Expr<typename I::dtype, typename I::shape>...>;
template <class... M, class F, class... I>
inline constexpr bool body_compiles<StatePack<M...>, F, I...> =
    detail::CallCompiles<F, M..., Expr<typename I::dtype, typename I::shape>...>;

// f(models..., inputs...)
template <class... M, class F, bool Training, class... I>
struct ModelSource<StatePack<M...>, F, Training, I...>
    : TracedSource<ModelSource<StatePack<M...>, F, Training, I...>> {
  using models = StatePack<M...>;
  static constexpr auto trace(ir::Builder& b) {
    return [&]<std::size_t... Block>(std::index_sequence<Block...>) {
      const std::tuple<M...> bound{bind_model<M>(b, Training, static_cast<int>(Block))...};
      return call<I...>(b, F{}, std::get<Block>(bound)...);
    }
    (std::index_sequence_for<M...>{});
  }
  using result = decltype(call<I...>(std::declval<ir::Builder&>(), F{}, std::declval<const M&>()...));
};

template <class M>
struct AllPlain {
  static constexpr bool value = nn::plain<M>();
};
template <>
struct AllPlain<void> {
  static constexpr bool value = true;
};
template <class... M>
struct AllPlain<StatePack<M...>> {
  static constexpr bool value = (nn::plain<M>() && ...);
};

// What Init starts a piece of state with; copies draw numbers of their own.
template <class Init>
constexpr ir::Value starting_value(ir::Builder& b, const nn::StateInfo& row) {
  if (row.name.copies.rank == 0) return ir::cast(Init::value(b, row.dims), row.dtype);
  ir::Builder one(64);
  one.graph.scalar_count = b.graph.scalar_count;
  one.graph.streams = b.graph.streams;
  one.graph.outputs.push(Init::value(one, row.dims).id);
  b.graph.scalar_count = one.graph.scalar_count;
  b.graph.streams = one.graph.streams;
  for (const auto& preset : one.graph.presets) b.graph.presets.push(preset);
  const transforms::VmapItem all = transforms::Vmapper(b, one.graph, row.copies()).run({})[0];
  const ir::Value v =
      all.mapped ? ir::reshape(all.value, row.all_dims()) : ir::broadcast(all.value, row.all_dims());
  return ir::cast(v, row.dtype);
}

// Sets every parameter and buffer to its starting value.
template <class M>
struct InitSource {
  using model = M;
  static constexpr ir::Graph graph() {
    ir::Builder b;
    b.graph.scalar_count = random_words;
    M model = bind_model<M>(b, true);
    auto f = [&]<class S>(const nn::Unnamed&, S& s) {
      const ir::Value v = starting_value<typename S::initializer>(b, nn::state_table<M>.row[s.slot]);
      b.graph.assigns.push(ir::Assign{s.slot, v.id});
    };
    auto g = [](nn::Mode&) {};
    nn::walk<nn::Unnamed>(model, f, g);
    return static_cast<ir::Graph&&>(b.graph);
  }
};

}  // namespace WEFT_NAMESPACE::exec
