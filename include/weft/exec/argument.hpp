#pragma once
// What a program takes for an input, and what it writes a result to: a tensor, a pointer, an array, a number
// or a container, whose dtype and shape are checked while compiling; a container's size and shape are checked
// when it is given.

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/core/error.hpp"
#include "weft/core/shape.hpp"
#include "weft/device/cpu.hpp"
#include "weft/ops/core/input.hpp"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE {

// Which input or result a message is about, counted from 0.
template <int Number>
struct InputNumber {};
template <int Number>
struct ResultNumber {};

namespace exec {

// An argument as a program is given it: where its elements start, and what is known of them.
struct Given {
  const void* data = nullptr;
  const Storage* memory = nullptr;  // of a GPU's tensor, which owns it
  bool on_host = false;             // they may be read
  i64 valid_rows = -1;              // the rows behind these are padding; -1: there are none
  bool padded_somewhere = false;    // its loader pads a batch of the epoch, this one or another
  bool padded_labels = false;       // and takes these elements for labels
};

// A container of elements of type T, such as std::vector, std::span or a loader's array.
template <class A, class T>
concept Container = requires(const A& a) {
  { *a.data() } -> std::convertible_to<T>;
  a.size();
};
// One element, of a dtype or another type of C++.
template <class A>
concept Number = std::is_arithmetic_v<A> || weft::Element<A>;
// A loader's array, some of whose rows may be padding.
template <class A>
concept Padded = requires(const A& a) {
  { a.valid_rows() } -> std::convertible_to<i64>;
  { a.is_padded_somewhere() } -> std::convertible_to<bool>;
  { a.has_padded_labels() } -> std::convertible_to<bool>;
};
// One that knows its shape.
template <class A>
concept Shaped = requires(const A& a) {
  { a.shape().size() } -> std::convertible_to<std::size_t>;
  { a.shape()[0] } -> std::convertible_to<i64>;
};

template <class A>
constexpr Dims array_dims() {
  Dims d;
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    ((d.extent[K] = static_cast<i64>(std::extent_v<A, static_cast<unsigned>(K)>)), ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(std::rank_v<A>)>{});
  d.rank = static_cast<int>(std::rank_v<A>);
  return d;
}

// Whether elements of one shape may be read as those of another: axes of one are runs of neighbouring axes of
// the other. So (64) is (1, 8, 8), and (8, 8, 3) is not (3, 8, 8), although both hold as many.
constexpr bool regroups(const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return false;
  if (a.size() == 0) return true;
  int i = 0, j = 0;
  while (i < a.rank || j < b.rank) {
    // one run on each side with equal products, of which one is a single axis
    i64 x = 1, y = 1;
    int from_a = 0, from_b = 0;
    do {
      if (x <= y && i < a.rank)
        from_a += a.extent[i] > 1, x *= a.extent[i++];
      else if (j < b.rank)
        from_b += b.extent[j] > 1, y *= b.extent[j++];
      else
        from_a += a.extent[i] > 1, x *= a.extent[i++];
    } while (x != y);
    if (from_a > 1 && from_b > 1) return false;
  }
  return true;
}

WEFT_REFUSAL(
    ArgumentFits,
    "an argument of a call has another dtype, shape or kind than the input it is for: give a "
    "tensor, a pointer, an array or a container of the input's dtype, for in<f32> or in<i64> a number "
    "of its type, 0.5f or i64{3} (std::vector<bool> keeps bits "
    "and no elements: std::array<bool, N>, or a Tensor<bool, Shape<N>> made of it)");
WEFT_REFUSAL(ArgumentReachable,
             "an argument of a call lies on another device than the program: copy it first");
WEFT_REFUSAL(TargetFits,
             "into: a result is written to a tensor, a view, an array, a container or a pointer of its "
             "own dtype and shape that can be written");

// How many arguments a call takes: GivenSize<n>, WantedSize<n>.
WEFT_REFUSAL(ArgumentCount,
             "a call or step takes one argument for each in<...> of compile or make_trainer: give as many, "
             "in that order; a batch is taken apart, for (auto& [x, y] : loader) trainer.step(x, y)");
WEFT_REFUSAL(TargetCount,
             "into: it takes one target a result, and the call behind it the arguments: f.into(y)(x)");
WEFT_REFUSAL(
    ArgumentIsTensor,
    "an expression of tensors runs when it is assigned to a tensor: write Tensor<f32, Shape<8>> z = x * "
    "2, then f(z)");

WEFT_REFUSAL(CallIsOutside,
             "a compiled function is called with numbers, outside of traced functions: inside call "
             "the lambda that it was made of, const auto square = [](auto x) { return x * x; }");
WEFT_REFUSAL(TargetLives, "into: a target is gone before the call could write to it: give it a name");

template <class I, class A>
constexpr bool argument_fits() {
  using T = typename I::dtype;
  if constexpr (is_lazy<A>) {
    return false;
  } else if constexpr (std::is_array_v<A>) {
    if constexpr (std::is_same_v<std::remove_cv_t<std::remove_all_extents_t<A>>, T> &&
                  std::rank_v<A> <= max_rank)
      return regroups(array_dims<A>(), I::shape::value);
    else
      return false;
  } else if constexpr (std::is_pointer_v<A>)
    return std::is_same_v<std::remove_cv_t<std::remove_pointer_t<A>>, T>;
  else if constexpr (TensorLike<A>)
    return std::is_same_v<typename A::dtype, T> && std::is_same_v<typename A::shape, typename I::shape>;
  else if constexpr (Number<A>)
    return I::shape::size == 1 && std::is_same_v<A, T>;
  else if constexpr (Container<A, T>)
    return std::is_same_v<std::remove_cvref_t<decltype(*std::declval<const A&>().data())>, T>;
  else
    return false;
}

// True if a program of `Device` can read an argument A: it lies in the host's memory or on the same device.
template <class Device, class A>
constexpr bool argument_reachable() {
  if constexpr (requires { typename A::device_type; })
    return std::is_same_v<typename A::device_type, Device> || std::is_same_v<typename A::device_type, Cpu>;
  else
    return true;
}

// True if the host may read an argument A; a pointer may be one of a GPU's.
template <class Device, class A>
constexpr bool on_host() {
  if constexpr (requires { typename A::device_type; })
    return std::is_same_v<typename A::device_type, Cpu>;
  else
    return std::is_same_v<tensor_device<Device>, Cpu> || !std::is_pointer_v<A>;
}

[[noreturn]] inline void throw_argument_size(const char* what, int number, const Dims& wanted, i64 given) {
  throw Error("call/size", std::string(what) + " " + std::to_string(number) + " takes " +
                               std::to_string(wanted.size()) + " elements, " + to_text(wanted).c_str() +
                               ", and was given " + std::to_string(given));
}
[[noreturn]] inline void throw_argument_null(const char* what, int number) {
  throw Error("call/null", std::string(what) + " " + std::to_string(number) +
                               " was given a null pointer, or a tensor that was moved from");
}
template <class Given>
void check_shape(const Given& given, int number, const Dims& wanted) {
  Dims d;
  d.rank = static_cast<int>(given.size());
  if (d.rank <= max_rank)
    for (int k = 0; k < d.rank; ++k) d.extent[k] = given[static_cast<std::size_t>(k)];
  if (d.rank > max_rank || !regroups(d, wanted))
    throw Error("call/shape", "input " + std::to_string(number) + " takes elements of shape " +
                                  to_text(wanted).c_str() + ", and was given an array of shape " +
                                  (d.rank > max_rank ? "more axes" : to_text(d).c_str()) +
                                  ": permute it, or flatten it if the order is right");
}

// The rows of an input of these extents that a loader's padded array has samples for, where the input counts
// rows of its own: (4, 8) given for (32).
template <Dims D, class A>
i64 valid_rows_of(const A& a, int number) {
  const i64 rows = D.rank > 0 ? D.extent[0] : 1, given = a.shape()[0];
  if (rows % given != 0)
    throw Error("call/shape", "input " + std::to_string(number) + " takes elements of shape " +
                                  to_text(D).c_str() + ", and was given a padded batch of " +
                                  std::to_string(given) +
                                  " rows, which are no rows of that: give it the batch's own shape");
  return a.valid_rows() * (rows / given);
}

// `a` as input K of kind I = Input<T, Shape> of a program on Device.
template <class I, int K, class Device, class A>
Given argument(const A& a) {
  static_assert(sizeof(ArgumentIsTensor<!is_lazy<A>, InputNumber<K>, A, I>) > 0);
  constexpr bool fits = argument_fits<I, A>();
  static_assert(sizeof(ArgumentFits<fits, InputNumber<K>, A, I>) > 0);
  constexpr bool reachable = argument_reachable<Device, A>();
  static_assert(sizeof(ArgumentReachable<reachable, InputNumber<K>, A, Device>) > 0);
  Given given;
  if constexpr (fits && reachable) {
    given.on_host = on_host<Device, A>();
    if constexpr (std::is_array_v<A> || std::is_pointer_v<A>) {
      given.data = a;
    } else if constexpr (Number<A>) {
      given.data = &a;
    } else {
      if constexpr (!TensorLike<A>) {
        if (static_cast<i64>(a.size()) != I::shape::size)
          throw_argument_size("input", K, I::shape::value, static_cast<i64>(a.size()));
        if constexpr (Shaped<A>) check_shape(a.shape(), K, I::shape::value);
      }
      if constexpr (Padded<A>) {
        if (a.valid_rows() < a.shape()[0]) given.valid_rows = valid_rows_of<I::shape::value>(a, K);
        given.padded_somewhere = a.is_padded_somewhere();
        given.padded_labels = a.has_padded_labels();
      }
      given.data = a.data();
      if constexpr (requires { a.storage(); }) given.memory = a.storage();
    }
    if (given.data == nullptr && I::shape::size > 0) [[unlikely]]
      throw_argument_null("input", K);
  }
  return given;
}

// What result K, of dtype and shape E, is written to: the caller's memory.
template <class E, class A>
constexpr bool target_fits() {
  using T = typename E::dtype;
  if constexpr (std::is_array_v<A>)
    return !std::is_const_v<std::remove_all_extents_t<A>> && argument_fits<E, A>();
  else if constexpr (std::is_pointer_v<A>)
    return std::is_same_v<std::remove_pointer_t<A>, T>;
  else if constexpr (Number<std::remove_const_t<A>>)
    return !std::is_const_v<A> && E::shape::size == 1 && std::is_same_v<A, T>;
  else if constexpr (requires(A & target) { target.data(); })
    return argument_fits<E, std::remove_cv_t<A>>() &&
           std::is_same_v<std::remove_reference_t<decltype(*std::declval<A&>().data())>, T>;
  else
    return false;
}
template <class E, int K, class A>
auto* target(A& a) {
  constexpr bool fits = target_fits<E, A>();
  static_assert(sizeof(TargetFits<fits, ResultNumber<K>, A, E>) > 0);
  using T = typename E::dtype;
  T* at = nullptr;
  if constexpr (!fits) {
    return at;
  } else {
    if constexpr (std::is_array_v<A>) {
      at = reinterpret_cast<T*>(a);
    } else if constexpr (std::is_pointer_v<A>) {
      at = a;
    } else if constexpr (Number<A>) {
      at = &a;
    } else {
      if constexpr (!TensorLike<A>)
        if (static_cast<i64>(a.size()) != E::shape::size)
          throw_argument_size("result", K, E::shape::value, static_cast<i64>(a.size()));
      at = a.data();
    }
    if (at == nullptr && E::shape::size > 0) [[unlikely]]
      throw_argument_null("result", K);
    return at;
  }
}

// Where results are written to. Throws "call/targets" where two meet.
struct TargetMemory {
  const void* data = nullptr;
  i64 bytes = 0;
};
inline void check_apart(const TargetMemory* targets, int count) {
  const auto begin = [&](int k) { return reinterpret_cast<std::uintptr_t>(targets[k].data); };
  const auto end = [&](int k) { return begin(k) + static_cast<std::uintptr_t>(targets[k].bytes); };
  for (int k = 1; k < count; ++k)
    for (int j = 0; j < k; ++j)
      if (begin(j) < end(k) && begin(k) < end(j))
        throw Error("call/targets", "into: results " + std::to_string(j) + " and " + std::to_string(k) +
                                        " were given the same memory: each takes a tensor of its own");
}

// What into() keeps of a target: a tensor's memory, which it keeps alive, or the caller's object.
template <class Out>
decltype(auto) kept_target(std::remove_reference_t<Out>& out) {
  using Target = std::remove_cvref_t<Out>;
  if constexpr (TensorLike<Target>) {
    return out.view();
  } else if constexpr (std::is_pointer_v<Target>) {
    return Target(out);
  } else {
    static_assert(sizeof(TargetLives<std::is_lvalue_reference_v<Out>, Target>) > 0);
    return (out);
  }
}

}  // namespace exec
}  // namespace WEFT_NAMESPACE
