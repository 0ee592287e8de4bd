#pragma once
// A small GPT: pre-norm Transformer blocks in an nn::Stack, RMS norms, rotary embedding, and a head that is
// tied to the token embedding. It is called in two ways: on whole texts to train, and on one token after
// another with a cache of keys and values. Law: both give the same logits, up to rounding.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>
#include <weft/weft.hpp>

namespace gpt {

namespace nn = weft::nn;
using namespace weft;

struct Sizes {
  i64 vocabulary = 256;  // bytes
  i64 context = 128;     // tokens that the model sees
  i64 width = 128;       // features of a token
  i64 heads = 4;         // of attention, which share the width
  int layers = 4;
};

// [cache]
// What a token may know of those before it: the keys and values of every layer, of one text.
template <Sizes S>
struct Cache {
  nn::Buffer<f32, Shape<S.layers, 1, S.heads, S.context, S.width / S.heads>> keys, values;
};
// [/cache]

// [block]
template <Sizes S>
struct Block {
  nn::RMSNorm<S.width> norm_1, norm_2;
  nn::Linear<S.width, 3 * S.width> attn_in;
  nn::Linear<S.width, S.width> attn_out;
  nn::Linear<S.width, 4 * S.width> mlp_in;
  nn::Linear<4 * S.width, S.width> mlp_out;
  nn::Dropout drop{.p = 0.1f};

  // A whole text (N, context, width): each position attends to those before it.
  constexpr auto operator()(auto x) const {
    const auto [q, k, v] = query_key_value(x, arange<i32, S.context>());
    return finish(x, scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v));
  }
  // One token (1, 1, width), and the cache of this layer: the token's key and value are written into it.
  constexpr auto operator()(auto x, auto keys, auto values, auto position) const {
    const auto [q, k, v] = query_key_value(x, reshape<1>(position));
    const auto all_keys = dynamic_update_slice<2>(keys, k, position),
               all_values = dynamic_update_slice<2>(values, v, position);
    const auto seen = arange<i32, S.context>() <= position;
    const auto y = finish(x, scaled_dot_product_attention(q, all_keys, all_values, seen));
    return std::pair{y, std::tuple{all_keys, all_values}};
  }

 private:
  // Three of (N, heads, L, width / heads); query and key turned by their positions (L).
  constexpr auto query_key_value(auto x, auto positions) const {
    constexpr auto shape = decltype(x)::shape::dims;
    const auto all = reshape<shape[0], shape[1], 3, S.heads, S.width / S.heads>(attn_in(norm_1(x)));
    const auto [q, k, v] = unbind<0>(permute<2, 0, 3, 1, 4>(all));
    return std::tuple{rotary_embedding(q, positions), rotary_embedding(k, positions), v};
  }
  constexpr auto finish(auto x, auto heads) const {
    const auto y = x + drop(attn_out(flatten<2>(transpose<1, 2>(heads))));
    return y + drop(mlp_out(gelu(mlp_in(norm_2(y)))));
  }
};
// [/block]

// [model]
template <Sizes S>
struct Gpt {
  nn::Param<f32, Shape<S.vocabulary, S.width>, nn::init::Normal<1, 50>> tokens;  // deviation 1/50
  nn::Dropout drop{.p = 0.1f};
  nn::Stack<Block<S>, S.layers> h;
  nn::RMSNorm<S.width> norm;

  // Logits of the token behind each: (N, context) -> (N, context, vocabulary).
  constexpr auto operator()(auto text) const {
    return linear(norm(h(drop(nn::functional::embedding(text, tokens)))), tokens);
  }
  // The same of one token, behind those in the cache; token and position are integers: () -> (vocabulary).
  constexpr auto operator()(auto token, auto position, const Cache<S>& cache) const {
    const auto x = reshape<1, 1, S.width>(nn::functional::embedding(token, tokens));
    const auto [y, filled] = h(x, nn::each(cache.keys), nn::each(cache.values), position);
    const auto [keys, values] = filled;
    cache.keys.assign(keys);  // a row of each layer, written where it lies
    cache.values.assign(values);
    return linear(norm(reshape<S.width>(y)), tokens);
  }
};
// [/model]

// How a token is chosen among all.
struct Sampling {
  f64 temperature = 0.8;  // logits are divided by it; 0 takes the likeliest token
  i64 top_k = 0;          // of the k likeliest tokens; 0: of all
  f64 top_p = 1;          // of the likeliest of these, as few as have this part of their probability
};

// A token, drawn with the probabilities that its logits and the sampling give. The same state of the
// generator gives the same token. Throws "gpt/logits" where one is not finite.
inline i32 draw(const std::vector<f32>& logits, const Sampling& sampling, std::mt19937_64& random) {
  for (const f32 x : logits)
    if (!std::isfinite(x)) throw Error("gpt/logits", "a logit is not finite: training went astray");
  std::vector<i32> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto logit = [&](i32 token) { return static_cast<f64>(logits[static_cast<std::size_t>(token)]); };
  std::stable_sort(order.begin(), order.end(), [&](i32 a, i32 b) { return logit(a) > logit(b); });
  if (sampling.temperature == 0) return order[0];
  if (sampling.top_k > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(sampling.top_k)));
  std::vector<f64> sums;  // of exp(logit / temperature), from the likeliest on
  for (const i32 token : order)
    sums.push_back((sums.empty() ? 0 : sums.back()) +
                   std::exp((logit(token) - logit(order[0])) / sampling.temperature));
  if (sampling.top_p < 1)
    sums.erase(std::lower_bound(sums.begin(), sums.end(), sampling.top_p * sums.back()) + 1, sums.end());
  const f64 uniform = static_cast<f64>(random() >> 11) * 0x1p-53;  // [0, 1)
  const auto drawn = std::upper_bound(sums.begin(), sums.end(), uniform * sums.back());
  return order[static_cast<std::size_t>(drawn - sums.begin())];
}

// A text that grows by one token after another. `Next` is what compile makes of the model and its cache: the
// logits of what follows a token at a position.
template <Sizes S, class Next>
class Reader {
 public:
  explicit Reader(Next next) : next_(std::move(next)) {}

  // The logits behind the text with this token. Where the context is full, its second half is read again
  // from position 0 on, with room for as many tokens as that.
  std::vector<f32> read(i32 token) {
    text_.push_back(token);
    if (static_cast<i64>(text_.size()) <= S.context) return logits_of_last();
    const std::vector<i32> kept(text_.end() - (S.context + 1) / 2, text_.end());
    text_.clear();
    std::vector<f32> logits;
    for (const i32 again : kept) {
      text_.push_back(again);
      logits = logits_of_last();
    }
    return logits;
  }

 private:
  std::vector<f32> logits_of_last() {
    return next_(text_.back(), static_cast<i32>(text_.size()) - 1).to_vector();
  }

  Next next_;
  std::vector<i32> text_;  // what the cache holds
};

}  // namespace gpt
