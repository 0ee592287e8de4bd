#pragma once
// Arguments with PyTorch's names for calls with many optional ones: attn(q, k, v, key_padding_mask(padding),
// is_causal). Law: they come after the operands in any order, each at most once, and a layer refuses those
// that it does not know.

#include "weft/nn/container.hpp"

namespace WEFT_NAMESPACE::nn {

enum class Keyword : u8 {
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

WEFT_REFUSAL(
    WordIsNamed,
    "is_causal, need_weights and their like are named alone, and left out where they do not hold: write "
    "attn(q, k, v, nn::is_causal, nn::need_weights)");

// A: a tensor's handle, a std::bool_constant, or Absent for an argument that is passed on and was not given.
template <Keyword Name, class A>
struct Named {
  A value{};

  template <class B>
  constexpr auto operator()(const B&) const {
    static_assert(sizeof(WordIsNamed<sizeof(B) == 0, A, B>) > 0);
    return AfterRefusal{};
  }
};

// Masks, of boolean or floating dtype. Booleans are true where NOT to attend, the opposite of
// scaled_dot_product_attention's, both as in PyTorch; numbers are added to the scores.
template <class M>
constexpr Named<Keyword::attn_mask, M> attn_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Keyword::key_padding_mask, M> key_padding_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Keyword::src_mask, M> src_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Keyword::src_key_padding_mask, M> src_key_padding_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Keyword::tgt_mask, M> tgt_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Keyword::tgt_key_padding_mask, M> tgt_key_padding_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Keyword::memory_mask, M> memory_mask(const M& mask) {
  return {mask};
}
template <class M>
constexpr Named<Keyword::memory_key_padding_mask, M> memory_key_padding_mask(const M& mask) {
  return {mask};
}

// Query i attends to the keys 0 to i; no mask need be given with it, and one that is given holds as well.
inline constexpr Named<Keyword::is_causal, std::true_type> is_causal{};
inline constexpr Named<Keyword::src_is_causal, std::true_type> src_is_causal{};
inline constexpr Named<Keyword::tgt_is_causal, std::true_type> tgt_is_causal{};
inline constexpr Named<Keyword::memory_is_causal, std::true_type> memory_is_causal{};
// The result is a tuple of the output and the weights, averaged over the heads unless told otherwise.
inline constexpr Named<Keyword::need_weights, std::true_type> need_weights{};
template <bool Average>
inline constexpr Named<Keyword::average_attn_weights, std::bool_constant<Average>> average_attn_weights{};

WEFT_REFUSAL(
    WordsFit,
    "after its operands a layer takes only named arguments that it knows, each once: a mask says which it "
    "is, attn(q, k, v, attn_mask(m), key_padding_mask(p), is_causal)");

namespace module_detail {

template <Keyword Name, class A>
inline constexpr bool is_keyword = false;
template <Keyword Name, class A>
inline constexpr bool is_keyword<Name, Named<Name, A>> = true;

// Whether every one of A is one of the keywords `Known`, and none comes twice.
template <Keyword... Known>
struct Keywords {
  template <Keyword Name, class... A>
  static constexpr int times = ((is_keyword<Name, A> ? 1 : 0) + ... + 0);
  template <class... A>
  static constexpr bool fit = ((times<Known, A...> <= 1) && ... && true) &&
                              (times<Known, A...> + ... + 0) == sizeof...(A);
};

// The value of the keyword Name among the arguments, or Absent.
template <Keyword Name>
constexpr Absent keyword() {
  return {};
}
template <Keyword Name, class First, class... Rest>
constexpr auto keyword(const First& first, const Rest&... rest) {
  if constexpr (is_keyword<Name, First>)
    return first.value;
  else
    return keyword<Name>(rest...);
}
template <Keyword Name, class... A>
constexpr bool flag(bool otherwise) {
  using Value = decltype(keyword<Name>(std::declval<const A&>()...));
  if constexpr (std::is_same_v<Value, Absent>)
    return otherwise;
  else
    return Value::value;
}
template <class A>
inline constexpr bool is_given = !std::is_same_v<std::remove_cvref_t<A>, Absent>;

}  // namespace module_detail

}  // namespace WEFT_NAMESPACE::nn

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    KeywordIsOfLayer,
    "nn::is_causal, nn::attn_mask(m) and their like are arguments of the layer nn::MultiheadAttention: of "
    "the function write scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v), and a "
    "mask behind v, scaled_dot_product_attention(q, k, v, mask), true where to attend");
template <class Q, class K, class V, nn::Keyword Name, class M, class... A>
constexpr auto scaled_dot_product_attention(const Q& q, const K&, const V&, const nn::Named<Name, M>&,
                                            const A&...) {
  static_assert(sizeof(KeywordIsOfLayer<(sizeof...(A) > 1024), Q, nn::Named<Name, M>>) > 0);
  return detail::first_expr(q);
}

}  // namespace WEFT_NAMESPACE
