#pragma once
// Param and Buffer: a module's state. At run time they hold nothing; while a function is traced they hold the
// builder and the number of their slot, and stand for an expression wherever one is wanted. In a Stack they
// stand for one block's while the block is traced; outside it for the copies of all blocks, which only what
// goes through a whole model asks for.

#include "weft/nn/init.hpp"
#include "weft/nn/spelling.hpp"
#include "weft/nn/state_members.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::nn {

WEFT_REFUSAL(
    ParamIsTrained,
    "a Param is set by the optimiser: what a function assigns, such as a running mean, is an "
    "nn::Buffer<f32, Shape<8>>, a model with other parameters is nn::map_parameters([](auto p, auto g) { "
    "return p - 0.1f * g; }, m, g), and a weight that two layers share is used twice, linear(x, "
    "words.weight)");

WEFT_REFUSAL(ParamHasNoValue,
             "a parameter has no value while compiling: how it starts is a type, nn::Param<f32, Shape<8>, "
             "nn::init::Constant<1, 2>>, and a layer without bias is nn::Linear<8, 4, false>");

WEFT_REFUSAL(BufferIsAssigned,
             "a buffer is set by assign: write mean.assign(0.9f * mean + 0.1f * x) in place of mean = ...");

namespace module_detail {

// The trace that a parameter or buffer belongs to. Refuses a number, which is what Param<...> w{0.5f} and
// Linear<8, 4> fc{.bias = false} give.
struct TraceOf {
  constexpr TraceOf(ir::Builder* given = nullptr) : at(given) {}
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr TraceOf(A) { static_assert(sizeof(ParamHasNoValue<sizeof(A) == 0, A>) > 0); }
  constexpr operator ir::Builder*() const { return at; }
  constexpr ir::Builder* operator->() const { return at; }
  ir::Builder* at = nullptr;
};

// In place of what a parameter or buffer of a Stack's blocks is outside of them.
template <class T, class S>
constexpr ir::Value read_of_blocks(ir::Builder& b) {
  return ir::read_without_value(b, dtype_of<T>, S::value, ir::Valueless::of_blocks);
}

}  // namespace module_detail

WEFT_REFUSAL(
    StartIsType,
    "a parameter's starting value is its third template argument, and a buffer's, too: nn::Param<f32, "
    "Shape<8>, nn::init::Ones> scale, nn::init::Constant<1, 2> for 0.5, Normal<> for randn; a parameter has "
    "no value while compiling, and a layer without bias is nn::Linear<8, 4, false>");

// A trained tensor of T with shape S; Init says how it starts (see init.hpp).
template <class T, class S = Unshaped, class Init = init::Zeros>
struct Param : TensorMembers<Param<T, S, Init>> {
  using dtype = T;
  using shape = S;
  using initializer = Init;
  static constexpr bool trained = true;

  constexpr Param() = default;
  template <class A, class... More>  // a refusal
  requires(std::is_arithmetic_v<A> || is_lazy<A>) constexpr Param(const A&, const More&...) {
    static_assert(sizeof(StartIsType<sizeof(A) == 0, Param, A>) > 0);
  }

  module_detail::TraceOf builder{};
  int slot = -1;
  bool detached = false;  // no gradient reaches it (frozen)
  int node = -1;          // in place of its slot: a variable of grad, a gradient, one of the copies
  int stacked = 0;        // how many of its leading axes are those of the blocks around it

  constexpr Expr<T, S> expr() const {
    return {stacked > 0 ? module_detail::read_of_blocks<T, S>(*builder) : value()};
  }
  // The same with the axes of the blocks around it.
  constexpr ir::Value value() const {
    if (builder == nullptr) return {};
    const ir::Value v = node >= 0 ? ir::Value{builder, node} : ir::read_slot(*builder, slot);
    return detached ? ir::unary(ir::Op::stop_gradient, v) : v;
  }
  // Refused.
  template <class A>
  constexpr void assign(const A&) const {
    static_assert(sizeof(ParamIsTrained<sizeof(A) == 0, Param, A>) > 0);
  }
  template <class A>
  requires ExprLike<A>
  constexpr const Param& operator=(const A&) const {
    static_assert(sizeof(ParamIsTrained<sizeof(A) == 0, Param, A>) > 0);
    return *this;
  }
};

WEFT_REFUSAL(
    StateIsOfElement,
    "a parameter or buffer has the type of its elements first and then its shape: write "
    "nn::Param<f32, Shape<8>>; elements are f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i8, u8 or "
    "bool");
template <class T, class S, class Init>
requires(!Element<T> && !std::is_same_v<S, Unshaped>) struct Param<T, S, Init> : AfterRefusal {
  static_assert(sizeof(StateIsOfElement<sizeof(Init) == 0, T, S>) > 0);
};
// Param<f32>.
template <class T, class Init>
struct Param<T, Unshaped, Init> : AfterRefusal {
  static_assert(sizeof(ShapeIsInType<sizeof(T) == 0, T>) > 0);
};

WEFT_REFUSAL(AssignKeepsType,
             "assign takes a value of the buffer's own dtype and shape: seen.assign(mean<0>(x)), "
             "count.assign(cast<i64>(count + 1.0f))");

// A tensor that is saved with the model but not trained, such as a running mean. `assign` in a traced
// function sets it at the end of the step.
template <class T, class S = Unshaped, class Init = init::Zeros>
struct Buffer : TensorMembers<Buffer<T, S, Init>> {
  using dtype = T;
  using shape = S;
  using initializer = Init;
  static constexpr bool trained = false;

