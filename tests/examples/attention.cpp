// The code of docs/attention.md stands between its marks and is compared with the page.

#include <doctest/doctest.h>

#include <cmath>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

namespace {

// [layer]
struct Block {
  nn::MultiheadAttention<32, 4, nn::MultiheadOptions{.batch_first = true}> attn{.dropout = 0.1f};
  constexpr auto operator()(auto x, auto padding) const {  // (N, L, 32), and true where (N, L) is padding
    return x + attn(x, x, x, nn::key_padding_mask(padding), nn::is_causal);
  }
};
// [/layer]

// [cache]
struct Cached {
  nn::Buffer<f32, Shape<4, 64, 8>> keys{}, values{};                        // (heads, positions, features)
  constexpr auto operator()(auto q, auto k, auto v, auto position) const {  // (4, 1, 8) of one token
    const auto all_keys = dynamic_update_slice<1>(keys, k, position),
               all_values = dynamic_update_slice<1>(values, v, position);
    keys.assign(all_keys);
    values.assign(all_values);
    return scaled_dot_product_attention(q, all_keys, all_values, arange<i32, 64>() <= position);
  }
};
// [/cache]

// [scores]
// score(s, b, h, i, j, tensors...): what becomes of s, the score of query i and key j in head h of batch b
constexpr auto alibi = [](auto s, auto, auto h, auto i, auto j, auto slope) {
  return s + slope[h] * (j - i);
};
constexpr auto soft_cap = [](auto s, auto, auto, auto, auto) { return 30 * tanh(s / 30); };
constexpr auto gate = [](auto s, auto, auto h, auto, auto, auto gates) { return s * tanh(gates[h]); };
constexpr auto relative = [](auto s, auto, auto h, auto i, auto j, auto bias) {
  return s + bias[h][i - j + 63];
};

// mask(b, h, i, j, tensors...): whether query i attends to key j
constexpr auto causal = [](auto, auto, auto i, auto j) { return j <= i; };
constexpr auto window = [](auto, auto, auto i, auto j) { return (j <= i) & (i - j < 16); };
constexpr auto prefix = [](auto b, auto, auto i, auto j, auto length) { return (j < length[b]) | (j <= i); };
constexpr auto documents = [](auto b, auto, auto i, auto j, auto doc) {
  return (doc[b][i] == doc[b][j]) & (j <= i);
};
// [/scores]

// [t5]
struct Relative {  // T5's: a learned number for each head and bucket of distances
  nn::Param<f32, Shape<32, 4>, nn::init::Normal<1, 10>> bias;
  constexpr auto operator()(auto q, auto k, auto v) const {
    return attention(
        q, k, v,
        [](auto s, auto, auto h, auto i, auto j, auto learned) {
          const auto far = abs(j - i), large = 8 + cast<i32>(log(far / 8) * 8 / 2.7725887);  // log(128 / 8)
          return s + learned[16 * cast<i32>(j > i) + where(far < 8, far, minimum(large, 15))][h];
        },
        bias);
  }
};
// [/t5]

// [encoder]
constexpr nn::TransformerOptions options{
    .dim_feedforward = 32, .dropout = 0.1f, .batch_first = true, .norm_first = true};
struct Classifier {
  nn::Linear<4, 16> embed;
  nn::TransformerEncoder<nn::TransformerEncoderLayer<16, 2, options, nn::GELU>, 2, nn::LayerNorm<16>> encoder;
  nn::Linear<16, 3> head;
  constexpr auto operator()(auto x) const { return head(mean<1>(encoder(embed(x)))); }  // (N, L, 4) -> (N, 3)
};
// [/encoder]

}  // namespace

