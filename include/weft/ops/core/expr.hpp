#pragma once
// What a user's function computes with while it is traced: every operation is one stateless function object
// derived from Operation; what its arguments are decides which handle comes back (handles.hpp): a node
// (Expr), or a small typed tree to be replayed later (Lazy).

#include "weft/core/error.hpp"
#include "weft/ops/core/handles.hpp"
#include "weft/ops/core/operand_refusals.hpp"

namespace WEFT_NAMESPACE {

// Builds a lazy tree's nodes: `leaf(tensor)` says what a tensor becomes, `number(scalar)` what a number.
template <class A, class Leaf, class Number>
constexpr auto replay(ir::Builder& builder, const A& a, Leaf& leaf, Number& number);

namespace detail {
template <class Op, class... A>
constexpr auto applied(ir::Builder& builder, const A&... a) {
  if constexpr ((is_after_refusal<A> || ...))
    return AfterRefusal{};
  else
    return Op::apply(builder, a...);
}
template <class Op, class... Args, class Leaf, class Number>
constexpr auto replay_lazy(ir::Builder& builder, const Lazy<Op, Args...>& lazy, Leaf& leaf, Number& number) {
  return std::apply(
      [&](const Args&... args) {
        // braces: operands are built left to right, so random streams keep their order
        const std::tuple operands{weft::replay(builder, args, leaf, number)...};
        return std::apply([&](const auto&... o) { return applied<Op>(builder, o...); }, operands);
      },
      lazy.args);
}
// The same, of an expression that draws once wherever its copies are used.
template <class Op, class... Args, class Leaf, class Number>
constexpr auto replay_once(ir::Builder& builder, const Lazy<Op, Args...>& lazy, Leaf& leaf, Number& number) {
  const auto make = [&] { return replay_lazy(builder, lazy, leaf, number); };
  if constexpr (Draws<Op> && is_expr<decltype(make())>)
    if (ir::Draw* const draw = lazy.draw.get())
      return decltype(make()){{&builder, builder.drawn(*draw, [&] { return make().value.id; })}};
  return make();
}
}  // namespace detail

template <class A, class Leaf, class Number>
constexpr auto replay(ir::Builder& builder, const A& a, Leaf& leaf, Number& number) {
  if constexpr (TensorLike<A>)
    return leaf(a);
  else if constexpr (is_held<A>)
    return a;
  else if constexpr (Scalar<A>)
    return number(a);
  else
    return detail::replay_once(builder, a, leaf, number);
}

WEFT_REFUSAL(
    TensorIsInput,
    "a run-time Tensor cannot be used inside a traced function: make it an input, in<T, D...>, and write "
    "auto x for the parameter; a model is called inside of one: auto f = compile<Net>(Cpu{}, [](const auto& "
    "model, auto x) { return model(x); }, in<f32, 2, 4>)");

namespace detail {

template <class A>
constexpr ir::Builder* builder_of(const A& a) {
  if constexpr (ExprLike<A> && requires { a.builder; })
    return a.builder;  // a parameter's node is made where it is used
  else if constexpr (ExprLike<A>)
    return to_expr(a).value.builder;
  else
    return nullptr;
}

// The trace in which a value of `a` and one of `b` meet: the inner one.
constexpr ir::Builder* inner_of(ir::Builder* a, ir::Builder* b) {
  return a == nullptr ? b : b == nullptr || a == b || b->depth() < a->depth() ? a : b;
}

struct KeepScalar {
  template <class S>
  constexpr S operator()(S s) const {
    return s;
  }
};
struct NoTensor {
  template <class A>
  constexpr auto operator()(const A&) const {
    static_assert(sizeof(TensorIsInput<sizeof(A) == 0, A>) > 0);
    return AfterRefusal{};
  }
};

// What a Lazy keeps: of a tensor a view, which shares its memory; of a number like v.size() an i64.
template <class A>
constexpr auto leaf(const A& a) {
  if constexpr (TensorLike<A>) {
    return a.view();
  } else if constexpr (std::is_integral_v<A> && !Element<A>) {
    if (const auto n = static_cast<i64>(a); (n < 0) == (a < A{})) return n;
    throw Error("tensor/number-range", "the number " + std::to_string(a) + " is above the greatest of i64");
  } else if constexpr (std::is_same_v<A, long double>) {
    return static_cast<f64>(a);
  } else {
    return a;
  }
}

// An X that no program computes: whoever traces says why.
template <class X>
constexpr X without_value(ir::Builder& b, ir::Valueless why) {
  return X{ir::read_without_value(b, dtype_of<typename X::dtype>, X::shape::value, why)};
}

// An argument of a traced operation: literals join the graph here.
template <class A>
constexpr auto traced(ir::Builder& builder, const A& a) {
  if constexpr (ExprLike<A>) {
    auto e = to_expr(a);
    if (e.value.builder == nullptr)  // of a layer that is no member of the model
      e = without_value<std::remove_cvref_t<decltype(e)>>(builder, ir::Valueless::no_member);
    if (e.value.builder != &builder) e.value = {&builder, builder.import(*e.value.builder, e.value.id)};
    return e;
  } else if constexpr (is_lazy<A> || TensorLike<A>) {
    NoTensor leaf;
    KeepScalar number;
    return replay(builder, a, leaf, number);
  } else {
    return a;
  }
}

}  // namespace detail

// A further argument of a layer that is given x: literals, such as zeros<f32, 1, 8>(), join x's graph.
template <class X, class A>
constexpr auto expr_beside(const X& x, const A& a) {
  return detail::traced(*to_expr(x).value.builder, a);
}

namespace detail {
// What a refused operation returns: its first operand that is an expression.
template <class First, class... A>
constexpr auto first_expr(const First& first, const A&... rest) {
  if constexpr (ExprLike<First>)
    return to_expr(first);
  else if constexpr (is_tuple_like<First>)
    return first_expr(std::get<0>(first), rest...);
  else if constexpr (HoldsValues<First>)
    return typename First::value_type{};
  else if constexpr (sizeof...(A) > 0)
    return first_expr(rest...);
  else
    return AfterRefusal{};
}
}  // namespace detail

WEFT_REFUSAL(
    BodyTakes,
    "the function that grad, vjp, jvp, vmap or loop is given does not take what it is called with: one "
    "parameter for each argument, auto x; that of loop takes the carry and a slice of each stacked input");
WEFT_REFUSAL(
    BodyReturnsValues,
    "the function that grad, vjp, jvp, vmap or loop is given returns a plain number or nothing: return "
    "values that are computed from its arguments, 0 * x + 1 in place of 1, and of a model's gradient g "
    "nn::parameters(g)");

namespace detail {
// Whether R is a value, or a tuple of them.
template <class R>
inline constexpr bool is_of_values = ExprLike<R> || is_lazy<R>;
template <class... E>
inline constexpr bool is_of_values<std::tuple<E...>> = (is_of_values<std::remove_cvref_t<E>> && ...);
template <class A, class B>
inline constexpr bool is_of_values<std::pair<A, B>> =
    is_of_values<std::remove_cvref_t<A>>&& is_of_values<std::remove_cvref_t<B>>;

// f(a...), f being what Op, a transformation, was given; of what is refused an argument.
template <class Op, class F, class... A>
constexpr auto body_of(const F& f, const A&... a) {
  constexpr bool fits = takes<F, A...>();
  static_assert(sizeof(BodyTakes<fits, Op, A...>) > 0);
  if constexpr (!fits || !CallCompiles<F, A...>) {  // the compiler has said what is wrong inside
    if constexpr (fits && !refused_before<Op, F, A...>) static_assert(sizeof(Refused<F>) > 0);
    return first_expr(a...);
  } else {
    using R = std::remove_cvref_t<decltype(f(a...))>;
    if constexpr (is_of_values<R>) {
      return f(a...);
    } else {
      static_assert(sizeof(BodyReturnsValues<is_of_values<R>, Op, R>) > 0);
      const auto value = [&](const auto& e) {
        if constexpr (is_of_values<std::remove_cvref_t<decltype(e)>>)
          return e;
        else
          return first_expr(a...);
      };
      if constexpr (requires(R r) { r.first; })  // as many results as the caller names
        return [&](const auto& r) { return std::pair{value(r.first), value(r.second)}; }(f(a...));
      else
        return first_expr(a...);
    }
  }
}
}  // namespace detail

template <class Op, class... A>
concept Applies = requires(ir::Builder& b, const A&... a) {
  Op::apply(b, a...);
};

// An operation that makes a tensor of numbers says so.
template <class Op>
concept Creates = requires {
  typename Op::weft_creates;
};
template <class Op, class... A>
concept OfNumbersAlone = sizeof...(A) > 0 && (Scalar<A> && ...) && !Draws<Op> && !Creates<Op>;
// Whether Op makes a tensor of other numbers than these, full<f32, 4>() of one.
template <class Op, class... A>
concept LacksNumbers = (Scalar<A> && ... && true) && !Applies<Op, A...>;
WEFT_REFUSAL(OperandIsNumber,
             "the operands are numbers, and one must be an expression or a tensor: functions of std give "
             "numbers, so write exp(x), pow(x, 3) in place of std::exp(x), std::pow(x, 3)");

// A small number that is added to a denominator. An integer in its place is PyTorch's axis, order or
// number of groups, which are template arguments here.
WEFT_REFUSAL(EpsilonIsFraction,
             "an integer stands where eps belongs: axes, orders and groups are template arguments, "
             "normalize<1, 2>(x), cosine_similarity<1>(x, y), group_norm<4>(x), layer_norm(x) is of the last "
             "axis, and eps is 1e-5 or 0.0");
struct Epsilon {
  double value;  // what is added
  constexpr Epsilon(double v) : value(v) {}
  template <class Given>
  requires std::is_integral_v<Given>
  constexpr Epsilon(Given v) : value(static_cast<double>(v)) {
    static_assert(sizeof(EpsilonIsFraction<sizeof(Given) == 0, Given>) > 0);
  }
};

namespace detail {
// In place of any value.
struct AnyWord {
  constexpr AnyWord() = default;
  template <class A>
  constexpr AnyWord(const A&) {}
};
// PyTorch's keyword arguments, softmax(x, {.dim = 1}). (cross_entropy has .label_smoothing, .ignore_index.)
template <class First>
struct InBraces {
  First first;
  AnyWord pos_weight, weight, ignore, size_average, reduction, log_target, beta, delta, margin, p, dim, dims,
      axis, keepdim, dim0, dim1, start, length, dtype, k, largest, descending, sorted, unbiased, correction,
      attn_mask, dropout_p, is_causal, scale, kernel_size, stride, padding, dilation, groups, size,
      scale_factor, mode, value, align_corners, min, max, alpha, negative_slope, approximate, num_classes,
      eps, training, inplace, out;
};
struct ByNameAlone {};
using KeywordArguments = InBraces<ByNameAlone>;
}  // namespace detail
WEFT_REFUSAL(
    KeywordsAreArguments,
    "there are no keyword arguments in braces: axes, sizes and words are template arguments, sum<1>(x, "
    "keepdim), mse_loss<reduction::sum>(x, y), "
    "scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v); other numbers follow the "
    "operands, dropout(x, 0.5f), clamp(x, 0, 1), bce_with_logits(x, y, pos_weight(w)); cross_entropy(x, y, "
    "{.label_smoothing = 0.1f}) has options of its own");

namespace detail {
template <class A>
struct operand_traits {
  using dtype = A;
  using shape = Shape<>;
};
template <class T, class S>
struct operand_traits<Expr<T, S>> {
  using dtype = T;
  using shape = S;
};

template <class S>
struct operand_traits<ScalarExpr<S>> {
  using dtype = S;
  using shape = Shape<>;
};
}  // namespace detail

WEFT_REFUSAL(OperationHasNoBrackets,
             "this operation takes nothing in <>: numbers such as a rate or a bound are arguments, "
             "dropout(x, 0.1f), clamp(x, 0, 1), leaky_relu(x, 0.2f)");

// Base of every operation: `Derived::apply(builder, exprs and scalars...)` builds the nodes.
template <class Derived>
struct Operation {
  template <class A>
  constexpr auto operator<(const A&) const {  // of dropout<0.1f>(x): a refusal
    static_assert(sizeof(OperationHasNoBrackets<sizeof(A) == 0, Derived>) > 0);
    return AfterRefusal{};
  }
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    constexpr bool traced = (ExprLike<A> || ...);
    if constexpr ((is_scalar_expr<A> || ...) && ((is_scalar_expr<A> || Scalar<A>)&&...)) {
      return of_numbers(a...);
    } else if constexpr (OfNumbersAlone<Derived, A...>) {
      static_assert(sizeof(OperandIsNumber<sizeof(Derived) == 0, Derived, A...>) > 0);
      return AfterRefusal{};
    } else if constexpr (!(Operand<A> && ...) || (is_after_refusal<A> || ...) ||
                         (traced && (TensorLike<A> || ...))) {
      refuse<A...>();
      return detail::first_expr(a...);
    } else if constexpr (traced) {
      ir::Builder* builder = nullptr;
      ((builder = detail::inner_of(builder, detail::builder_of(a))), ...);
      if constexpr (Draws<Derived> || (draws<A> || ...)) builder = &builder->innermost();
      constexpr bool fits =
          Applies<Derived,
                  decltype(detail::traced(std::declval<ir::Builder&>(), std::declval<const A&>()))...>;
      if constexpr (fits) {
        return Derived::apply(*builder, detail::traced(*builder, a)...);
      } else {
        static_assert(sizeof(OperandsFit<fits, Derived, A...>) > 0);
        return detail::first_expr(a...);
      }
    } else if constexpr (LacksNumbers<Derived, A...>) {
      static_assert(sizeof(OperandsFit<sizeof(Derived) == 0, Derived, A...>) > 0);
      return AfterRefusal{};
    } else {
      if constexpr (requires { Derived::check_numbers(a...); }) Derived::check_numbers(a...);
      return Lazy<Derived, decltype(detail::leaf(a))...>{{detail::leaf(a)...}};
    }
  }
  // Refused.
  template <class A>
  constexpr auto operator()(const A& a, const detail::KeywordArguments&) const {
    static_assert(sizeof(KeywordsAreArguments<sizeof(A) == 0, Derived, A>) > 0);
    return detail::first_expr(a);
  }
  template <class A, class B>
  constexpr auto operator()(const A& a, const B&, const detail::KeywordArguments&) const {
    static_assert(sizeof(KeywordsAreArguments<sizeof(A) == 0, Derived, A, B>) > 0);
    return detail::first_expr(a);
  }

