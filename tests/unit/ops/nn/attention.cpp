#include "weft/ops/nn/attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/gradcheck.hpp"
#include "support/safetensors_reference.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// What PyTorch computed.
class Reference : public SafetensorsReference {
 public:
  Reference() : SafetensorsReference("tests/parity/nn/attention.safetensors") {}
};

// The value of attention, and the gradients of sum(y * g), g the last argument.
template <AttentionOptions O, int... Args>
struct Both {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    const std::tuple<const A&...> all(a...);
    const auto f = [](const auto&... v) {
      const std::tuple<decltype(v)...> operands(v...);
      return sum<>(attend(operands, std::make_index_sequence<sizeof...(v) - 1>{}) *
                   std::get<sizeof...(v) - 1>(operands));
    };
    return std::tuple_cat(std::tuple{attend(all, std::make_index_sequence<sizeof...(A) - 1>{})},
                          grad<Args...>(f)(a...));
  }
  template <class All, std::size_t... K>
  static constexpr auto attend(const All& all, std::index_sequence<K...>) {
    return scaled_dot_product_attention<O>(std::get<K>(all)...);
  }
};
constexpr AttentionOptions none{}, causal{.is_causal = true}, half_scale{.scale = 0.5},
    grouped{.enable_gqa = true}, grouped_causal{.is_causal = true, .enable_gqa = true};

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

TEST_CASE("attention: agrees with PyTorch without a mask, with causal order and another scale") {
  const Reference file;
  auto plain = compile(test_device(), Both<none, 0, 1, 2>{}, in<f32, 2, 3, 4, 8>, in<f32, 2, 3, 6, 8>,
                       in<f32, 2, 3, 6, 5>, in<f32, 2, 3, 4, 5>);
  file.check(plain(file("plain.q"), file("plain.k"), file("plain.v"), file("plain.g")), "plain",
             {"y", "dq", "dk", "dv"});
  auto ordered = compile(test_device(), Both<causal, 0, 1, 2>{}, in<f32, 3, 6, 8>, in<f32, 3, 4, 8>,
                         in<f32, 3, 4, 8>, in<f32, 3, 6, 8>);
  file.check(ordered(file("causal.q"), file("causal.k"), file("causal.v"), file("causal.g")), "causal",
             {"y", "dq", "dk", "dv"});
  auto scaled = compile(test_device(), Both<half_scale, 0, 1, 2>{}, in<f32, 5, 8>, in<f32, 7, 8>,
                        in<f32, 7, 3>, in<f32, 5, 3>);
  file.check(scaled(file("scaled.q"), file("scaled.k"), file("scaled.v"), file("scaled.g")), "scaled",
             {"y", "dq", "dk", "dv"});
}

TEST_CASE("attention: masks agree with PyTorch, and a query that sees no key gives zeros") {
  const Reference file;
  auto masked = compile(test_device(), Both<none, 0, 1, 2>{}, in<f32, 2, 3, 4, 8>, in<f32, 2, 3, 6, 8>,
                        in<f32, 2, 3, 6, 8>, in<bool, 2, 1, 4, 6>, in<f32, 2, 3, 4, 8>);
  const auto results = masked(file("masked.q"), file("masked.k"), file("masked.v"),
                              file.values<bool>("masked.mask"), file("masked.g"));
  file.check(results, "masked", {"y", "dq", "dk", "dv"});
  for (i64 i = 16; i < 24; ++i) CHECK((std::get<0>(results)[i] == 0 && std::get<1>(results)[i] == 0));

  auto added = compile(test_device(), Both<none, 0, 1, 2, 3>{}, in<f32, 2, 3, 4, 8>, in<f32, 2, 3, 6, 8>,
                       in<f32, 2, 3, 6, 8>, in<f32, 4, 6>, in<f32, 2, 3, 4, 8>);
  file.check(added(file("added.q"), file("added.k"), file("added.v"), file("added.mask"), file("added.g")),
             "added", {"y", "dq", "dk", "dv", "dmask"});
}

