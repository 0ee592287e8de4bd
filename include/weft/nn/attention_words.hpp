#pragma once
// Arguments with PyTorch's names for calls with many optional ones: attn(q, k, v, key_padding_mask(padding),
// is_causal). Law: they come after the operands in any order, each at most once, and a layer refuses those
// that it does not know.

#include "weft/nn/container.hpp"

namespace WEFT_NAMESPACE::nn {

enum class Word : u8 {
  attn_mask,
  key_padding_mask,
  is_causal,
  need_weights,
  average_attn_weights,
  src_mask,
  src_key_padding_mask,
  src_is_causal,
  tgt_mask,
  tgt_key_padding_mask,
  tgt_is_causal,
  memory_mask,
  memory_key_padding_mask,
  memory_is_causal
};

// A: a tensor's handle, a std::bool_constant, or Absent for an argument that is passed on and was not given.
template <Word Name, class A>
struct Named {
  A value{};
};

// Masks, of boolean or floating dtype. Booleans are true where NOT to attend, the opposite of
// scaled_dot_product_attention's, both as in PyTorch; numbers are added to the scores.
template <class M>
constexpr Named<Word::attn_mask, M> attn_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Word::key_padding_mask, M> key_padding_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Word::src_mask, M> src_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Word::src_key_padding_mask, M> src_key_padding_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Word::tgt_mask, M> tgt_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Word::tgt_key_padding_mask, M> tgt_key_padding_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Word::memory_mask, M> memory_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Word::memory_key_padding_mask, M> memory_key_padding_mask(const M& mask) {
  return {mask};
}

// Query i attends to the keys 0 to i; no mask need be given with it, and one that is given holds as well.
inline constexpr Named<Word::is_causal, std::true_type> is_causal{};
inline constexpr Named<Word::src_is_causal, std::true_type> src_is_causal{};
inline constexpr Named<Word::tgt_is_causal, std::true_type> tgt_is_causal{};
inline constexpr Named<Word::memory_is_causal, std::true_type> memory_is_causal{};
// The result is a tuple of the output and the weights, averaged over the heads unless told otherwise.
inline constexpr Named<Word::need_weights, std::true_type> need_weights{};
template <bool Average>
inline constexpr Named<Word::average_attn_weights, std::bool_constant<Average>> average_attn_weights{};

WEFT_REFUSAL(WordsFit,
             "after its operands a layer takes only named arguments that it knows, such as attn_mask(m) or "
             "is_causal, each once");

namespace module_detail {

template <Word Name, class A>
inline constexpr bool is_word = false;
template <Word Name, class A>
inline constexpr bool is_word<Name, Named<Name, A>> = true;

// Whether every one of A is one of the words `Known`, and none comes twice.
template <Word... Known>
struct Words {
  template <Word Name, class... A>
  static constexpr int times = ((is_word<Name, A> ? 1 : 0) + ... + 0);
  template <class... A>
  static constexpr bool fit = ((times<Known, A...> <= 1) && ... && true) &&
                              (times<Known, A...> + ... + 0) == sizeof...(A);
};

// The value of the word Name among the arguments, or Absent.
template <Word Name>
constexpr Absent word() {
  return {};
}
template <Word Name, class First, class... Rest>
constexpr auto word(const First& first, const Rest&... rest) {
  if constexpr (is_word<Name, First>)
    return first.value;
  else
    return word<Name>(rest...);
}
template <Word Name, class... A>
constexpr bool flag(bool otherwise) {
  using Value = decltype(word<Name>(std::declval<const A&>()...));
  if constexpr (std::is_same_v<Value, Absent>)
    return otherwise;
  else
    return Value::value;
}
template <class A>
inline constexpr bool is_given = !std::is_same_v<std::remove_cvref_t<A>, Absent>;

}  // namespace module_detail

}  // namespace WEFT_NAMESPACE::nn
