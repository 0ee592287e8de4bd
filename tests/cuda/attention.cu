// The kernels of attention on a GPU against the host's: head sizes, lengths that fill no tile, shared heads,
// strides, scores and masks of one's own, dropping, small floats.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "support/attention_errors.hpp"
#include "weft/cuda.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/attention.hpp"
#include "weft/ops/nn/flex_attention.hpp"
#include "weft/ops/nn/paged_attention.hpp"
#include "weft/ops/nn/varlen_attention.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/slicing.hpp"
#include "weft/ops/transform/vjp.hpp"

using namespace weft;

namespace {

// What f(q, k, v) gives and the gradients of the sum of its squares, in f32.
template <class F>
struct WithGradients {
  constexpr auto operator()(auto q, auto k, auto v) const {
    const auto g = grad<0, 1, 2>([](auto... x) { return sum(square(cast<f32>(F{}(x...)))); })(q, k, v);
    return std::tuple{cast<f32>(F{}(q, k, v)), cast<f32>(std::get<0>(g)), cast<f32>(std::get<1>(g)),
                      cast<f32>(std::get<2>(g))};
  }
};

template <class In>
std::vector<typename In::dtype> wave(f32 speed, f32 size) {
  std::vector<typename In::dtype> x(static_cast<std::size_t>(In::shape::value.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = typename In::dtype(size * std::sin(speed * static_cast<f32>(i % 9973) + speed));
  return x;
}

template <class F, class... In>
using Results = typename decltype(std::declval<F>()(
    std::declval<Expr<typename In::dtype, typename In::shape>>()...))::shape;

// Of f32: the sums of tensor cores are cut off after 24 bits, not rounded.
constexpr double rounded = 4e-5;

template <class Device, class F, class Q, class K, class V>
std::vector<std::vector<f32>> run(const Device& device, F, Q, K, V) {
  auto f = compile(device, WithGradients<F>{}, Q{}, K{}, V{}, seed{5});
  const auto q = wave<Q>(0.37f, 1.5f);
  const auto k = wave<K>(0.71f, 1.5f);
  const auto v = wave<V>(1.3f, 1.0f);
  constexpr auto rows = static_cast<std::size_t>(Results<F, Q, K, V>::value.size());
  std::vector<f32> y(rows), dq(q.size()), dk(k.size()), dv(v.size());
  f.into(y, dq, dk, dv)(q, k, v);
  return {y, dq, dk, dv};
}

// The largest difference of each result, relative to its largest element; a NaN is no difference where both
// are.
template <class F, class Q, class K, class V>
void compare(F f, Q q, K k, V v, double tolerance) {
  const auto host = run(Cpu{}, f, q, k, v), gpu = run(Cuda{0}, f, q, k, v);
  for (std::size_t r = 0; r < host.size(); ++r) {
    double largest = 1e-6, apart = 0;
    for (std::size_t i = 0; i < host[r].size(); ++i) {
      largest = std::max(largest, std::fabs(double{host[r][i]}));
      const double d = std::fabs(double{host[r][i]} - double{gpu[r][i]});
      apart = std::max(apart, std::isnan(d) ? 1e30 : d);
    }
    CAPTURE(r);
    CHECK(apart <= tolerance * largest);
  }
}

using Causal = decltype([](auto q, auto k, auto v) {
  return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v);
});
using Full = decltype([](auto q, auto k, auto v) { return scaled_dot_product_attention(q, k, v); });

struct Strided {  // (B, L, H, E) as a layer has it, and keys whose features lie apart
  constexpr auto operator()(auto q, auto k, auto v) const {
    return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(
        transpose<1, 2>(q), transpose<2, 3>(k), transpose<1, 2>(v));
  }
};

struct Grouped {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return scaled_dot_product_attention<AttentionOptions{.is_causal = true, .enable_gqa = true}>(q, k, v);
  }
};

struct Scored {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return attention(
        q, k, v,
        [](auto s, auto, auto h, auto i, auto j) { return 20 * tanh(s / 20) - 0.1 * (h + 1) * abs(i - j); },
        [](auto, auto, auto i, auto j) { return (j <= i) & (i - j < 50) & (i != 7) & (i != 130); });
  }
};

