// Functions that other tests reach only through operators, and tensors with extents of 0 and 1.

#include "support/gradcheck.hpp"
#include "support/parity.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/ops.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("names: functions behind operators, aliases and literals") {
  check_group(
      "names",
      [](auto a, auto b, auto i, auto j) {
        return std::tuple{add(a, b),
                          sub(a, b),
                          mul(a, b),
                          div(a, b),
                          le(a, b),
                          gt(a, b),
                          ge(a, b),
                          bitwise_and(i, j),
                          bitwise_or(i, j),
                          bitwise_xor(i, j),
                          bitwise_not(i),
                          logical_not(a > 0),
                          mm(a, t(a)),
                          mv(a, b),
                          clamp_min(a, 0.1),
                          clamp_max(a, b),
                          float_power(abs(a), b),
                          atleast_1d(sum(b)),
                          fma(a, b, 1),
                          broadcast_to<2, 3>(b),
                          zeros_like(a),
                          empty<f32, 2, 3>() + empty_like(a),
                          contiguous(t(a)),
                          view<3, 2>(a)};
      },
      in<f32, 2, 3>, in<f32, 3>, in<i64, 3>, in<i64, 3>);
}

TEST_CASE("names: extents of 0 and 1") {
  check_group(
      "extents",
      [](auto b, auto one) {
        const auto none = zeros<f32, 3, 0>() * sum(b);
        const auto two = zeros<f32, 2, 0>() * sum(b);
        const auto places = zeros<i64, 0>();
        return std::tuple{cumsum<1>(none),
                          cumsum<0>(none),
                          argsort(none),
                          gather<0>(b, places),
                          index(b, places),
                          index(b, range<2, 1>),
                          einsum<"ij,ik->jk">(none, expand<3, 2>(sum(b))),
                          einsum<"ij,kj->ik">(none, two),
                          scatter_add<0>(b, places, slice<0, 0, 0>(b)),
                          cumsum<0>(one),
                          std::get<0>(sort<0>(one)),
                          argsort<0>(one),
                          std::get<1>(cummax<1>(one)),
                          std::get<0>(kthvalue<1>(one)),
                          median(one),
                          diff<0>(one),
                          einsum<"ij,ij->">(one, one),
                          index(one, every, remainder(arange<i64, 2>(), 2) * -1)};
      },
      in<f32, 3>, in<f32, 1, 1>);
}

TEST_CASE("names: gradients of what is left") {
  const auto x = point<3, 4>(-2, 2, 1), y = point<3, 4>(-2, 2, 2);
  const auto cube = point<2, 3, 4>(-2, 2, 7);
  CHECK(
      gradcheck([](auto v) { return relu6(v * 3) + hardtanh(v, -0.7, 0.9); }, point<3, 4>(0.1, 0.6, 5)).ok());
  CHECK(
      gradcheck([](auto a, auto b) { return bmm(a, transpose<1, 2>(b)); }, cube, point<2, 5, 4>(-2, 2)).ok());
  CHECK(gradcheck([](auto a, auto b) { return linear(a, b); }, cube, x).ok());
  CHECK(gradcheck([](auto a, auto b) { return mm(a, t(b)); }, x, y).ok());
  CHECK(gradcheck([](auto a, auto b) { return mv(a, b); }, x, point<4>(-2, 2)).ok());
  CHECK(gradcheck([](auto v) { return view<6, 2>(permute<1, 0>(v)); }, x).ok());
  CHECK(gradcheck([](auto v) { return expand<2, 3, 4>(v) * 2; }, x).ok());
  CHECK(gradcheck([](auto v, auto w) { return expand_as(v, w) * w; }, point<4>(-2, 2), x).ok());
  CHECK(gradcheck([](auto v) { return broadcast_to<2, 3, 4>(v); }, x).ok());
  CHECK(gradcheck([](auto v) { return squeeze(unsqueeze<1>(v)); }, x).ok());
  CHECK(gradcheck([](auto v) { return tile<2, 1>(v); }, x).ok());
  CHECK(gradcheck([](auto v) { return frac(v * 0.1 + 2); }, point<3, 4>(0.5, 2, 5)).ok());
  CHECK(gradcheck([](auto v) { return clamp_min(v, 0.1) + clamp_max(v, 3); }, point<3, 4>(0.5, 2, 5)).ok());
  CHECK(gradcheck([](auto v) { return narrow<1, 1, 2>(v); }, x).ok());
  CHECK(gradcheck([](auto v) { return chunk<2, 1>(v); }, x).ok());
  CHECK(gradcheck([](auto v) { return min<1>(v) + amin<1>(v) * max<1>(v) + amax<1>(v); }, x).ok());
  CHECK(gradcheck([](auto v) { return linspace<f64, 4>(v, 3); }, point<>(-2, 2)).ok());
  CHECK(gradcheck([](auto v) { return contiguous(t(v)); }, x).ok());
  CHECK(gradcheck(
            [](auto v) { return std::get<1>(value_and_grad([](auto w) { return sum(w * w * w); })(v)); }, x)
            .ok());
}