  constexpr Buffer() = default;
  template <class A, class... More>  // a refusal
  requires(std::is_arithmetic_v<A> || is_lazy<A>) constexpr Buffer(const A&, const More&...) {
    static_assert(sizeof(StartIsType<sizeof(A) == 0, Buffer, A>) > 0);
  }

  module_detail::TraceOf builder{};
  int slot = -1;
  int node = -1;    // in a block of a Stack: what it was before the step,
  int newest = -1;  // and what an earlier call of the Stack assigned
  int stacked = 0;  // as a Param's

  constexpr Expr<T, S> expr() const {
    return {stacked > 0 ? module_detail::read_of_blocks<T, S>(*builder) : value()};
  }
  // The same with the axes of the blocks around it.
  constexpr ir::Value value() const {
    if (builder == nullptr) return {};
    return node >= 0 ? ir::Value{builder, node} : ir::read_slot(*builder, slot);
  }
  constexpr void assign(const Expr<T, S>& value) const {
    if (stacked > 0)
      refuse(*builder, ir::Valueless::of_blocks);
    else
      set(value.value);
  }
  // The same of a value with the axes of the blocks around it.
  constexpr void set(ir::Value value) const {
    if (value.builder == nullptr) throw Error("nn/assign", "a buffer is assigned outside of a trace");
    if (builder == nullptr) return refuse(*value.builder, ir::Valueless::no_member);
    ir::Builder& at = trace_of(value);
    if (is_of_sample(at)) return refuse(at, ir::Valueless::of_sample);
    const int made = at.import(*value.builder, value.id);
    if (&at != builder) latest_in(at);
    if (ir::Assign* earlier = assigned_in(at))
      earlier->node = made;
    else
      at.graph.assigns.push(ir::Assign{slot, made});
  }
  // Of a parameter, another buffer or a literal, ones<f32, 8>(); anything else is refused.
  template <class A>
  constexpr void assign(const A& value) const {
    if constexpr (requires { Expr<T, S>{value.expr()}; }) {
      assign(Expr<T, S>{value.expr()});
    } else if constexpr (is_lazy<A>) {
      using E = std::remove_cvref_t<decltype(weft::detail::traced(std::declval<ir::Builder&>(), value))>;
      static_assert(sizeof(AssignKeepsType<std::is_same_v<E, Expr<T, S>>, Buffer, E>) > 0);
      if constexpr (std::is_same_v<E, Expr<T, S>>)
        if (builder != nullptr) assign(weft::detail::traced(builder->innermost(), value));
    } else {
      static_assert(sizeof(AssignKeepsType<sizeof(A) == 0, Buffer, A>) > 0);
    }
  }
  // Refused.
  template <class A>
  requires ExprLike<A>
  constexpr const Buffer& operator=(const A&) const {
    static_assert(sizeof(BufferIsAssigned<sizeof(A) == 0, Buffer, A>) > 0);
    return *this;
  }
  // What was assigned so far in this trace, else the value from before the step: a module that is called
  // twice, or in each trip of a loop, continues from the call before. No gradient passes from trip to trip.
  constexpr Expr<T, S> latest() const { return {stacked > 0 ? expr().value : latest_value()}; }
  constexpr ir::Value latest_value() const {
    return builder == nullptr ? ir::Value{} : latest_in(builder->innermost());
  }
  // As the trace `at` has it, the model's or one around the body that is being traced.
  constexpr ir::Value latest_value(ir::Builder& at) const { return latest_in(at); }

 private:
  // An output, so that it is in the graph that is refused, whatever is pruned.
  static constexpr void refuse(ir::Builder& b, ir::Valueless why) {
    const ir::Value read = ir::read_without_value(b, dtype_of<T>, S::value, why);
    read.builder->graph.outputs.push(read.id);
  }
  constexpr bool is_of_sample(const ir::Builder& at) const {
    for (const ir::Builder* b = &at; b != builder; b = b->parent)
      if (!b->graph.is_body) return true;
    return false;
  }
  constexpr ir::Assign* assigned_in(ir::Builder& at) const {
    for (int k = at.graph.assigns.size(); k-- > 0;)
      if (at.graph.assigns[k].slot == slot) return &at.graph.assigns[k];
    return nullptr;
  }
  // The trace that an assignment belongs to: the body that is being traced, unless samples lie between.
  constexpr ir::Builder& trace_of(ir::Value value) const {
    ir::Builder& inner = builder->innermost();
    if (!is_of_sample(inner)) return inner;
    return value.builder->depth() > builder->depth() ? *value.builder : *builder;
  }
  // The value in a trace at or inside the model's: in a loop's body it is carried from trip to trip.
  constexpr ir::Value latest_in(ir::Builder& at) const {
    if (const ir::Assign* earlier = assigned_in(at)) return {&at, earlier->node};
    if (&at == builder) return newest >= 0 ? ir::Value{builder, newest} : value();
    for (const auto& carried : at.carried_slots)
      if (carried.slot == slot) return {&at, carried.input};
    const ir::Value start = latest_in(*at.parent);
    return {&at, at.graph.is_body ? at.carry_slot(slot, start.id) : at.import(*start.builder, start.id)};
  }
};

template <class T, class S, class Init>
requires(!Element<T> && !std::is_same_v<S, Unshaped>) struct Buffer<T, S, Init> : AfterRefusal {
  static_assert(sizeof(StateIsOfElement<sizeof(Init) == 0, T, S>) > 0);
};

template <class M>
inline constexpr bool is_state = false;
template <class T, class S, class I>
inline constexpr bool is_state<Param<T, S, I>> = true;
template <class T, class S, class I>
inline constexpr bool is_state<Buffer<T, S, I>> = true;

}  // namespace WEFT_NAMESPACE::nn