TEST_CASE("attention page: scores and masks of one's own") {
  // [attention]
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v, auto slopes, auto lengths) {
        auto sloped = attention(q, k, v, alibi, slopes);      // slopes (4,)
        auto prefixed = attention(q, k, v, prefix, lengths);  // lengths (2,), integers
        auto capped = attention(q, k, v, soft_cap, window);
        return std::tuple{sloped, prefixed, capped};
      },
      in<f32, 2, 4, 64, 8>, in<f32, 2, 4, 64, 8>, in<f32, 2, 4, 64, 8>, in<f32, 4>, in<i32, 2>);
  // [/attention]
  const std::vector<f32> x(4096, 0.5f), slopes(4, 0.25f);
  const std::vector<i32> lengths(2, 3);
  const auto [sloped, prefixed, capped] = f(x, x, x, slopes, lengths);
  for (i64 i = 0; i < 4096; ++i) {
    CHECK(sloped[i] == doctest::Approx(0.5));
    CHECK(prefixed[i] == doctest::Approx(0.5));
    CHECK(capped[i] == doctest::Approx(0.5));
  }
  auto others = compile(
      Cpu{},
      [](auto q, auto gates, auto bias, auto doc) {
        return std::tuple{attention(q, q, q, gate, gates), attention(q, q, q, relative, bias),
                          attention(q, q, q, documents, doc), attention(q, q, q, causal)};
      },
      in<f32, 2, 4, 64, 8>, in<f32, 4>, in<f32, 4, 127>, in<i32, 2, 64>);
  const auto results = others(x, slopes, std::vector<f32>(508), std::vector<i32>(128));
  CHECK(std::get<3>(results)[4095] == doctest::Approx(0.5));

  Model<Relative> model;
  auto of_model = compile(
      model, [](const auto& m, auto q) { return m(q, q, q); }, in<f32, 2, 4, 64, 8>);
  CHECK(of_model(x)[4095] == doctest::Approx(0.5));
}
TEST_CASE("attention page: sequences of other lengths") {
  // [lengths]
  auto padded = compile(
      Cpu{},
      [](auto q, auto k, auto v, auto lengths) {  // lengths (2,): so many keys of each sequence count
        return scaled_dot_product_attention(q, k, v, key_lengths(lengths));
      },
      in<f32, 2, 4, 64, 8>, in<f32, 2, 4, 64, 8>, in<f32, 2, 4, 64, 8>, in<i32, 2>);
  auto packed = compile(
      Cpu{},
      [](auto q, auto k, auto v, auto cu_seqlens) {  // (T, heads, features), and where each sequence begins
        return varlen_attention<AttentionOptions{.is_causal = true}>(q, k, v, cu_seqlens);
      },
      in<f32, 128, 4, 16>, in<f32, 128, 2, 16>, in<f32, 128, 2, 16>, in<i32, 4>);
  // [/lengths]
  const std::vector<f32> x(8192, 0.5f), half(4096, 0.5f);
  const auto y = padded(half, half, half, std::vector<i32>{3, 0});
  const auto z = packed(x, half, half, std::vector<i32>{0, 50, 60, 100});
  CHECK(y[2047] == doctest::Approx(0.5));
  CHECK(y[2048] == 0);
  CHECK(z[100 * 64 - 1] == doctest::Approx(0.5));
  CHECK(z[100 * 64] == 0);
}
TEST_CASE("attention page: pages") {
  // [paged]
  auto step = compile(
      Cpu{},
      [](auto q, auto key_pages, auto value_pages, auto block_table, auto lengths) {
        return paged_attention<AttentionOptions{.is_causal = true}>(q, key_pages, value_pages, block_table,
                                                                    lengths);
      },
      in<f32, 2, 4, 1, 8>, in<f32, 9, 16, 2, 8>, in<f32, 9, 16, 2, 8>, in<i32, 2, 3>, in<i32, 2>);
  // [/paged]
  const std::vector<f32> q(64, 0.5f), pages(9 * 16 * 16, 0.5f);
  const auto y = step(q, pages, pages, std::vector<i32>{8, 1, 3, 2, -1, -1}, std::vector<i32>{40, 7});
  for (i64 e = 0; e < 64; ++e) CHECK(y[e] == doctest::Approx(0.5));
}
TEST_CASE("attention page: the function") {
  // [function]
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v, auto open) {
        auto masked = scaled_dot_product_attention(q, k, v, open);  // true: attends
        auto grouped = scaled_dot_product_attention<AttentionOptions{.is_causal = true, .enable_gqa = true}>(
            q, narrow<1, 0, 2>(k), narrow<1, 0, 2>(v));  // four heads share two of key and value
        return std::tuple{masked, grouped};
      },
      in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>, in<bool, 6, 6>);
  // [/function]
  std::vector<f32> q(384), k(384), v(384);
  for (std::size_t i = 0; i < 384; ++i) {
    q[i] = std::sin(static_cast<f32>(i));
    k[i] = std::cos(static_cast<f32>(i));
    v[i] = static_cast<f32>(i % 7);
  }
  bool open[36]{};
  for (int i = 0; i < 6; ++i) open[6 * i + i] = i != 2;  // each sees itself, the third nothing
  auto [masked, grouped] = f(q, k, v, open);
  for (int i = 0; i < 8; ++i) {
    CHECK(masked[i] == v[static_cast<std::size_t>(i)]);
    CHECK(masked[16 + i] == 0);
    CHECK(grouped[48 + i] == v[static_cast<std::size_t>(i)]);  // head 1, first query: head 0's first value
  }
}

