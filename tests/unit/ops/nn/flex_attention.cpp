#include "weft/ops/nn/flex_attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "support/gradcheck.hpp"
#include "support/safetensors_reference.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// What FlexAttention computed, tests/parity/generate_flex_attention.py.
class Reference : public SafetensorsReference {
 public:
  Reference() : SafetensorsReference("tests/parity/nn/flex_attention.safetensors") {}
};

// attend(q, k, v, tensors...) and the gradients of sum(y * g) by the arguments named; the last argument is g.
template <class Attend, int... Args>
struct Both {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    const auto f = [](const auto&... v) {
      const std::tuple<decltype(v)...> all(v...);
      return sum<>(attend(all) * std::get<sizeof...(v) - 1>(all));
    };
    return std::tuple_cat(std::tuple{attend(std::tuple<const A&...>(a...))}, grad<Args...>(f)(a...));
  }
  template <class... A>
  static constexpr auto attend(const std::tuple<A...>& all) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) { return Attend{}(std::get<K>(all)...); }
    (std::make_index_sequence<sizeof...(A) - 1>{});
  }
};
template <int... Args, class Attend, class... I>
auto both(Attend, I... inputs) {
  return compile(test_device(), Both<Attend, Args...>{}, inputs...);
}

constexpr AttentionOptions causal{.is_causal = true};
constexpr auto small = in<f32, 2, 4, 6, 8>;
constexpr auto alibi = [](auto s, auto, auto h, auto i, auto j, auto slopes) {
  return s + slopes[h] * (j - i);
};

// Results 0 and 1, 2 and 3, ...
template <class Results>
void same_in_pairs(const Results& results) {
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto same = [](const auto& got, const auto& wanted) {
      for (i64 e = 0; e < wanted.size(); ++e) CHECK(got[e] == doctest::Approx(wanted[e]).epsilon(1e-6));
    };
    (same(std::get<2 * K>(results), std::get<2 * K + 1>(results)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Results> / 2>{});
}

}  // namespace

TEST_CASE("flex attention: a slope for each head, and a soft cap, agree with PyTorch") {
  const Reference file;
  auto sloped = both<0, 1, 2, 3>([](auto q, auto k, auto v, auto t) { return attention(q, k, v, alibi, t); },
                                 small, small, small, in<f32, 4>, small);
  file.check(sloped(file("alibi.q"), file("alibi.k"), file("alibi.v"), file("alibi.t0"), file("alibi.g")),
             "alibi", {"y", "dq", "dk", "dv", "dt0"});
  auto capped = both<0, 1, 2>(
      [](auto q, auto k, auto v) {
        return attention(q, k, v, [](auto s, auto, auto, auto, auto) { return 0.5 * tanh(s / 0.5); });
      },
      small, small, small, small);
  file.check(capped(file("soft_cap.q"), file("soft_cap.k"), file("soft_cap.v"), file("soft_cap.g")),
             "soft_cap", {"y", "dq", "dk", "dv"});
}

TEST_CASE("flex attention: a window, prefixes and documents agree with PyTorch") {
  const Reference file;
  constexpr auto long_one = in<f32, 1, 2, 70, 8>;
  auto window = both<0, 1, 2>(
      [](auto q, auto k, auto v) {
        return attention(q, k, v, [](auto, auto, auto i, auto j) { return (j <= i) & (i - j < 9); });
      },
      long_one, long_one, long_one, long_one);
  file.check(window(file("window.q"), file("window.k"), file("window.v"), file("window.g")), "window",
             {"y", "dq", "dk", "dv"});
  auto prefix = both<0, 1, 2>(
      [](auto q, auto k, auto v, auto t) {
        return attention(
            q, k, v, [](auto b, auto, auto i, auto j, auto length) { return (j < length[b]) | (j <= i); }, t);
      },
      small, small, small, in<i32, 2>, small);
  file.check(prefix(file("prefix.q"), file("prefix.k"), file("prefix.v"), file.values<i32>("prefix.t0"),
                    file("prefix.g")),
             "prefix", {"y", "dq", "dk", "dv"});
  auto documents = both<0, 1, 2>(
      [](auto q, auto k, auto v, auto t) {
        return attention(
            q, k, v,
            [](auto b, auto, auto i, auto j, auto doc) { return (doc[b][i] == doc[b][j]) & (j <= i); }, t);
      },
      small, small, small, in<i32, 2, 6>, small);
  file.check(documents(file("documents.q"), file("documents.k"), file("documents.v"),
                       file.values<i32>("documents.t0"), file("documents.g")),
             "documents", {"y", "dq", "dk", "dv"});
}

