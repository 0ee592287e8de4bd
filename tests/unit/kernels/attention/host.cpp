#include "weft/kernels/attention/host.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

// Numbers in [-1, 1), others for every `which`.
std::vector<f64> numbers(i64 count, int which) {
  std::vector<f64> r;
  u64 state = 0x9e3779b97f4a7c15ull * static_cast<u64>(which + 1);
  for (i64 i = 0; i < count; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    r.push_back(static_cast<f64>(static_cast<i64>(state >> 40)) / (1 << 23) - 1);
  }
  return r;
}
template <class T>
std::vector<T> as(const std::vector<f64>& x) {
  std::vector<T> r;
  for (const f64 v : x) r.push_back(static_cast<T>(static_cast<f32>(v)));
  return r;
}
template <class T>
std::vector<f64> rounded_to(const std::vector<f64>& x) {
  std::vector<f64> r;
  for (const T v : as<T>(x)) r.push_back(static_cast<f64>(static_cast<f32>(v)));
  return r;
}

// f's value, and the gradients of sum(f * g) by all operands before g; as f32.
template <class F>
struct Both {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    constexpr int operands = sizeof...(A) - 1;
    const std::tuple<const A&...> all(a...);
    const auto value = [](const auto& operand, auto first) {
      return [&]<std::size_t... K>(std::index_sequence<K...>) { return F{}(std::get<K>(operand)...); }
      (first);
    };
    using First = std::make_index_sequence<sizeof...(A) - 1>;
    const auto loss = [&](const auto&... v) {
      const std::tuple<decltype(v)...> operand(v...);
      const auto y = value(operand, First{});
      using Y = std::remove_cvref_t<decltype(y)>;
      return sum<>(cast<wide<Y>>(y) * cast<wide<Y>>(std::get<operands>(operand)));
    };
    return gradients(value(all, First{}), loss, First{}, a...);
  }
  template <class Y>
  using wide = std::conditional_t<std::is_same_v<typename Y::dtype, f64>, f64, f32>;
  template <class Y, class L, std::size_t... K, class... A>
  static constexpr auto gradients(const Y& y, const L& loss, std::index_sequence<K...>, const A&... a) {
    return std::apply(
        [&](const auto&... d) {
          return std::tuple{cast<wide<Y>>(y), cast<wide<Y>>(d)...};
        },
        std::tuple_cat(std::tuple{}, grad<static_cast<int>(K)...>(loss)(a...)));
  }
};

// The region on `threads` threads in T against the composition in f64.
template <class T, class F, class... Shapes>
void agrees(double tolerance, F, Shapes...) {
  auto fast = compile(Cpu{2}, Both<F>{}, Input<T, Shapes>{}..., seed{5});
  auto alone = compile(Cpu{1}, Both<F>{}, Input<T, Shapes>{}..., seed{5});
  auto exact = compile(Interpreter{}, Both<F>{}, Input<f64, Shapes>{}..., seed{5});
  int which = 0;
  const std::vector<std::vector<f64>> data{numbers(Shapes::size, which++)...};
  const auto call = [&](auto& f, auto convert) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) { return f(convert(data[K])...); }
    (std::make_index_sequence<sizeof...(Shapes)>{});
  };
  const auto got = call(fast, [](const auto& x) { return as<T>(x); });
  const auto again = call(alone, [](const auto& x) { return as<T>(x); });
  const auto expected = call(exact, [](const auto& x) { return rounded_to<T>(x); });
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto compare = [&](int result, const auto& x, const auto& y, const auto& one_thread) {
      double largest = 0, apart = 0;
      int other_bits = 0;
      for (i64 i = 0; i < x.size(); ++i) {
        largest = std::fmax(largest, std::fabs(static_cast<double>(y[i])));
        apart = std::fmax(apart, std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
        other_bits += !(x[i] == one_thread[i]);
      }
      INFO("result ", result);
      CHECK(largest > 0);
      CHECK(apart <= tolerance * std::fmax(1.0, largest));
      CHECK(other_bits == 0);
    };
    (compare(static_cast<int>(K), std::get<K>(got), std::get<K>(expected), std::get<K>(again)), ...);
  }
  (std::make_index_sequence<sizeof...(Shapes)>{});
}

