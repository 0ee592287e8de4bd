#pragma once
// A tensor that a function of single elements reads by traced integers: bias[h][i - j], or bias[h, i - j].
// Law: a read by all indices is one element, index(bias, h, i - j) of ops/index/index.hpp: negative indices
// count from the end.

#include "weft/ops/index/index.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    CapturedAxesExist,
    "a tensor that a score function reads has fewer axes than indices: bias[h][i - j] reads one of two "
    "axes");
WEFT_REFUSAL(CapturedByIntegers,
             "a tensor that a score function reads is indexed by integers, such as h or i - j");

namespace detail {

template <class A>
inline constexpr bool is_traced_integer = false;
template <class T>
inline constexpr bool is_traced_integer<Expr<T, Shape<>>> = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class A>
inline constexpr bool is_index = is_traced_integer<A> || (std::is_integral_v<A> && !std::is_same_v<A, bool>);

// Several indices as one argument: before C++23 a subscript takes one, and [h, i] means [i].
template <class... I>
struct IndexList {
  std::tuple<I...> index;
};
template <class A>
inline constexpr bool is_index_list = false;
template <class... I>
inline constexpr bool is_index_list<IndexList<I...>> = true;

}  // namespace detail

// h, i - j: of two integers of which one is traced, the list of both, so that bias[h, i - j] reads in C++20
// what it reads in C++23. (g++ and clang warn of it in C++20; bias[h][i - j] says the same.)
template <class A, class B>
requires(detail::is_index<A>&& detail::is_index<B> && (detail::is_traced_integer<A> || detail::is_traced_integer<B>)) constexpr auto operator,(
    const A& a, const B& b) {
  return detail::IndexList<A, B>{{a, b}};
}
template <class... I, class B>
requires detail::is_index<B>
constexpr auto operator,(const detail::IndexList<I...>& list, const B& b) {
  return detail::IndexList<I..., B>{std::tuple_cat(list.index, std::tuple{b})};
}

// X: an Expr. I: the indices into its first axes so far; without any it stands for all of it.
template <class X, class... I>
class CapturedTensor {
 public:
  using dtype = typename X::dtype;

  constexpr explicit CapturedTensor(const X& x, const std::tuple<I...>& read = {}) : x_(x), read_(read) {}

  constexpr auto expr() const {
    if constexpr (sizeof...(I) == 0)
      return x_;
    else
      return std::apply([&](const auto&... i) { return index(x_, i...); }, read_);
  }
  template <class A>
  constexpr auto operator[](const A& a) const {
    if constexpr (detail::is_index_list<A>)
      return std::apply([&](const auto&... i) { return at(i...); }, a.index);
    else
      return at(a);
  }
#ifdef __cpp_multidimensional_subscript
  template <class A, class B, class... More>
  constexpr auto operator[](const A& a, const B& b, const More&... more) const {
    return at(a, b, more...);
  }
#endif

 private:
  // With further indices; the element itself once there is one for each axis.
  template <class... A>
  constexpr auto at(const A&... a) const {
    constexpr bool exist = sizeof...(I) + sizeof...(A) <= static_cast<std::size_t>(X::rank);
    constexpr bool integers = (detail::is_index<A> && ...);
    static_assert(sizeof(CapturedAxesExist<exist, typename X::shape>) > 0);
    static_assert(sizeof(CapturedByIntegers<integers, A...>) > 0);
    if constexpr (!exist || !integers) {
      return AfterRefusal{};
    } else {
      using Next = CapturedTensor<X, I..., A...>;
      const Next next(x_, std::tuple_cat(read_, std::tuple<A...>{a...}));
      if constexpr (sizeof...(I) + sizeof...(A) == static_cast<std::size_t>(X::rank))
        return next.expr();
      else
        return next;
    }
  }

  X x_;
  std::tuple<I...> read_;
};

}  // namespace WEFT_NAMESPACE