TEST_CASE("flex attention: learned biases by relative place agree with PyTorch, and negative places wrap") {
  const Reference file;
  auto relative = both<0, 1, 2, 3>(
      [](auto q, auto k, auto v, auto t) {
        return attention(
            q, k, v, [](auto s, auto, auto h, auto i, auto j, auto bias) { return s + bias[h][i - j + 6]; },
            t);
      },
      in<f32, 2, 4, 5, 8>, in<f32, 2, 4, 7, 8>, in<f32, 2, 4, 7, 3>, in<f32, 4, 11>, in<f32, 2, 4, 5, 3>);
  file.check(relative(file("relative.q"), file("relative.k"), file("relative.v"), file("relative.t0"),
                      file("relative.g")),
             "relative", {"y", "dq", "dk", "dv", "dt0"});
  constexpr auto long_one = in<f32, 1, 2, 70, 8>;
  auto t5 = both<0, 1, 2, 3>(
      [](auto q, auto k, auto v, auto t) {
        return attention(
            q, k, v,
            [](auto s, auto, auto h, auto i, auto j, auto bias) {
              const auto far = abs(j - i);
              const auto large = 8 + cast<i32>(log(far / 8) / 2.772588722239781 * 8);
              return s + bias[16 * cast<i32>(j > i) + where(far < 8, far, minimum(large, 15))][h];
            },
            t);
      },
      long_one, long_one, long_one, in<f32, 32, 2>, long_one);
  file.check(t5(file("t5.q"), file("t5.k"), file("t5.v"), file("t5.t0"), file("t5.g")), "t5",
             {"y", "dq", "dk", "dv", "dt0"});
  auto wraps = both<0, 1, 2, 3>(
      [](auto q, auto k, auto v, auto t) {
        return attention(
            q, k, v, [](auto s, auto, auto h, auto i, auto j, auto bias) { return s + bias[(h, i - j)]; }, t);
      },
      small, small, small, in<f32, 4, 6>, small);
  file.check(wraps(file("wraps.q"), file("wraps.k"), file("wraps.v"), file("wraps.t0"), file("wraps.g")),
             "wraps", {"y", "dq", "dk", "dv", "dt0"});
}

TEST_CASE(
    "flex attention: score and mask together, over shared heads, agree with PyTorch; no key gives zeros") {
  const Reference file;
  auto gate = both<0, 1, 2, 3, 4>(
      [](auto q, auto k, auto v, auto t, auto u) {
        return attention(
            q, k, v,
            [](auto s, auto, auto h, auto i, auto j, auto gates, auto bias) {
              return s * tanh(gates[h]) + bias[h][i][j];
            },
            [](auto, auto, auto i, auto, auto, auto) { return i != 3; }, t, u);
      },
      small, small, small, in<f32, 4>, in<f32, 4, 6, 6>, small);
  const auto results =
      gate(file("gate.q"), file("gate.k"), file("gate.v"), file("gate.t0"), file("gate.t1"), file("gate.g"));
  file.check(results, "gate", {"y", "dq", "dk", "dv", "dt0", "dt1"});
  for (i64 e = 24; e < 32; ++e) CHECK((std::get<0>(results)[e] == 0 && std::get<1>(results)[e] == 0));
  auto grouped = both<0, 1, 2, 3>(
      [](auto q, auto k, auto v, auto t) {
        return attention<AttentionOptions{.scale = 0.7, .enable_gqa = true}>(
            q, k, v,
            [](auto s, auto b, auto h, auto i, auto j, auto slopes) { return s - slopes[b][h] * abs(i - j); },
            [](auto, auto, auto i, auto j, auto) { return j <= i + 2; }, t);
      },
      in<f32, 2, 4, 5, 8>, in<f32, 2, 2, 7, 8>, in<f32, 2, 2, 7, 6>, in<f32, 2, 4>, in<f32, 2, 4, 5, 6>);
  file.check(
      grouped(file("grouped.q"), file("grouped.k"), file("grouped.v"), file("grouped.t0"), file("grouped.g")),
      "grouped", {"y", "dq", "dk", "dv", "dt0"});
}

