#include "weft/ops/nn/varlen_attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/gradcheck.hpp"
#include "support/safetensors_reference.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr AttentionOptions none{}, causal{.is_causal = true};

// The value of f(q, k, v, offsets...), and the gradients of sum(y * g), g the last argument.
template <AttentionOptions O>
struct Both {
  constexpr auto operator()(auto q, auto k, auto v, auto of_q, auto of_k, auto g) const {
    return std::tuple_cat(std::tuple{varlen_attention<O>(q, k, v, of_q, of_k)},
                          grad<0, 1, 2>([](auto a, auto b, auto c, auto m, auto n, auto e) {
                            return sum<>(varlen_attention<O>(a, b, c, m, n) * e);
                          })(q, k, v, of_q, of_k, g));
  }
};

// On the interpreter and on two threads of the host, beside PyTorch's attention of each sequence alone.
template <AttentionOptions O, class Q, class K, class V, class Y>
void agrees(const std::string& name, Q q, K k, V v, Y y) {
  const SafetensorsReference file("tests/parity/nn/packed_attention.safetensors");
  const auto of = [&](auto device) {
    auto f = compile(device, Both<O>{}, q, k, v, in<i32, 5>, in<i32, 5>, y);
    file.check(
        f(file(name + ".q"), file(name + ".k"), file(name + ".v"), file.values<i32>(name + ".cu_seqlens_q"),
          file.values<i32>(name + ".cu_seqlens_k"), file(name + ".g")),
        name, {"y", "dq", "dk", "dv"});
  };
  of(test_device());
  of(Cpu{2});
}

}  // namespace

TEST_CASE("varlen attention: packed sequences agree with PyTorch's attention of each alone") {
  constexpr auto x = in<f32, 150, 2, 8>;
  agrees<none>("packed", x, x, x, x);
  agrees<causal>("causal", in<f32, 150, 4, 8>, x, in<f32, 150, 2, 6>, in<f32, 150, 4, 6>);
}

TEST_CASE("varlen attention: queries and keys of other lengths end together, and tokens of none give zeros") {
  agrees<causal>("crossed", in<f32, 90, 2, 8>, in<f32, 140, 1, 8>, in<f32, 140, 1, 8>, in<f32, 90, 2, 8>);
  const SafetensorsReference file("tests/parity/nn/packed_attention.safetensors");
  auto f = compile(
      Cpu{1}, [](auto q, auto k, auto v, auto n) { return varlen_attention<causal>(q, k, v, n); },
      in<f32, 150, 4, 8>, in<f32, 150, 2, 8>, in<f32, 150, 2, 6>, in<i64, 5>);
  const auto y =
      f(file("causal.q"), file("causal.k"), file("causal.v"), std::vector<i64>{0, 70, 70, 71, 135});
  for (i64 e = 0; e < 150 * 24; ++e)
    CHECK(y[e] == doctest::Approx(file("causal.y")[e]).epsilon(1e-5).scale(1));
  for (i64 e = 135 * 24; e < 150 * 24; ++e) CHECK(y[e] == 0);
}

TEST_CASE("varlen attention: derivatives agree with finite differences in f64") {
  const auto r = gradcheck(
      [](auto q, auto k, auto v) {
        const auto offsets = minimum(arange<i32, 4>() * 2, 5);  // 2, 2 and 1 tokens of 6
        return sum<>(square(varlen_attention<causal>(q, k, v, offsets)));
      },
      point<6, 2, 3>(-1, 1), point<6, 1, 3>(-1, 1, 2), point<6, 1, 2>(-1, 1, 3));
  CHECK(r.error < 1e-6);
  CHECK(r.lowered < 1e-9);
}
