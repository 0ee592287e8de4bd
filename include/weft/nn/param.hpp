#pragma once
// Param and Buffer: a module's state. At run time they hold nothing; while a function is traced they hold the
// builder and the number of their slot, and stand for an expression wherever one is wanted.

#include "weft/nn/init.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::nn {

WEFT_REFUSAL(ParamIsTrained,
             "a Param is set by the optimiser: what a function assigns, such as a running mean, is an "
             "nn::Buffer<f32, Shape<8>>");

WEFT_REFUSAL(BufferIsAssigned,
             "a buffer is set by assign: write mean.assign(0.9f * mean + 0.1f * x) in place of mean = ...");

// A trained tensor of T with shape S; Init says how it starts (see init.hpp).
template <class T, class S = Unshaped, class Init = init::Zeros>
struct Param {
  using dtype = T;
  using shape = S;
  using initializer = Init;
  static constexpr bool trained = true;

  ir::Builder* builder = nullptr;
  int slot = -1;
  bool detached = false;  // no gradient reaches it (frozen)
  int node = -1;          // what it stands for in place of its slot: a variable of grad, or a gradient

  constexpr Expr<T, S> expr() const {
    if (node >= 0) return {ir::Value{builder, node}};
    if (builder == nullptr) return {};
    const ir::Value v{builder, builder->leaf(ir::Op::state, dtype_of<T>, S::value, static_cast<u64>(slot))};
    return {detached ? ir::unary(ir::Op::stop_gradient, v) : v};
  }
  // Refused.
  template <class A>
  constexpr void assign(const A&) const {
    static_assert(sizeof(ParamIsTrained<sizeof(A) == 0, Param, A>) > 0);
  }
};

// Param<f32>.
template <class T, class Init>
struct Param<T, Unshaped, Init> : AfterRefusal {
  static_assert(sizeof(ShapeIsInType<sizeof(T) == 0, T>) > 0);
};

// A tensor that is saved with the model but not trained, such as a running mean. `assign` in a traced
// function sets it at the end of the step.
template <class T, class S = Unshaped, class Init = init::Zeros>
struct Buffer {
  using dtype = T;
  using shape = S;
  using initializer = Init;
  static constexpr bool trained = false;

  ir::Builder* builder = nullptr;
  int slot = -1;

  constexpr Expr<T, S> expr() const {
    if (builder == nullptr) return {};
    return {ir::Value{builder, builder->leaf(ir::Op::state, dtype_of<T>, S::value, static_cast<u64>(slot))}};
  }
  constexpr void assign(const Expr<T, S>& value) const {
    if (value.value.builder != builder)
      throw Error("nn/assign",
                  "a buffer cannot be assigned inside a loop: carry the value and assign it after");
    if (ir::Assign* earlier = assigned())
      earlier->node = value.value.id;
    else
      builder->graph.assigns.push(ir::Assign{slot, value.value.id});
  }
  template <class A>
  constexpr void assign(const A&) const {
    static_assert(sizeof(TypeIsKept<sizeof(A) == 0, Buffer, A>) > 0);
  }
  // Refused.
  template <class A>
  requires ExprLike<A>
  constexpr const Buffer& operator=(const A&) const {
    static_assert(sizeof(BufferIsAssigned<sizeof(A) == 0, Buffer, A>) > 0);
    return *this;
  }
  // What was assigned so far in this trace, else the value from before the step: a module that is called
  // twice continues from its first call.
  constexpr Expr<T, S> latest() const {
    if (const ir::Assign* earlier = assigned()) return {ir::Value{builder, earlier->node}};
    return expr();
  }

 private:
  constexpr ir::Assign* assigned() const {
    for (int k = builder->graph.assigns.size(); k-- > 0;)
      if (builder->graph.assigns[k].slot == slot) return &builder->graph.assigns[k];
    return nullptr;
  }
};

template <class M>
inline constexpr bool is_state = false;
template <class T, class S, class I>
inline constexpr bool is_state<Param<T, S, I>> = true;
template <class T, class S, class I>
inline constexpr bool is_state<Buffer<T, S, I>> = true;

}  // namespace WEFT_NAMESPACE::nn