constexpr AttentionOptions causal{.is_causal = true}, grouped{.enable_gqa = true},
    grouped_causal{.is_causal = true, .enable_gqa = true};
template <AttentionOptions O>
struct Plain {
  constexpr auto operator()(const auto& q, const auto& k, const auto& v) const {
    return scaled_dot_product_attention<O>(q, k, v);
  }
};
struct Masked {  // learned
  constexpr auto operator()(const auto& q, const auto& k, const auto& v, const auto& m) const {
    return scaled_dot_product_attention<causal>(q, k, v, m);
  }
};
struct Dropped {
  constexpr auto operator()(const auto& q, const auto& k, const auto& v) const {
    return scaled_dot_product_attention<causal>(q, k, v, 0.3);
  }
};
struct Slopes {
  constexpr auto operator()(const auto& q, const auto& k, const auto& v, const auto& slopes,
                            const auto& gates) const {
    return attention(
        q, k, v,
        [](auto s, auto b, auto h, auto i, auto j, auto slope, auto gate) {
          return gate[b][i] * tanh(s) + slope[h] * cast<f32>(j - i) * 0.1;
        },
        [](auto, auto, auto i, auto j, auto, auto) { return (j <= i) & (i - j < 100); }, slopes, gates);
  }
};

}  // namespace

TEST_CASE("attention: blocks and their ends, heads that are shared, both orders of the backward pass") {
  // 300 queries and 200 keys are two blocks each, the last of them neither whole nor a multiple of 16
  agrees<f32>(2e-6, Plain<AttentionOptions{}>{}, Shape<1, 2, 300, 40>{}, Shape<1, 2, 200, 40>{},
              Shape<1, 2, 200, 24>{}, Shape<1, 2, 300, 24>{});
  agrees<f32>(2e-6, Plain<grouped_causal>{}, Shape<2, 8, 270, 16>{}, Shape<2, 4, 270, 16>{},
              Shape<2, 4, 270, 16>{}, Shape<2, 8, 270, 16>{});  // eight heads of keys: one pass
  agrees<f32>(2e-6, Plain<grouped>{}, Shape<1, 6, 1, 7>{}, Shape<1, 1, 33, 7>{}, Shape<1, 1, 33, 5>{},
              Shape<1, 6, 1, 5>{});
}

TEST_CASE("attention: a learned mask for all samples and heads, and one of its own for each") {
  agrees<f32>(5e-6, Masked{}, Shape<2, 3, 70, 8>{}, Shape<2, 3, 150, 8>{}, Shape<2, 3, 150, 8>{},
              Shape<70, 150>{}, Shape<2, 3, 70, 8>{});
  agrees<f32>(5e-6, Masked{}, Shape<2, 3, 70, 8>{}, Shape<2, 3, 150, 8>{}, Shape<2, 3, 150, 8>{},
              Shape<2, 3, 70, 150>{}, Shape<2, 3, 70, 8>{});
  agrees<f32>(5e-6, Masked{}, Shape<2, 3, 70, 8>{}, Shape<2, 3, 150, 8>{}, Shape<2, 3, 150, 8>{},
              Shape<2, 1, 1, 150>{}, Shape<2, 3, 70, 8>{});
}

namespace {

// Every score of query 5 is -1e9, beside which f32 has no place for the logarithm of a sum; others are by the
// hundred thousand, whose difference is their product's.
struct Buried {
  constexpr auto operator()(const auto& q, const auto& k, const auto& v) const {
    return attention(q, k, v, [](auto s, auto, auto, auto i, auto) {
      return where(i == 5, -1e9, s + where(i % 2 == 0, 262144.0, 0.0));
    });
  }
};

}  // namespace

