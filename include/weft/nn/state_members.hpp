#pragma once
// What a tensor of PyTorch's has as members, and a parameter or buffer in a model has not: refused.

#include "weft/core/tensor_methods.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::nn {

WEFT_REFUSAL(StateIsSet,
             "a parameter changes by training, and a buffer by assign: write seen.assign(x) in place of "
             "seen.copy_(x), and seen.assign(0 * seen) in place of seen.zero_()");

WEFT_REFUSAL(
    ParameterIsFrozen,
    "a parameter is trained unless it is frozen, by its type or by the optimiser: nn::Frozen<nn::Linear<8, "
    "4>> fc, or optim::groups(optim::frozen([](auto name, auto&) { return name == \"fc.bias\"; }), "
    "optim::AdamW{}); what is no parameter is an nn::Buffer");

// Of no template, as all parameters have the same.
struct StateMembers {
  template <class I>
  constexpr auto operator[](const I&) const {
    static_assert(sizeof(SubscriptIsSpelled<sizeof(I) == 0, I>) > 0);
    return AfterRefusal{};
  }
#define WEFT_METHOD(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, MethodIsFunction, spelled::name)
#define WEFT_INPLACE(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, StateIsSet, spelled::name)
  WEFT_TENSOR_METHODS(WEFT_METHOD)
  WEFT_INPLACE_METHODS(WEFT_INPLACE)
#undef WEFT_METHOD
#undef WEFT_INPLACE
  static constexpr RefusedAttribute<ParameterIsFrozen, spelled::requires_grad> requires_grad{};
  static constexpr RefusedAttribute<ShapeIsKnown, spelled::ndim> ndim{};
  WEFT_REFUSED_MEMBER(requires_grad_, AfterRefusal{}, ParameterIsFrozen, spelled::requires_grad_)
  WEFT_REFUSED_MEMBER(detach, AfterRefusal{}, DetachIsFunction, spelled::detach)
  WEFT_REFUSED_MEMBER(item, AfterRefusal{}, ValueIsTraced, spelled::item)
};

// The base of a parameter and a buffer.
template <class Self>
struct TensorMembers : StateMembers {
  static constexpr TransposedMember T{}, mT{};
  static constexpr GradientMember grad{};
};

}  // namespace WEFT_NAMESPACE::nn