TEST_CASE("flex attention: what scaled_dot_product_attention says in other words") {
  std::vector<float> q(384), k(384), v(384);
  for (std::size_t e = 0; e < q.size(); ++e) {
    q[e] = static_cast<float>(std::sin(0.7 * static_cast<double>(e)));
    k[e] = static_cast<float>(std::cos(1.3 * static_cast<double>(e)));
    v[e] = static_cast<float>(std::sin(2.9 * static_cast<double>(e)));
  }
  auto f = compile(
      test_device(),
      [](auto x, auto y, auto z) {
        const int reach = 6;
        return std::tuple{
            scaled_dot_product_attention<causal>(x, y, z),
            attention<causal>(x, y, z),
            attention(x, y, z, [](auto, auto, auto i, auto j) { return j <= i; }),
            attention(x, y, z,
                      [](auto s, auto, auto, auto i, auto j) {
                        return where(j <= i, s, -std::numeric_limits<double>::infinity());
                      }),
            attention<causal>(x, y, z, [reach](auto, auto, auto i, auto j) { return i - j < reach; }),
            attention<causal>(x, y, z, [&x](auto s, auto b, auto h, auto i, auto) {
              return s + index(x, b, h, i, 0) * 0;  // what is captured is of the trace around
            })};
      },
      small, small, small);
  const auto results = f(q, k, v);
  std::apply(
      [&](const auto& wanted, const auto&... others) {
        const auto same = [&](const auto& y) {
          for (i64 e = 0; e < wanted.size(); ++e) CHECK(y[e] == doctest::Approx(wanted[e]).epsilon(1e-6));
        };
        (same(others), ...);
      },
      results);
}

TEST_CASE("flex attention: key lengths stand in front of the functions") {
  std::vector<float> q(384);
  for (std::size_t e = 0; e < q.size(); ++e)
    q[e] = static_cast<float>(std::sin(0.7 * static_cast<double>(e)));
  auto f = compile(
      test_device(),
      [](auto x, auto n, auto slopes) {
        const auto by_mask = [](auto b, auto, auto, auto j, auto length) { return j < length[b]; };
        return std::tuple{
            attention(x, x, x, key_lengths(n)),
            attention(x, x, x, by_mask, n),

            attention(x, x, x, key_lengths(n), alibi, slopes),
            attention(
                x, x, x,
                [](auto s, auto, auto h, auto i, auto j, auto a, auto) { return s + a[h] * (j - i); },
                [](auto b, auto, auto, auto j, auto, auto length) { return j < length[b]; }, slopes, n),

            attention<causal>(x, x, x, key_lengths(n), [](auto, auto, auto i, auto j) { return i - j < 2; }),
            attention<causal>(
                x, x, x,
                [](auto b, auto, auto i, auto j, auto length) { return (i - j < 2) & (j < length[b]); }, n)};
      },
      small, in<i32, 2>, in<f32, 4>);
  same_in_pairs(f(q, std::vector<i32>{2, 5}, std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f}));
}

TEST_CASE("flex attention: at once, of tensors") {
  using Four = Tensor<f32, Shape<1, 2, 3, 4>>;
  const Four q = Four::full(0.5f), v = Four::full(2);
  const Tensor<f32, Shape<2>> slopes{0.25f, 0.5f};
  const Four y = attention(q, q, v, alibi, slopes);
  for (i64 e = 0; e < y.size(); ++e) CHECK(y.data()[e] == doctest::Approx(2));
}

TEST_CASE("flex attention: first and second derivatives agree with finite differences in f64") {
  const auto attend = [](auto q, auto k, auto v, auto slopes, auto bias) {
    return attention(
        q, k, v,
        [](auto s, auto, auto h, auto i, auto j, auto a, auto c) {
          return tanh(s + a[h] * (j - i)) + c[h][i - j];
        },
        [](auto, auto, auto i, auto j, auto, auto) { return j <= i; }, slopes, bias);
  };
  const auto first = gradcheck([&](auto... a) { return sum<>(square(attend(a...))); },
                               point<1, 2, 3, 2>(-1, 1), point<1, 2, 3, 2>(-1, 1, 2),
                               point<1, 2, 3, 2>(-1, 1, 3), point<2>(-1, 1, 4), point<2, 3>(-1, 1, 5));
  CHECK(first.reached);
  CHECK(first.error < 1e-6);
  CHECK(first.lowered < 1e-9);
  const auto second = gradcheck(
      [&](auto... a) {
        const auto g = grad<0, 3>([&](auto... b) { return sum<>(square(attend(b...))); })(a...);
        return sum<>(square(std::get<0>(g))) + sum<>(square(std::get<1>(g)));
      },
      point<1, 2, 3, 2>(-1, 1), point<1, 2, 3, 2>(-1, 1, 2), point<1, 2, 3, 2>(-1, 1, 3), point<2>(-1, 1, 4),
      point<2, 3>(-1, 1, 5));
  CHECK(second.error < 1e-5);
  CHECK(second.lowered < 1e-9);
}