TEST_CASE("attention: gradients where scores are large, as a mask of -1e9 for all keys makes them") {
  agrees<f32>(0.02, Buried{}, Shape<1, 2, 70, 8>{}, Shape<1, 2, 97, 8>{}, Shape<1, 2, 97, 8>{},
              Shape<1, 2, 70, 8>{});
}

TEST_CASE("attention: dropout drops the weights that the composition drops") {
  agrees<f32>(5e-6, Dropped{}, Shape<2, 2, 150, 8>{}, Shape<2, 2, 150, 8>{}, Shape<2, 2, 150, 8>{},
              Shape<2, 2, 150, 8>{});
}

TEST_CASE("attention: inside a loop each trip drops others, and its gradient the same again") {
  const auto f = [](auto q, auto k, auto v, auto g) {
    const auto trips = [](const auto& x0, const auto& keys, const auto& values) {
      return loop<3>([&](auto x) { return scaled_dot_product_attention(x, keys, values, 0.4) + x * 0.5; },
                     x0);
    };
    return std::tuple_cat(std::tuple{trips(q, k, v)}, grad<0, 1, 2>([=](auto a, auto b, auto c, auto e) {
                            return sum<>(trips(a, b, c) * e);
                          })(q, k, v, g));
  };
  constexpr auto one = in<f32, 2, 70, 8>;
  auto fast = compile(Cpu{2}, f, one, one, one, one, seed{3});
  auto plain = compile(Interpreter{}, f, one, one, one, one, seed{3});
  const auto x = [](int which) { return as<f32>(numbers(1120, which)); };
  const auto got = fast(x(0), x(1), x(2), x(3)), expected = plain(x(0), x(1), x(2), x(3));
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto compare = [](const auto& a, const auto& b) {
      for (i64 i = 0; i < 1120; ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-4).scale(1));
    };
    (compare(std::get<K>(got), std::get<K>(expected)), ...);
  }
  (std::make_index_sequence<4>{});
}

TEST_CASE("attention: bf16 and f16 are widened, and summed in f32") {
  agrees<bf16>(8e-3, Plain<causal>{}, Shape<1, 2, 140, 32>{}, Shape<1, 2, 140, 32>{}, Shape<1, 2, 140, 32>{},
               Shape<1, 2, 140, 32>{});
  agrees<f16>(1e-3, Plain<causal>{}, Shape<3, 3, 140, 32>{}, Shape<3, 3, 140, 32>{}, Shape<3, 3, 140, 32>{},
              Shape<3, 3, 140, 32>{});
}

TEST_CASE("attention: operands are read through their views") {
  auto viewed = compile(
      Cpu{2},
      [](auto q, auto k, auto v) {  // (L, B, H, E), (B, H, E, S)
        return scaled_dot_product_attention<causal>(permute<1, 2, 0, 3>(q), permute<1, 2, 0, 3>(k),
                                                    permute<0, 1, 3, 2>(v));
      },
      in<f32, 150, 2, 3, 8>, in<f32, 150, 2, 3, 8>, in<f32, 2, 3, 8, 150>);
  auto copied = compile(
      Cpu{2}, [](auto q, auto k, auto v) { return scaled_dot_product_attention<causal>(q, k, v); },
      in<f32, 2, 3, 150, 8>, in<f32, 2, 3, 150, 8>, in<f32, 2, 3, 150, 8>);
  const std::vector<f32> q = as<f32>(numbers(7200, 0)), k = as<f32>(numbers(7200, 1)),
                         v = as<f32>(numbers(7200, 2));
  std::vector<f32> q4(7200), k4(7200), v4(7200);
  for (i64 l = 0; l < 150; ++l)
    for (i64 bh = 0; bh < 6; ++bh)
      for (i64 e = 0; e < 8; ++e) {
        const std::size_t to = static_cast<std::size_t>((bh * 150 + l) * 8 + e);
        q4[to] = q[static_cast<std::size_t>((l * 6 + bh) * 8 + e)];
        k4[to] = k[static_cast<std::size_t>((l * 6 + bh) * 8 + e)];
        v4[to] = v[static_cast<std::size_t>((bh * 8 + e) * 150 + l)];
      }
  CHECK(viewed.launches() == 1);
  const auto x = viewed(q, k, v);
  const auto y = copied(q4, k4, v4);
  int other = 0;
  for (i64 i = 0; i < 7200; ++i) other += x[i] != y[i];
  CHECK(other == 0);
}

