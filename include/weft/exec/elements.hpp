#pragma once
// What a tensor's elements are made of: arrays, braces, numbers of another type.

#include <array>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::exec {

// Whether A is an array of more than one axis, or an std::array, whose elements lie side by side.
template <class A>
inline constexpr bool is_elements = std::rank_v<A> > 1;
template <class T, std::size_t N>
inline constexpr bool is_elements<std::array<T, N>> = true;
template <class A>
struct ElementOf : std::remove_cv<std::remove_all_extents_t<A>> {};
template <class T, std::size_t N>
struct ElementOf<std::array<T, N>> : ElementOf<T> {};
template <class A>
using element_of = typename ElementOf<A>::type;
// Whether a tensor of T is given numbers of a U that it would cut, or words.
template <class U, class T>
inline constexpr bool is_cut =
    (std::is_integral_v<T> && std::is_floating_point_v<U>) || std::is_same_v<U, const char*>;

// A number as an element of T.
template <class T, class U>
constexpr T as_element(const U& x) {
  if constexpr (std::is_arithmetic_v<U> && !std::is_arithmetic_v<T>)
    return T(static_cast<f32>(x));
  else
    return static_cast<T>(x);
}
// Whether several numbers are elements of a tensor of T that is made of no number as it stands: f16, bf16,
// f8.
template <class T, class... Number>
inline constexpr bool are_rounded = !std::is_arithmetic_v<T> && sizeof...(Number) > 1 &&
                                    (std::is_arithmetic_v<Number> && ...);
template <class T, class U>
std::vector<T> as_elements(std::initializer_list<U> values) {
  std::vector<T> elements;
  for (const U& x : values) elements.push_back(as_element<T>(x));
  return elements;
}

}  // namespace WEFT_NAMESPACE::exec