struct Reading {
  constexpr auto operator()(auto q, auto k, auto v) const {
    const auto slopes = stop_gradient(sum<2, 3>(q) * 0.01f);                        // (B, H)
    const auto lengths = cast<i32>(stop_gradient(abs(sum<1, 2, 3>(k)))) % 64 + 20;  // (B,)
    const auto bias = stop_gradient(select<0, 0>(select<0, 0>(v)));                 // (S, Ev)
    return attention(
        q, k, v,
        [](auto s, auto b, auto h, auto i, auto j, auto slope, auto, auto near) {
          return s + slope[b][h] * (j - i) + near[j][i % 8];
        },
        [](auto b, auto, auto i, auto j, auto, auto length, auto) { return (j < length[b]) | (j <= i); },
        slopes, lengths, bias);
  }
};

struct Lengths {  // 0 keys, and 61 of them
  constexpr auto operator()(auto q, auto k, auto v) const {
    return scaled_dot_product_attention<AttentionOptions{.enable_gqa = true}>(
        q, k, v, key_lengths(arange<i64, 2>() * 61));
  }
};

struct Documents {  // of 50 tokens
  constexpr auto operator()(auto q, auto k, auto v) const {
    constexpr i64 length = decltype(q)::shape::value.extent[2];
    const auto place = arange<i32, length>();
    return attention(
        q, k, v,
        [](auto, auto, auto i, auto j, auto doc, auto open) {
          return (doc[i] == doc[j]) & (j <= i) & open[j];
        },
        cast<i32>(place / 50), place % 5 != 2);
  }
};

struct Packed {  // 64, 64 and 33 tokens, and the rest of none
  constexpr auto operator()(auto q, auto k, auto v) const {
    return varlen_attention<AttentionOptions{.is_causal = true}>(q, k, v,
                                                                 minimum(arange<i32, 4>() * 64, 161));
  }
};

struct Decoding {  // a run-time length, and keys enough to be split
  constexpr auto operator()(auto q, auto k, auto v) const {
    const auto length = cast<i32>(stop_gradient(abs(sum(q)))) % 64 + 3000;
    return scaled_dot_product_attention(q, k, v, arange<i32, decltype(k)::shape::value.extent[2]>() < length);
  }
};

struct Paged {  // pages of keys and of values, and two queries of each sequence
  constexpr auto operator()(auto q, auto k, auto v) const {
    const auto table = 8 - reshape<2, 4>(arange<i32, 8>());
    return paged_attention<AttentionOptions{.is_causal = true}>(q, k, v, table, arange<i32, 2>() * 41 + 12);
  }
};

struct Dropping {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return scaled_dot_product_attention(q, k, v, stop_gradient(select<0, 0>(matmul(q, transpose<2, 3>(k)))),
                                        0.3);
  }
};

struct Learned {  // the gradient of what is captured is composed, beside a kernel for the forward pass
  constexpr auto operator()(auto q, auto k, auto v) const {
    return scaled_dot_product_attention(q, k, v, matmul(select<0, 0>(q), transpose<1, 2>(select<0, 1>(k))));
  }
};

}  // namespace

TEST_CASE("attention: head sizes and lengths that fill no tile") {
  compare(Causal{}, in<bf16, 1, 2, 150, 16>, in<bf16, 1, 2, 150, 16>, in<bf16, 1, 2, 150, 16>, 3e-2);
  compare(Full{}, in<f16, 2, 1, 33, 64>, in<f16, 2, 1, 97, 64>, in<f16, 2, 1, 97, 80>, 4e-3);
  compare(Causal{}, in<bf16, 1, 1, 70, 128>, in<bf16, 1, 1, 70, 128>, in<bf16, 1, 1, 70, 128>, 3e-2);
  compare(Causal{}, in<f32, 1, 1, 70, 128>, in<f32, 1, 1, 70, 128>, in<f32, 1, 1, 70, 128>, rounded);
  compare(Full{}, in<f16, 1, 1, 40, 250>, in<f16, 1, 1, 50, 250>, in<f16, 1, 1, 50, 192>, 4e-3);
}

