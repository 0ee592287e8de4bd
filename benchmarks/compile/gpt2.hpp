#pragma once
// GPT-2 as a training graph, written with public operations: token and position embedding, composed causal
// attention, dropout, a head tied to the token embedding. Field names are those of the published checkpoints.

#include <weft/weft.hpp>

namespace gpt2 {

namespace nn = weft::nn;
using namespace weft;

// Attention written out in products and a softmax, or as one operation, whose causal order leaves tiles out.
enum class Attends { composed, at_once };

template <i64 T, i64 C, i64 Heads, Attends How>
struct Attention {
  static constexpr i64 D = C / Heads;
  nn::Linear<C, 3 * C> c_attn;
  nn::Linear<C, C> c_proj;
  nn::Dropout attn_dropout{.p = 0.1f};
  nn::Dropout resid_dropout{.p = 0.1f};

  constexpr auto operator()(auto x) const {  // (B, T, C)
    constexpr i64 B = decltype(x)::shape::dims[0];
    const auto qkv = permute<2, 0, 3, 1, 4>(reshape<B, T, 3, Heads, D>(c_attn(x)));  // (3, B, H, T, D)
    const auto q = select<0, 0>(qkv);                                                // (B, H, T, D)
    const auto k = select<0, 1>(qkv);
    const auto v = select<0, 2>(qkv);
    if constexpr (How == Attends::at_once) {
      const auto mixed =
          scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v, attn_dropout.p);
      return resid_dropout(c_proj(reshape<B, T, C>(permute<0, 2, 1, 3>(mixed))));
    } else {
      const auto scores = matmul(q, permute<0, 1, 3, 2>(k)) * (1.0f / 8.0f);  // (B, H, T, T)
      const auto column = arange<i32, T>();
      const auto row = reshape<T, 1>(column);
      const auto weights = attn_dropout(softmax<-1>(where(column <= row, scores, -1e9f)));
      const auto mixed = reshape<B, T, C>(permute<0, 2, 1, 3>(matmul(weights, v)));
      return resid_dropout(c_proj(mixed));
    }
  }
};

template <i64 C>
struct Mlp {
  nn::Linear<C, 4 * C> c_fc;
  nn::Linear<4 * C, C> c_proj;
  nn::Dropout dropout{.p = 0.1f};
  constexpr auto operator()(auto x) const { return dropout(c_proj(gelu_tanh(c_fc(x)))); }
};

template <i64 T, i64 C, i64 Heads, Attends How>
struct Block {
  nn::LayerNorm<C> ln_1;
  Attention<T, C, Heads, How> attn;
  nn::LayerNorm<C> ln_2;
  Mlp<C> mlp;
  constexpr auto operator()(auto x) const {
    const auto h = x + attn(ln_1(x));
    return h + mlp(ln_2(h));
  }
};

enum class Depth { unrolled, stacked };

template <i64 T, i64 C, i64 Heads, i64 Vocabulary, int Layers, Depth As = Depth::unrolled,
          Attends How = Attends::composed>
struct Gpt2 {
  using Blocks = std::conditional_t<As == Depth::stacked, nn::Stack<Block<T, C, Heads, How>, Layers>,
                                    std::array<Block<T, C, Heads, How>, Layers>>;
  nn::Embedding<Vocabulary, C> wte;
  nn::Embedding<T, C> wpe;
  nn::Dropout drop{.p = 0.1f};
  Blocks h;
  nn::LayerNorm<C> ln_f;
  constexpr auto operator()(auto tokens) const {  // (B, T) -> (B, T, Vocabulary)
    auto x = drop(wte(tokens) + wpe(arange<i32, T>()));
    if constexpr (As == Depth::stacked)
      x = h(x);
    else
      for (const auto& block : h) x = block(x);
    return linear(ln_f(x), wte.weight);
  }
};

struct NextToken {
  constexpr auto operator()(const auto& model, auto tokens, auto targets) const {
    return cross_entropy(model(tokens), targets);
  }
};

}  // namespace gpt2