TEST_CASE("attention: heads that share keys agree with PyTorch's enable_gqa") {
  const Reference file;
  auto shared = compile(test_device(), Both<grouped_causal, 0, 1, 2>{}, in<f32, 2, 6, 4, 8>,
                        in<f32, 2, 2, 5, 8>, in<f32, 2, 2, 5, 8>, in<f32, 2, 6, 4, 8>);
  file.check(shared(file("grouped.q"), file("grouped.k"), file("grouped.v"), file("grouped.g")), "grouped",
             {"y", "dq", "dk", "dv"});
  auto one = compile(test_device(), Both<grouped, 0, 1, 2>{}, in<f32, 2, 3, 4, 8>, in<f32, 2, 1, 5, 8>,
                     in<f32, 2, 1, 5, 4>, in<bool, 3, 4, 5>, in<f32, 2, 3, 4, 4>);
  file.check(one(file("multi_query.q"), file("multi_query.k"), file("multi_query.v"),
                 file.values<bool>("multi_query.mask"), file("multi_query.g")),
             "multi_query", {"y", "dq", "dk", "dv"});
}

TEST_CASE("attention: dropped weights are zero, the others larger, anew in every call") {
  // equal scores and values of the identity: the result is the weights
  auto f = compile(
      test_device(),
      [](auto q, auto k, auto v) {
        return std::tuple{scaled_dot_product_attention(q, k, v, 0.25),
                          scaled_dot_product_attention(q, k, v, 0),
                          scaled_dot_product_attention(cast<bf16>(q + 1), cast<bf16>(k), cast<bf16>(v))};
      },
      in<f32, 512, 4>, in<f32, 8, 4>, in<f32, 8, 8>);
  std::vector<float> q(2048, 0), k(32, 1), v(64, 0);
  for (std::size_t i = 0; i < 8; ++i) v[9 * i] = 1, k[4 * i] = static_cast<float>(i) / 4;
  f.set_seed(3);
  const auto [dropped, kept, small] = f(q, k, v);
  double zeros = 0;
  for (i64 i = 0; i < 4096; ++i) {
    zeros += dropped[i] == 0 ? 1 : 0;
    CHECK((dropped[i] == 0 || dropped[i] == doctest::Approx(0.125 / 0.75)));
    CHECK(kept[i] == doctest::Approx(0.125));
  }
  CHECK(std::abs(zeros / 4096 - 0.25) < 4 * std::sqrt(0.25 * 0.75 / 4096));
  // small floats: the softmax of (k_0 + 3) / 2, rounded to 8 bits
  double total = 0;
  for (int i = 0; i < 8; ++i) total += std::exp(i / 8.0);
  for (int i = 0; i < 8; ++i)
    CHECK(static_cast<double>(static_cast<float>(small[i])) ==
          doctest::Approx(std::exp(i / 8.0) / total).epsilon(1.6e-2));
  const std::vector<float> first(dropped.data(), dropped.data() + 4096);
  CHECK(std::get<0>(f(q, k, v)).to_vector() != first);
  f.set_seed(3);
  CHECK(std::get<0>(f(q, k, v)).to_vector() == first);
}

