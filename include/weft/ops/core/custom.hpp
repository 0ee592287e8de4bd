#pragma once
// custom<id>(x, ...): a primitive that the program adds (core/custom_op.hpp) as an operation on expressions.
// Law: it composes like any other: it is differentiated by its own rule, joins fused neighbours through
// memory, and equal calls are one.

#include "weft/core/custom_op.hpp"
#include "weft/ir/custom.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(CustomOpDefined,
             "custom: there is no weft::custom_op<id> for this id, or it stands behind its first use");
WEFT_REFUSAL(CustomAccepts,
             "custom: the primitive's type(...) does not take operands of these dtypes and shapes");
WEFT_REFUSAL(CustomGradientFits,
             "custom: gradient(...) must return one expression for every operand, of the operand's dtype "
             "and shape, or no_gradient");

namespace detail {

template <class Op>
constexpr std::string_view custom_name() {
  if constexpr (requires { Op::name; })
    return Op::name;
  else
    return "custom";
}

// Whether Op has a member named `type`, be it a template or overloaded: then the name is ambiguous here.
struct HasType {
  int type;
};
template <class Op>
struct MayHaveType : Op, HasType {};

template <class Op, class First, class... X>
struct CustomType {
  static constexpr TensorType make() {
    if constexpr (requires { &MayHaveType<Op>::type; })
      return {dtype_of<typename First::dtype>, First::shape::value};
    else if constexpr (requires {
                         Op::type(TensorType{dtype_of<typename First::dtype>, First::shape::value},
                                  TensorType{dtype_of<typename X::dtype>, X::shape::value}...);
                       })
      return Op::type(TensorType{dtype_of<typename First::dtype>, First::shape::value},
                      TensorType{dtype_of<typename X::dtype>, X::shape::value}...);
    else
      return {};
  }
  static constexpr TensorType type = make();
  static constexpr bool ok = type.dims.valid();
  static constexpr Dims value = ok ? type.dims : Dims{};
  using expr = Expr<ctype<type.dtype>, shape_of<CustomType>>;
};

template <class T, class S>
constexpr bool is_type_of(const ir::Graph& g, int node, const Expr<T, S>*) {
  return g.nodes[node].dtype == dtype_of<T> && g.dims(node) == S::value;
}

// The gradient of primitive Id with result R and operands X: what ir::CustomGradient points to.
template <u64 Id, class R, class... X>
struct CustomRule {
  using Op = custom_op<Id>;

  static constexpr bool matches(const ir::Graph& g, int y) {
    int k = 0;
    return g.nodes[y].arity == static_cast<int>(sizeof...(X)) && is_type_of(g, y, static_cast<R*>(nullptr)) &&
           (is_type_of(g, g.in(y, k++), static_cast<X*>(nullptr)) && ... && true);
  }
  static constexpr void gradient(ir::Builder& b, int y, int g, int* out) {
    differentiate(b, y, g, out, std::index_sequence_for<X...>{});
  }
  static constexpr ir::CustomGradient row{Id, &matches, &gradient};

