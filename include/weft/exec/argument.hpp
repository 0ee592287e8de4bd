#pragma once
// What a program takes for an input: a tensor, a pointer, an array, a number or a container, whose dtype and
// shape are checked while compiling; a container's size is checked when it is given.

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/core/error.hpp"
#include "weft/core/shape.hpp"
#include "weft/device/cpu.hpp"
#include "weft/ops/input.hpp"

namespace weft::exec {

// Checks an argument against the input it is for and returns where its elements start.
template <class A, class I>
concept Container = requires(const A& a) {
  { *a.data() } -> std::convertible_to<typename I::dtype>;
  a.size();
};

template <bool Ok, class Argument, class Input>
struct ArgumentFits {
  static_assert(Ok,
                "an argument of a call has another dtype, shape or kind than the input it is for: give a "
                "tensor, a pointer, an array or a container of the input's dtype");
};

template <class I, class A>
constexpr bool argument_fits() {
  using T = typename I::dtype;
  if constexpr (std::is_array_v<A>)
    return std::is_same_v<std::remove_cv_t<std::remove_all_extents_t<A>>, T> &&
           sizeof(A) == sizeof(T) * static_cast<std::size_t>(I::shape::size);
  else if constexpr (std::is_pointer_v<A>)
    return std::is_same_v<std::remove_cv_t<std::remove_pointer_t<A>>, T>;
  else if constexpr (TensorLike<A>)
    return std::is_same_v<typename A::dtype, T> && std::is_same_v<typename A::shape, typename I::shape>;
  else if constexpr (std::is_arithmetic_v<A>)
    return I::shape::size == 1 && std::is_same_v<A, T>;
  else if constexpr (Container<A, I>)
    return std::is_same_v<std::remove_cvref_t<decltype(*std::declval<const A&>().data())>, T>;
  else
    return false;
}

template <bool Ok, class Argument, class Device>
struct ArgumentReachable {
  static_assert(Ok, "an argument of a call lies on another device than the program: copy it first");
};

// True if a program of `Device` can read an argument A: it lies in the host's memory or on the same device.
template <class Device, class A>
constexpr bool argument_reachable() {
  if constexpr (requires { typename A::device_type; })
    return std::is_same_v<typename A::device_type, Device> || std::is_same_v<typename A::device_type, Cpu>;
  else
    return true;
}

// Where the elements of `a` start, for input `number` of kind I = Input<T, Shape>.
template <class I, class A>
const void* argument(const A& a, int number) {
  constexpr bool fits = argument_fits<I, A>();
  static_assert(sizeof(ArgumentFits<fits, A, I>) > 0);
  if constexpr (!fits) {
    return nullptr;
  } else if constexpr (std::is_array_v<A> || std::is_pointer_v<A>) {
    return a;
  } else if constexpr (TensorLike<A>) {
    return a.data();
  } else if constexpr (std::is_arithmetic_v<A>) {
    return &a;
  } else {
    if (static_cast<i64>(a.size()) != I::shape::size)
      throw Error("call/size", "input " + std::to_string(number) + " takes " +
                                   std::to_string(I::shape::size) + " elements, " +
                                   to_text(I::shape::value).c_str() + ", and was given " +
                                   std::to_string(a.size()));
    return a.data();
  }
}

}  // namespace weft::exec