TEST_CASE("attention: what a score function reads gets its gradient, summed where it does not vary") {
  agrees<f32>(2e-5, Slopes{}, Shape<2, 3, 140, 8>{}, Shape<2, 3, 140, 8>{}, Shape<2, 3, 140, 8>{}, Shape<3>{},
              Shape<2, 140>{}, Shape<2, 3, 140, 8>{});
}

TEST_CASE("attention: a query that sees no key gives zeros, and infinite or NaN scores stay in their rows") {
  auto f = compile(
      Cpu{2},
      [](auto q, auto k, auto v, auto m, auto g) {
        const auto y = [](auto a, auto b, auto c, auto mask) {
          return scaled_dot_product_attention(a, b, c, mask);
        };
        return std::tuple_cat(std::tuple{y(q, k, v, m)},
                              grad<0, 1, 2>([=](auto a, auto b, auto c, auto mask, auto e) {
                                return sum<>(y(a, b, c, mask) * e);
                              })(q, k, v, m, g));
      },
      in<f32, 1, 1, 70, 8>, in<f32, 1, 1, 70, 8>, in<f32, 1, 1, 70, 8>, in<bool, 70, 70>,
      in<f32, 1, 1, 70, 8>);
  const auto x = [](int which) { return as<f32>(numbers(560, which)); };
  std::vector<f32> q = x(0);
  Tensor<bool, Shape<70, 70>> mask;
  for (i64 i = 0; i < 4900; ++i) mask.data()[i] = i / 70 != 64 && i % 70 != 3;  // query 64; key 3
  auto [y, dq, dk, dv] = f(q, x(1), x(2), mask, x(3));
  for (i64 e = 0; e < 8; ++e) {
    CHECK(y[64 * 8 + e] == 0);
    CHECK(dq[64 * 8 + e] == 0);
    CHECK(dk[3 * 8 + e] == 0);
    CHECK(dv[3 * 8 + e] == 0);
    CHECK(dq[5 * 8 + e] != 0);
  }
  q[8 * 5] = std::nanf("");
  auto [bad, dq2, dk2, dv2] = f(q, x(1), x(2), mask, x(3));
  for (i64 i = 0; i < 560; ++i) CHECK(std::isnan(bad[i]) == (i / 8 == 5));
}

namespace {

struct OfLengths {  // 150, 0 and 37 keys of 300
  constexpr auto operator()(const auto& q, const auto& k, const auto& v) const {
    const auto lengths = maximum(150 - arange<i32, 3>() * 150, 0) + cast<i32>(arange<i32, 3>() > 1) * 37;
    return scaled_dot_product_attention<grouped>(q, k, v, key_lengths(lengths));
  }
};
struct OfDocuments {  // of 90 places, of which every seventh is of none
  constexpr auto operator()(const auto& q, const auto& k, const auto& v) const {
    constexpr i64 length = std::remove_cvref_t<decltype(q)>::shape::value.extent[2];
    const auto place = arange<i64, length>();
    const auto doc = cast<i64>(place / 90);
    return attention(
        q, k, v,
        [](auto, auto, auto i, auto j, auto d, auto open) {
          return (d[i] == d[j]) & (j <= i) & open[j] & open[i];
        },
        doc, place % 7 != 3);
  }
};

}  // namespace