TEST_CASE(
    "attention: of many heads, whose warps have more queries, each gives the bits that it gives alone") {
  constexpr i64 batch = 9, heads = 32, length = 130, width = 64;  // blocks for 132 multiprocessors, twice
  const auto alone = [](auto f) {
    using All = Input<bf16, Shape<batch, heads, length, width>>;
    using One = Input<bf16, Shape<1, 1, length, width>>;
    auto all = compile(Cuda{0}, f, All{}, All{}, All{});
    auto one = compile(Cuda{0}, f, One{}, One{}, One{});
    const auto q = wave<All>(0.37f, 1.5f), k = wave<All>(0.71f, 1.5f), v = wave<All>(1.3f, 1.0f);
    std::vector<bf16> y(q.size()), part(length * width);
    all.into(y)(q, k, v);
    for (i64 h = 0; h < batch * heads; h += 41) {
      const auto of = [&](const std::vector<bf16>& x) {
        return std::vector<bf16>(x.begin() + h * length * width, x.begin() + (h + 1) * length * width);
      };
      one.into(part)(of(q), of(k), of(v));
      CAPTURE(h);
      CHECK(std::memcmp(part.data(), y.data() + h * length * width, part.size() * sizeof(bf16)) == 0);
    }
  };
  alone(Causal{});
  alone(Full{});
}

TEST_CASE("attention: rows that are no multiples of 16 bytes, and operands with strides") {
  compare(Strided{}, in<f32, 2, 70, 3, 33>, in<f32, 2, 3, 33, 70>, in<f32, 2, 70, 3, 21>, rounded);
  compare(Strided{}, in<bf16, 2, 70, 3, 40>, in<bf16, 2, 3, 40, 70>, in<bf16, 2, 70, 3, 40>, 3e-2);
}

TEST_CASE("attention: heads of queries that share keys") {
  compare(Grouped{}, in<f32, 2, 6, 65, 32>, in<f32, 2, 2, 65, 32>, in<f32, 2, 2, 65, 32>, rounded);
  compare(Grouped{}, in<bf16, 2, 8, 150, 16>, in<bf16, 2, 2, 150, 16>, in<bf16, 2, 2, 150, 16>, 3e-2);
  compare(Grouped{}, in<f16, 1, 4, 130, 64>, in<f16, 1, 1, 130, 64>, in<f16, 1, 1, 130, 64>, 4e-3);
}

TEST_CASE("attention: scores and masks of one's own; rows that attend to nothing are zeros") {
  compare(Scored{}, in<f32, 1, 2, 200, 32>, in<f32, 1, 2, 200, 32>, in<f32, 1, 2, 200, 32>, rounded);
  const auto y =
      run(Cuda{0}, Scored{}, in<f32, 1, 2, 200, 32>, in<f32, 1, 2, 200, 32>, in<f32, 1, 2, 200, 32>);
  for (int c = 0; c < 32; ++c) {
    CHECK(y[0][7 * 32 + c] == 0);
    CHECK(y[1][7 * 32 + c] == 0);
    CHECK(y[0][(200 + 130) * 32 + c] == 0);
  }
}

TEST_CASE("attention: tensors that a function reads, along each axis of the grid") {
  compare(Reading{}, in<f32, 2, 2, 90, 32>, in<f32, 2, 2, 90, 32>, in<f32, 2, 2, 90, 24>, rounded);
}