 private:
  // Of numbers of which one is known at run time alone: such a number again.
  template <class... A>
  static constexpr auto of_numbers(const A&... a) {
    ir::Builder* builder = nullptr;
    const auto value = [&](const auto& n) {
      using N = std::remove_cvref_t<decltype(n)>;
      if constexpr (is_scalar_expr<N>) {
        builder = n.value.builder;
        return Expr<typename detail::operand_traits<N>::dtype, Shape<>>{n.value};
      } else {
        return n;
      }
    };
    const std::tuple values{value(a)...};
    const auto r = std::apply([&](const auto&... v) { return Derived::apply(*builder, v...); }, values);
    return ScalarExpr<typename decltype(r)::dtype>{r.value};
  }
  // Says which of the operands is none, unless another refusal made it.
  template <class... A>
  static constexpr auto refuse() {
    constexpr bool takes = (Operand<A> && ...), tuple = (is_tuple_like<A> || ...),
                   member = (std::is_same_v<A, TransposedMember> || ...),
                   gradient = (std::is_same_v<A, GradientMember> || ...),
                   places = (is_places_member<A> || ...),
                   container = (HoldsValues<A> || ...) || (HoldsTensors<A> || ...),
                   layer = (LayerLike<A> || ...), late = (is_after_refusal<A> || ...),
                   whole = (layer || tuple) && requires {
      typename Derived::means_parameters;
    };
    static_assert(sizeof(ParametersAreVector<!whole, Derived, A...>) > 0);
    static_assert(sizeof(PlacesAreArgmax<!places, Derived, A...>) > 0);
    static_assert(sizeof(TupleIsTaken<!tuple, Derived, A...>) > 0);
    static_assert(sizeof(MethodIsFunction<!member, spelled::T, Derived, A...>) > 0);
    static_assert(sizeof(GradientIsFunction<!gradient, spelled::grad, Derived, A...>) > 0);
    static_assert(sizeof(ContainerIsTaken<!container, Derived, A...>) > 0);
    static_assert(sizeof(LayerIsCalled<!layer, Derived, A...>) > 0);
    static_assert(
        sizeof(OperandsAreTensors < takes || tuple || member || gradient || places || container || layer,
               Derived, A... >) > 0);
    static_assert(sizeof(TensorIsInput < !takes || late, Derived, A... >) > 0);
  }
};