TEST_CASE("attention: key lengths and documents, whose tiles are known as the program runs") {
  agrees<f32>(5e-6, OfLengths{}, Shape<3, 4, 70, 8>{}, Shape<3, 2, 300, 8>{}, Shape<3, 2, 300, 8>{},
              Shape<3, 4, 70, 8>{});
  agrees<f32>(5e-6, OfDocuments{}, Shape<1, 2, 400, 8>{}, Shape<1, 2, 400, 8>{}, Shape<1, 2, 400, 8>{},
              Shape<1, 2, 400, 8>{});
  agrees<f32>(5e-6, OfDocuments{}, Shape<2, 4, 400, 8>{}, Shape<2, 4, 400, 8>{}, Shape<2, 4, 400, 8>{},
              Shape<2, 4, 400, 8>{});
  agrees<bf16>(8e-3, OfDocuments{}, Shape<1, 2, 200, 16>{}, Shape<1, 2, 200, 16>{}, Shape<1, 2, 200, 16>{},
               Shape<1, 2, 200, 16>{});
}

TEST_CASE("attention: tiles that a tensor masks are not computed") {
  // a NaN among the values of a tile that is computed reaches every result, by 0 * NaN
  constexpr i64 keys = 1024;
  const auto finite = [](auto attend, const auto& tensor, auto input, i64 first, i64 last) {
    auto f =
        compile(Cpu{2}, attend, in<f32, 1, 1, 512, 8>, in<f32, 1, 1, keys, 8>, in<f32, 1, 1, keys, 8>, input);
    std::vector<f32> v = as<f32>(numbers(keys * 8, 2));
    for (i64 j = 0; j < keys; ++j)
      if (j < first || j >= last) v[static_cast<std::size_t>(j * 8)] = std::nanf("");
    const auto y = f(as<f32>(numbers(512 * 8, 0)), as<f32>(numbers(keys * 8, 1)), v, tensor);
    i64 bad = 0;
    for (i64 i = 0; i < 512 * 8; ++i) bad += !std::isfinite(y[i]);
    return bad == 0;
  };
  const auto by_length = [](auto q, auto k, auto v, auto n) {
    return scaled_dot_product_attention(q, k, v, key_lengths(n));
  };
  CHECK(finite(by_length, std::vector<i32>{200}, in<i32, 1>, 0, 256));
  CHECK(!finite(by_length, std::vector<i32>{257}, in<i32, 1>, 0, 256));
  const auto by_mask = [](auto q, auto k, auto v, auto m) {
    return scaled_dot_product_attention(q, k, v, m);
  };
  Tensor<bool, Shape<keys>> mask;
  for (i64 j = 0; j < keys; ++j) mask.data()[j] = j >= 300 && j < 500;
  CHECK(finite(by_mask, mask, in<bool, keys>, 256, 512));
  CHECK(!finite(by_mask, mask, in<bool, keys>, 256, 499));
  Tensor<bool, Shape<512, keys>> whole;
  for (i64 i = 0; i < 512 * keys; ++i) whole.data()[i] = i % keys >= 300 && i % keys < 500;
  CHECK(finite(by_mask, whole, in<bool, 512, keys>, 256, 512));
  CHECK(!finite(by_mask, whole, in<bool, 512, keys>, 256, 499));
  const auto by_documents = [](auto q, auto k, auto v, auto doc) {
    return attention(
        q, k, v, [](auto, auto, auto i, auto j, auto d) { return d[i] == d[j]; }, doc);
  };
  std::vector<i32> doc(keys);
  for (std::size_t j = 0; j < doc.size(); ++j) doc[j] = j < 512 ? static_cast<i32>(j / 64) : 100;
  CHECK(finite(by_documents, doc, in<i32, keys>, 0, 512));
  doc[700] = 3;
  CHECK(!finite(by_documents, doc, in<i32, keys>, 0, 512));
}