TEST_CASE(
    "attention: key lengths, documents and packed sequences, whose tiles are known as the kernel runs") {
  compare(Lengths{}, in<f32, 2, 4, 40, 32>, in<f32, 2, 2, 150, 32>, in<f32, 2, 2, 150, 24>, rounded);
  compare(Lengths{}, in<bf16, 2, 2, 70, 64>, in<bf16, 2, 1, 150, 64>, in<bf16, 2, 1, 150, 64>, 3e-2);
  compare(Documents{}, in<f32, 1, 2, 170, 32>, in<f32, 1, 2, 170, 32>, in<f32, 1, 2, 170, 32>, rounded);
  compare(Documents{}, in<f16, 1, 1, 170, 64>, in<f16, 1, 1, 170, 64>, in<f16, 1, 1, 170, 64>, 4e-3);
  compare(Packed{}, in<f32, 180, 4, 32>, in<f32, 180, 2, 32>, in<f32, 180, 2, 32>, rounded);
  compare(Packed{}, in<bf16, 180, 2, 64>, in<bf16, 180, 2, 64>, in<bf16, 180, 2, 64>, 3e-2);
}

TEST_CASE("attention: tiles that a tensor masks are not computed") {
  // a NaN among the values of a tile that is computed reaches every result, by 0 * NaN
  auto f = compile(
      Cuda{0},
      [](auto q, auto k, auto v, auto doc) {
        return attention(
            q, k, v, [](auto, auto, auto i, auto j, auto d) { return d[i] == d[j]; }, doc);
      },
      in<f32, 1, 1, 64, 16>, in<f32, 1, 1, 256, 16>, in<f32, 1, 1, 256, 16>, in<i32, 256>);
  using Keys = Input<f32, Shape<1, 1, 256, 16>>;
  auto v = wave<Keys>(1.3f, 1.0f);
  for (std::size_t i = 64 * 16; i < v.size(); ++i) v[i] = std::nanf("");
  std::vector<i32> doc(256, 5);
  for (std::size_t i = 0; i < 64; ++i) doc[i] = static_cast<i32>(i / 20);
  const auto finite = [&] {
    std::vector<f32> y(64 * 16);
    f.into(y)(wave<Input<f32, Shape<1, 1, 64, 16>>>(0.37f, 1.5f), wave<Keys>(0.71f, 1.5f), v, doc);
    for (const f32 x : y)
      if (!std::isfinite(x)) return false;
    return true;
  };
  CHECK(finite());
  doc[200] = 1;
  CHECK(!finite());
}

TEST_CASE("attention: pages of a pool") {
  compare(Paged{}, in<f32, 2, 4, 2, 16>, in<f32, 9, 16, 2, 16>, in<f32, 9, 16, 2, 24>, rounded);
}

TEST_CASE("attention: a decoder's few queries, split along the keys") {
  compare(Decoding{}, in<f32, 1, 2, 1, 16>, in<f32, 1, 2, 4096, 16>, in<f32, 1, 2, 4096, 16>, rounded);
  compare(Decoding{}, in<bf16, 1, 1, 3, 32>, in<bf16, 1, 1, 4096, 32>, in<bf16, 1, 1, 4096, 32>, 3e-2);
}

TEST_CASE("attention: the weights that the host drops, a mask of numbers, and its gradient") {
  compare(Dropping{}, in<f32, 2, 2, 75, 16>, in<f32, 2, 2, 100, 16>, in<f32, 2, 2, 100, 16>, rounded);
  compare(Dropping{}, in<f32, 2, 2, 75, 16>, in<f32, 2, 2, 101, 16>, in<f32, 2, 2, 101, 16>, rounded);
  compare(Learned{}, in<f32, 2, 2, 75, 16>, in<f32, 2, 2, 100, 16>, in<f32, 2, 2, 100, 16>, rounded);
}

TEST_CASE("attention: errors of small floats beside PyTorch's") {
  using weft::testing::attention::check_errors;
  check_errors<bf16, false>(Cuda{0}, "bf16");
  check_errors<bf16, true>(Cuda{0}, "bf16");
  check_errors<f16, false>(Cuda{0}, "f16");
  check_errors<f16, true>(Cuda{0}, "f16");
}