TEST_CASE("attention: of run-time tensors") {
  Tensor<f32, Shape<2, 2>> q{1, 0, 0, 1}, k{2, 0, 0, 2}, v{1, 2, 3, 4};
  Tensor<f32, Shape<2, 2>> y = scaled_dot_product_attention<causal>(q, k, v);
  const double w = 1 / (1 + std::exp(-std::sqrt(2.0)));
  CHECK(y(0, 0) == 1);
  CHECK(y(0, 1) == 2);
  CHECK(y(1, 0) == doctest::Approx(3 * w + 1 - w));
  CHECK(y(1, 1) == doctest::Approx(4 * w + 2 * (1 - w)));
  y = scaled_dot_product_attention(q, k, v, eq(k, 2));
  CHECK(y.to_vector() == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("attention: gradients in f64") {
  const auto check = [](const std::string& what, const auto& f, const auto&... points) {
    const GradCheck r = gradcheck(f, points...);
    INFO(what, ": error ", r.error, ", lowered ", r.lowered);
    CHECK(r.ok());
  };
  const auto q = point<2, 3, 4>(-1, 1, 1);
  const auto k = point<2, 5, 4>(-1, 1, 2);
  const auto v = point<2, 5, 2>(-1, 1, 3);
  check(
      "plain", [](auto a, auto b, auto c) { return scaled_dot_product_attention(a, b, c); }, q, k, v);
  check(
      "causal", [](auto a, auto b, auto c) { return scaled_dot_product_attention<causal>(a, b, c); }, q, k,
      v);
  check(
      "mask, second query blind",
      [](auto a, auto b, auto c) {
        const auto open = ne(reshape<3, 1>(arange<i32, 3>()), 1) & ne(arange<i32, 5>(), 2);
        return scaled_dot_product_attention(a, b, c, open);
      },
      q, k, v);
  check(
      "added mask", [](auto a, auto b, auto c, auto m) { return scaled_dot_product_attention(a, b, c, m); },
      q, k, v, point<3, 5>(-1, 1, 4));
  check(
      "groups", [](auto a, auto b, auto c) { return scaled_dot_product_attention<grouped_causal>(a, b, c); },
      point<4, 3, 2>(-1, 1, 5), point<2, 3, 2>(-1, 1, 6), point<2, 3, 2>(-1, 1, 7));
}

TEST_CASE("attention: key lengths agree with PyTorch's attention of each sequence alone; 0 gives zeros") {
  const SafetensorsReference file("tests/parity/nn/packed_attention.safetensors");
  const auto both = [](auto q, auto k, auto v, auto n, auto g) {
    const auto attend = [](auto a, auto b, auto c, auto lengths) {
      return scaled_dot_product_attention<grouped>(a, b, c, key_lengths(lengths));
    };
    return std::tuple_cat(std::tuple{attend(q, k, v, n)},
                          grad<0, 1, 2>([=](auto a, auto b, auto c, auto l, auto e) {
                            return sum<>(attend(a, b, c, l) * e);
                          })(q, k, v, n, g));
  };
  constexpr auto q = in<f32, 4, 4, 9, 8>;
  constexpr auto k = in<f32, 4, 2, 140, 8>;
  auto f = compile(test_device(), both, q, k, in<f32, 4, 2, 140, 6>, in<i32, 4>, in<f32, 4, 4, 9, 6>);
  file.check(f(file("lengths.q"), file("lengths.k"), file("lengths.v"), file.values<i32>("lengths.lengths"),
               file("lengths.g")),
             "lengths", {"y", "dq", "dk", "dv"});
  auto wide = compile(test_device(), both, q, k, in<f32, 4, 2, 140, 6>, in<i64, 4>, in<f32, 4, 4, 9, 6>);
  const std::vector<i64> lengths{i64{1} << 40, 129, -5, 1};  // more than all, and fewer than none
  file.check(wide(file("lengths.q"), file("lengths.k"), file("lengths.v"), lengths, file("lengths.g")),
             "lengths", {"y", "dq", "dk", "dv"});
}

TEST_CASE("attention: key lengths hold beside masks, causal order and dropout") {
  std::vector<float> x(384);
  for (std::size_t e = 0; e < x.size(); ++e)
    x[e] = static_cast<float>(std::sin(0.7 * static_cast<double>(e)));
  auto f = compile(
      test_device(),
      [](auto q, auto n) {
        const auto seen = arange<i32, 6>() < reshape<2, 1, 1, 1>(n);
        const auto bias = cast<f32>(arange<i32, 6>()) * 0.1f;
        return std::tuple{scaled_dot_product_attention<causal>(q, q, q, key_lengths(n)),
                          scaled_dot_product_attention<causal>(q, q, q, seen),
                          scaled_dot_product_attention(q, q, q, bias, key_lengths(n)),
                          scaled_dot_product_attention(q, q, q, where(seen, bias, -INFINITY)),
                          scaled_dot_product_attention(q, q, q, 0.0, key_lengths(n)),
                          scaled_dot_product_attention(q, q, q, seen),
                          scaled_dot_product_attention(q, q, q, bias, 0.0, key_lengths(n)),
                          scaled_dot_product_attention(q, q, q, where(seen, bias, -INFINITY))};
      },
      in<f32, 2, 4, 6, 8>, in<i32, 2>);
  same_in_pairs(f(x, std::vector<i32>{4, 6}));
}

TEST_CASE("attention: first and second derivatives with key lengths agree with finite differences in f64") {
  const auto attend = [](auto q, auto k, auto v) {
    return scaled_dot_product_attention(q, k, v, key_lengths(arange<i32, 2>() * 2));  // 0 and 2
  };
  const auto first =
      gradcheck([&](auto... a) { return sum<>(square(attend(a...))); }, point<2, 1, 3, 2>(-1, 1),
                point<2, 1, 3, 2>(-1, 1, 2), point<2, 1, 3, 2>(-1, 1, 3));
  CHECK(first.error < 1e-6);
  CHECK(first.lowered < 1e-9);
  const auto second = gradcheck(
      [&](auto... a) {
        return sum<>(
            square(std::get<0>(grad<0, 1>([&](auto... b) { return sum<>(square(attend(b...))); })(a...))));
      },
      point<2, 1, 3, 2>(-1, 1), point<2, 1, 3, 2>(-1, 1, 2), point<2, 1, 3, 2>(-1, 1, 3));
  CHECK(second.error < 1e-5);
  CHECK(second.lowered < 1e-9);
}
