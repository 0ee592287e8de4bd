#pragma once
// Immediate expressions: Tensor y = softmax<-1>(a * b + c). The tree's type is compiled as one program; its
// tensors and numbers are the program's inputs.

#include <list>

#include "weft/exec/function.hpp"

namespace WEFT_NAMESPACE::exec {

// The run-time leaves of a tree, left to right, as inputs.
template <class A>
struct Leaves {
  template <class F>
  static void visit(const A& a, F& f) {
    f(a);
  }
};
template <class Op, class... Args>
struct Leaves<Lazy<Op, Args...>> {
  template <class F>
  static void visit(const Lazy<Op, Args...>& lazy, F& f) {
    std::apply([&](const Args&... args) { (Leaves<Args>::visit(args, f), ...); }, lazy.args);
  }
};

template <class G>
struct Leaves<Held<G>> {
  template <class F>
  static void visit(const Held<G>&, F&) {}
};

// A run-time tensor's or number's place in a traced tree.
template <class A>
struct Slot {
  constexpr auto make(ir::Builder& b, int number) const {
    if constexpr (TensorLike<A>) {
      return trace_input<Input<typename A::dtype, typename A::shape>>(b, number);
    } else {
      return ScalarExpr<A>{trace_input<Input<A, Shape<>>>(b, number).value};
    }
  }
};

template <class A>
struct TreeBuilder {
  static constexpr auto build(ir::Builder& b, int& next) { return Slot<A>{}.make(b, next++); }
};
template <class Op, class... Args>
struct TreeBuilder<Lazy<Op, Args...>> {
  static constexpr auto build(ir::Builder& b, int& next) {
    const std::tuple<decltype(TreeBuilder<Args>::build(b, next))...> operands{
        TreeBuilder<Args>::build(b, next)...};
    return std::apply(
        [&](const auto&... o) {
          constexpr bool fits = Applies<Op, std::remove_cvref_t<decltype(o)>...>;
          static_assert(sizeof(OperandsFit<fits, Op, Args...>) > 0);
          if constexpr (fits)
            return Op::apply(b, o...);
          else
            return detail::first_expr(o...);
        },
        operands);
  }
};

WEFT_REFUSAL(
    HeldIsEmpty,
    "vmap: of run-time tensors the function captures nothing and no model is among the arguments: write it "
    "inside the function that compile() is given");
template <class G>
struct TreeBuilder<Held<G>> {
  static constexpr Held<G> build(ir::Builder&, int&) {
    static_assert(sizeof(HeldIsEmpty<std::is_empty_v<G>, G>) > 0);
    if constexpr (std::is_empty_v<G>)
      return {};
    else
      __builtin_unreachable();
  }
};

template <class L, class T>
struct LazySource {
  static constexpr Checks checks = given_checks<>;
  static constexpr ir::Graph graph() {
    ir::Builder b;
    b.graph.scalar_count = random_words;
    int next = 0;
    const auto e = TreeBuilder<L>::build(b, next);
    b.graph.outputs.push(ir::cast(e.value, dtype_of<T>).id);
    return static_cast<ir::Graph&&>(b.graph);
  }
  using result = decltype(TreeBuilder<L>::build(std::declval<ir::Builder&>(), std::declval<int&>()));
};

// By promotion a tensor takes an expression of less: f32 one of bf16, i64 one of i32.
WEFT_REFUSAL(
    AssignedDtype,
    "an expression loses no precision and no range when it is assigned: give the tensor the expression's "
    "dtype, Tensor<i64, Shape<2>> places = argmax<1>(x), or convert it by cast<i32>(...)");
// What: the tensor, the expression's shape, the tensor's.
WEFT_REFUSAL(
    AssignedShape,
    "a tensor takes an expression of its own shape: declare it with that shape, Tensor<f32, Shape<3>> sums "
    "= sum<0>(x), take another axis, or reshape<...>(x), expand<...>(x) the expression");
WEFT_REFUSAL(OneDevice, "the tensors of an expression lie on different devices: copy this one first");

// The device of a tree's tensors; Cpu where there are none.
template <class A>
struct DeviceOfLeaf {
  using type = void;
};
template <TensorLike A>
struct DeviceOfLeaf<A> {
  using type = typename A::device_type;
};
template <class... Devices>
struct FirstDevice {
  using type = void;
};
template <class First, class... Rest>
struct FirstDevice<First, Rest...>
    : std::conditional_t<std::is_void_v<First>, FirstDevice<Rest...>, std::type_identity<First>> {};
template <class Op, class... Args>
struct DeviceOfLeaf<Lazy<Op, Args...>> : FirstDevice<typename DeviceOfLeaf<Args>::type...> {};
template <class L>
struct MadeTensor {
  using result = typename LazySource<L, f32>::result;
  using Leaf = typename DeviceOfLeaf<L>::type;
  using type = Tensor<typename result::dtype, typename result::shape,
                      std::conditional_t<std::is_void_v<Leaf>, Cpu, Leaf>>;
};

// What `Count` leaves of an expression hold, by their numbers.
template <class Source, int Count>
struct LeafTable {
  struct Table {
    InputInfo row[Count]{};
  };
  static constexpr Table make() {
    const ir::Graph g = program_graph<Source>();
    transforms::InputUse uses[Count]{};
    transforms::find_input_uses(g, uses);
    Table t{};
    for (int k = 0; k < g.inputs.size(); ++k)
      if (const int i = g.inputs[k]; i >= 0) t.row[k] = {g.nodes[i].dtype, g.dims(i), uses[k]};
    return t;
  }
  static constexpr Table table = make();
};

// The thread's program of one expression on this device and stream.
template <class Program, class Source, class Device>
auto& program_on(const Device& device) {
  struct Entry {
    Entry(const Device& on) : device(on), program(on, Blocks{}) {}
    void run() {
      if constexpr (checks_of<Source>().any())
        program.run_watched(checker);
      else
        program.run();
    }
    struct None {};
    Device device;
    Program program;
    std::conditional_t<checks_of<Source>().any(), typename CheckerOf<Program, Source>::type, None> checker{};
  };
  static thread_local std::list<Entry> programs;
  for (Entry& entry : programs)
    if (entry.device == device) return entry;
  return programs.emplace_back(device);
}

template <class T, class S, class Device, class L>
void evaluate(const L& lazy, T* to, const Device& device) {
  using Source = LazySource<L, T>;
  static_assert(sizeof(AssignedShape<std::is_same_v<typename Source::result::shape, S>, Tensor<T, S, Device>,
                                     typename Source::result::shape, S>) > 0);
  using From = typename Source::result::dtype;
  constexpr bool kept = promote(dtype_of<From>, dtype_of<T>) == dtype_of<T>;
  static_assert(sizeof(AssignedDtype<kept, Tensor<T, S, Device>, From, T>) > 0);
  if constexpr (!refused_before<Source, S>) {
    using Code = code_of<Device, Source>;
    auto& entry = program_on<typename ProgramOf<Device, Code>::type, Source>(device);
    auto& program = entry.program;
    if constexpr (draws<L>) program.set_random(fresh_seed(SeedUse::expression), 0);
    int number = 0;
    // the program is a parameter, as nvcc looks at discarded code in which nothing depends on the call
    auto bind_to = [&]<class Program, class A>(Program& to_bind, const A& leaf) {
      if constexpr (TensorLike<A>) {
        static_assert(
            sizeof(OneDevice<std::is_same_v<typename A::device_type, tensor_device<Device>>, A, Device>) > 0);
        if (leaf.data() == nullptr && A::shape::size > 0) throw_no_elements();
        if constexpr (is_integer(dtype_of<typename A::dtype>) && on_host<Device, A>()) {
          std::vector<std::byte> none;  // no rows are padded
          checked_input(LeafTable<Source, Code::inputs>::table.row[number], number,
                        {.data = leaf.data(), .on_host = true}, none);
        }
        if constexpr (requires { to_bind.bind_input(number, leaf.data(), leaf.storage()); })
          to_bind.bind_input(number++, leaf.data(), leaf.storage());
        else
          to_bind.bind_input(number++, leaf.data());
      } else {
        to_bind.bind_input(number++, &leaf);
      }
    };
    auto bind = [&](const auto& leaf) { bind_to(program, leaf); };
    Leaves<L>::visit(lazy, bind);
    entry.run();
    program.read_output(0, to, static_cast<i64>(sizeof(T)) * S::size);
  }
}

}  // namespace WEFT_NAMESPACE::exec

namespace WEFT_NAMESPACE {

// Tensor x = randn<f32, 2, 3>(), Tensor y = f(x): the dtype and shape of what it is made of.
template <class Op, class... Args>
Tensor(const Lazy<Op, Args...>&) -> Tensor<typename exec::MadeTensor<Lazy<Op, Args...>>::type::dtype,
                                           typename exec::MadeTensor<Lazy<Op, Args...>>::type::shape,
                                           typename exec::MadeTensor<Lazy<Op, Args...>>::type::device_type>;
template <class T, class S, class Device>
Tensor(const TensorView<T, S, Device>&) -> Tensor<std::remove_const_t<T>, S, Device>;
// Refused: what is traced, several results, and numbers, which have no shape.
template <class T, class S>
Tensor(const Expr<T, S>&) -> Tensor<T, S>;
template <class First, class... More>
Tensor(const std::tuple<First, More...>&) -> Tensor<typename First::dtype, typename First::shape>;
template <class A, class... More>
Tensor(const A&, const More&...) -> Tensor<A>;

}  // namespace WEFT_NAMESPACE