TEST_CASE("attention page: a cache") {
  Model<Cached, Cpu> model(Cpu{});
  auto step = compile(
      model, [](const auto& m, auto q, auto k, auto v, auto position) { return m(q, k, v, position); },
      in<f32, 4, 1, 8>, in<f32, 4, 1, 8>, in<f32, 4, 1, 8>, in<i32>);
  auto whole = compile(
      Cpu{},
      [](auto q, auto k, auto v) {
        return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v);
      },
      in<f32, 4, 6, 8>, in<f32, 4, 6, 8>, in<f32, 4, 6, 8>);
  std::vector<f32> q(192), k(192), v(192);
  for (std::size_t i = 0; i < 192; ++i) {
    q[i] = std::sin(static_cast<f32>(i));
    k[i] = std::cos(static_cast<f32>(i));
    v[i] = static_cast<f32>(i % 7);
  }
  const auto expected = whole(q, k, v).to_vector();
  for (std::size_t t = 0; t < 6; ++t) {
    const auto token = [&](const std::vector<f32>& x) {
      std::vector<f32> one;
      for (std::size_t head = 0; head < 4; ++head)
        for (std::size_t e = 0; e < 8; ++e) one.push_back(x[head * 48 + t * 8 + e]);
      return one;
    };
    const auto got = step(token(q), token(k), token(v), static_cast<i32>(t)).to_vector();
    const auto wanted = token(expected);
    for (std::size_t i = 0; i < 32; ++i) CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(1e-5));
  }
}

TEST_CASE("attention page: rotary embedding") {
  // [rotary]
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v, auto places) {
        auto at = [&](auto x) {
          return rotary_embedding(x, places);
        };  // Llama's halves; GPT-J's: .interleaved
        return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(at(q), at(k), v);
      },
      in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>, in<i32, 6>);
  // [/rotary]
  std::vector<f32> q(384), k(384), v(384);
  for (std::size_t i = 0; i < 384; ++i)
    q[i] = k[i] = std::sin(static_cast<f32>(i)), v[i] = static_cast<f32>(i % 7);
  const auto near = f(q, k, v, std::vector<i32>{0, 1, 2, 3, 4, 5}).to_vector();
  const auto far = f(q, k, v, std::vector<i32>{90, 91, 92, 93, 94, 95}).to_vector();
  for (std::size_t i = 0; i < 384; ++i) CHECK(near[i] == doctest::Approx(far[i]).epsilon(1e-3));
}

TEST_CASE("attention page: the layer") {
  struct Net {
    Block block{};
  };
  Model<Net> model;
  // [weights]
  auto look = compile(
      model,
      [](const auto& m, auto x) {
        return m.block.attn(x, x, x, nn::need_weights, nn::average_attn_weights<false>);
      },
      in<f32, 1, 6, 32>);
  const std::vector<f32> x(192, 0.5f);
  auto [output, weights] = look(x);  // (1, 6, 32) and (1, 4, 6, 6)
  // [/weights]
  CHECK(weights[0] == doctest::Approx(1.0 / 6));
  auto run = compile(
      model, [](const auto& m, auto in, auto padding) { return m.block(in, padding); }, in<f32, 1, 6, 32>,
      in<bool, 1, 6>);
  const bool padding[6]{false, false, false, false, false, true};
  CHECK(std::isfinite(run(x, padding)[0]));
}

TEST_CASE("attention page: training an encoder") {
  // [train]
  auto trainer = make_trainer<Classifier>(
      Cpu{}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); },  //
      in<f32, 12, 5, 4>, in<i32, 12>, optim::AdamW{.lr = 3e-3f}, seed{1});
  // [/train]
  std::vector<f32> x(240);
  std::vector<i32> y(12);
  for (std::size_t n = 0; n < 12; ++n) {
    y[n] = static_cast<i32>(n % 3);
    for (std::size_t i = 0; i < 20; ++i)
      x[20 * n + i] =
          std::sin(static_cast<f32>(i) * 0.3f * static_cast<f32>(n % 3 + 1) + static_cast<f32>(n));
  }
  const float first = trainer.step(x, y);
  float last = first;
  for (int i = 0; i < 100; ++i) last = trainer.step(x, y);
  CHECK(first > 0.8f);
  CHECK(last < 0.1f);
}
