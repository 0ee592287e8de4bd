#pragma once
// probe<"name">(x): x itself, which a program that was asked for the probe also keeps, to be read after a
// run. Law: where nobody asked, the graph is what it would be without the mark. PyTorch has forward hooks for
// this.

#include "weft/core/fixed_string.hpp"
#include "weft/core/option.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

// Marks an expression or a parameter; the same name may come again, in the blocks of an array say. In the
// bodies of loops and of vmap it marks nothing, as no one value is there.
template <FixedString Name, class A>
constexpr auto probe(const A& a) {
  if constexpr (ExprLike<A>)
    if (const ir::Builder* b = detail::builder_of(a); b->probes != nullptr)
      b->probes->push({Name.view(), to_expr(a).value.id});
  return a;
}

WEFT_REFUSAL(
    ProbeNameIsTemplateArgument,
    "a probe's name is a template argument: write probe<\"hidden\">(x) in place of probe(\"hidden\", x)");
template <class Name, class A>
constexpr auto probe(const Name&, const A& a) {
  static_assert(sizeof(ProbeNameIsTemplateArgument<sizeof(A) == 0, A>) > 0);
  return a;
}

template <class A>
requires(!std::is_convertible_v<A, const char*>) constexpr auto probe(const A& a) {
  static_assert(sizeof(ProbeNameIsTemplateArgument<sizeof(A) == 0, A>) > 0);
  return a;
}

// Which probes a program keeps: an option of compile and of make_trainer.
template <FixedString... Names>
struct ProbeNames {
  using weft_probes = void;
  static constexpr OptionKind option = OptionKind::probes;
  static constexpr int count = sizeof...(Names);
  // Which of the names it is, -1: none.
  static constexpr int find(std::string_view name) {
    int k = 0, found = -1;
    ((found = Names.view() == name ? k : found, ++k), ...);
    return found;
  }
  // To::call<Names...>(): nvcc does not deduce a pack of strings.
  template <class To>
  static constexpr auto pass_to() {
    return To::template call<Names...>();
  }
};
template <FixedString... Names>
inline constexpr ProbeNames<Names...> probes{};

template <class T>
concept IsProbeNames = requires {
  typename T::weft_probes;
};

}  // namespace WEFT_NAMESPACE