 private:
  template <std::size_t... K>
  static constexpr void differentiate(ir::Builder& b, int y, int g, int* out, std::index_sequence<K...>) {
    const std::tuple<X...> operands{X{ir::Value{&b, b.graph.in(y, static_cast<int>(K))}}...};
    if constexpr (requires { Op::gradient(R{}, R{}, X{}...); }) {
      const auto found = Op::gradient(R{ir::Value{&b, g}}, R{ir::Value{&b, y}}, std::get<K>(operands)...);
      using Found = std::remove_cvref_t<decltype(found)>;
      if constexpr (sizeof...(X) == 1 && !TupleLike<Found>) {
        put<X...>(b, found, *out);
      } else {
        constexpr bool one_each = [] {
          if constexpr (TupleLike<Found>)
            return std::tuple_size<Found>::value == sizeof...(X);
          else
            return false;
        }();
        static_assert(sizeof(CustomGradientFits<one_each, Op, Found>) > 0);
        if constexpr (one_each) (put<X>(b, std::get<K>(found), out[K]), ...);
      }
    } else {
      List<int> from(1, g);
      for (int k = 0; k < static_cast<int>(sizeof...(X)); ++k) from.push(b.graph.in(y, k));
      const DType dtype[]{dtype_of<typename X::dtype>...};
      const Dims dims[]{X::shape::value...};
      for (int k = 0; k < static_cast<int>(sizeof...(X)); ++k)
        if (is_float(dtype[k]))
          out[k] = ir::custom(b, Id, custom_name<Op>(), true, dtype[k], dims[k], from).id;
    }
  }
  template <class Operand, class A>
  static constexpr void put(ir::Builder& b, const A& a, int& out) {
    if constexpr (!std::is_same_v<A, NoGradient>) {
      const auto e = traced(b, a);
      constexpr bool fits = std::is_same_v<std::remove_cvref_t<decltype(e)>, Operand>;
      static_assert(sizeof(CustomGradientFits<fits, Op, std::remove_cvref_t<decltype(e)>, Operand>) > 0);
      if constexpr (fits) out = e.value.id;
    }
  }
};

// A number beside tensors is a tensor of no axes.
template <class A>
constexpr auto custom_operand(ir::Builder& b, const A& a) {
  if constexpr (is_expr<A>) {
    return a;
  } else {
    using T = std::conditional_t<std::is_floating_point_v<dtype_of_operand<A>>, f32, i64>;
    return Expr<T, Shape<>>{as_value<T>(b, a)};
  }
}

template <class A>
using custom_operand_of = std::remove_cvref_t<decltype(custom_operand(
    std::declval<ir::Builder&>(), traced(std::declval<ir::Builder&>(), std::declval<const A&>())))>;

}  // namespace detail

template <u64 Id>
struct CustomOp;

namespace detail {

// What calling primitive Id with A... gives, without its body: its gradient may call it in its turn.
template <u64 Id, class... A>
struct CustomCall {
  static constexpr auto make() {
    if constexpr (!requires { sizeof(custom_op<Id>); })
      return std::type_identity<void>{};
    else if constexpr ((ExprLike<A> || ...))
      return std::type_identity<typename CustomType<custom_op<Id>, custom_operand_of<A>...>::expr>{};
    else
      return std::type_identity<Lazy<CustomOp<Id>, decltype(leaf(std::declval<const A&>()))...>>{};
  }
  using type = typename decltype(make())::type;
};

}  // namespace detail

WEFT_REFUSAL(CustomOperandsFit,
             "a primitive of one's own takes at most 32 operands: join some, cat<0>(a, b)");
template <u64 Id>
struct CustomOp : Operation<CustomOp<Id>> {
  template <class... A>
  constexpr typename detail::CustomCall<Id, A...>::type operator()(const A&... a) const {
    constexpr bool defined = requires { sizeof(custom_op<Id>); };
    static_assert(sizeof(CustomOpDefined<defined, CustomOp>) > 0);
    if constexpr (defined) return Operation<CustomOp>::operator()(a...);
  }
  template <class... A>
  static constexpr auto apply(ir::Builder& b, const A&... a) {
    const std::tuple operands{detail::custom_operand(b, a)...};  // braces: left to right
    return std::apply([&](const auto&... x) { return build(b, x...); }, operands);
  }

 private:
  template <class... X>
  static constexpr auto build(ir::Builder& b, const X&... x) {
    using Op = custom_op<Id>;
    static_assert(sizeof(CustomOperandsFit<sizeof...(X) <= most_custom_operands, Op>) > 0);
    using Type = detail::CustomType<Op, X...>;
    static_assert(sizeof(CustomAccepts<Type::ok, Op, X...>) > 0);
    using R = typename Type::expr;
    if constexpr (Type::ok) {
      List<int> nodes;
      (nodes.push(x.value.id), ...);
      const DType dtype = dtype_of<typename R::dtype>;
      const R result{ir::custom(b, Id, detail::custom_name<Op>(), false, dtype, R::shape::value, nodes)};
      ir::remember(result.value, detail::CustomRule<Id, R, X...>::row);
      return result;
    } else {
      return detail::refused<typename R::dtype, typename R::shape>(x...);
    }
  }
};

// The operation of a primitive, custom<"its name"> or custom<op_id("its name")>.
template <CustomId Id>
inline constexpr CustomOp<Id.value> custom{};

}  // namespace WEFT_NAMESPACE
