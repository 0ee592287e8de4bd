#pragma once
// Parts of refusals: members and functions that there are not, and numbers in the place of names.

#include <type_traits>

#include "weft/core/diagnose.hpp"

namespace WEFT_NAMESPACE {

// A number or nullptr, of which a null pointer, and so a std::string_view, may be made: where names stand.
template <class A>
concept is_no_name = std::is_arithmetic_v<A> || std::is_null_pointer_v<A>;

// A member that there is not: a value for it is refused. It is empty and stands behind those that there are.
template <template <bool, class...> class Refusal, class... What>
struct RefusedOption {
  constexpr RefusedOption() = default;
  template <class A>
  requires(std::is_arithmetic_v<A> || std::is_enum_v<A> ||
           std::is_array_v<A>) constexpr RefusedOption(const A&) {
    static_assert(sizeof(Refusal<sizeof(A) == 0, What...>) > 0);
  }
};
#define WEFT_REFUSED_OPTION(name, Refusal, ...) \
  [[no_unique_address]] ::weft::RefusedOption<Refusal, ::weft::spelled::name, __VA_ARGS__> name{};

// A function that there is not, of any arguments.
#define WEFT_REFUSED_FUNCTION(name, Refusal)                         \
  template <class... A>                                              \
  auto name(const A&...) {                                           \
    static_assert(sizeof(Refusal<(sizeof...(A) > 1024), A...>) > 0); \
    return AfterRefusal{};                                           \
  }

}  // namespace WEFT_NAMESPACE