// The types that shape rules and promotion yield.
template <class T, class U>
using promoted = ctype<promote(dtype_of<T>, dtype_of<U>)>;

// The dtype that a C++ scalar S takes beside a tensor of T: floats keep float tensors, numbers keep theirs.
template <class T, class S>
using promoted_scalar = std::conditional_t<
    is_float(dtype_of<T>), T,
    std::conditional_t<std::is_floating_point_v<S>, f32,
                       std::conditional_t<std::is_same_v<T, bool> && !std::is_same_v<S, bool>, i64, T>>>;

// T if it is a floating type, f32 otherwise: what functions such as exp work in.
template <class T>
using floating = std::conditional_t<is_float(dtype_of<T>), T, f32>;

// What formulas are computed in whose roundings would add up, PyTorch's opmath_t: f32, of f64 f64.
template <class T>
using opmath = std::conditional_t<std::is_same_v<T, f64>, f64, f32>;

namespace detail {

template <class T, class A>
constexpr ir::Value as_value(ir::Builder& builder, const A& a) {
  if constexpr (is_expr<A> || is_scalar_expr<A>)
    return ir::cast(a.value, dtype_of<T>);
  else if constexpr (std::is_integral_v<T> && std::is_integral_v<A>)  // exact, and wrapped as PyTorch does
    return {&builder, builder.constant(dtype_of<T>, builder.shape(Dims{}),
                                       static_cast<u64>(static_cast<i64>(static_cast<T>(a))))};
  else
    return ir::constant(builder, dtype_of<T>, Dims{}, static_cast<double>(a));
}

template <class A, class B>
constexpr auto common_dtype() {
  if constexpr (is_expr<A> && is_expr<B>)
    return promoted<typename A::dtype, typename B::dtype>{};
  else if constexpr (is_expr<A>)
    return promoted_scalar<typename A::dtype, typename operand_traits<B>::dtype>{};
  else if constexpr (is_expr<B>)
    return promoted_scalar<typename B::dtype, typename operand_traits<A>::dtype>{};
  else  // two numbers: PyTorch's default dtype of their kind
    return promoted_scalar<promoted_scalar<bool, typename operand_traits<A>::dtype>,
                           typename operand_traits<B>::dtype>{};
}

}  // namespace detail

// What an operation returns after the message that refuses its operands: a value of the result's shape that
// depends on all of them, so that no second error follows.
namespace detail {
template <class T, class S, class... A>
constexpr Expr<T, S> refused(const A&... operands) {
  ir::Value sum{};
  const auto join = [&](const auto& a) {
    if constexpr (ExprLike<std::remove_cvref_t<decltype(a)>>) {
      const ir::Value v = ir::cast(to_expr(a).value, dtype_of<T>);
      const ir::Value total =
          ir::reshape(ir::reduce(ir::Op::reduce_sum, v, ir::all_axes(v.dims().rank)), Dims{});
      sum = sum ? sum + total : total;
    }
  };
  (join(operands), ...);
  return {ir::broadcast(sum, S::value)};
}
}  // namespace detail

// The dtype of a pointwise operation on A and B (Exprs or scalars).
template <class A, class B>
using common = decltype(detail::common_dtype<A, B>());

template <class A>
using shape_of_operand = typename detail::operand_traits<A>::shape;
template <class A>
using dtype_of_operand = typename detail::operand_traits<A>::dtype;

}  // namespace WEFT_NAMESPACE
