#pragma once
// What tests/parity/generate_ops.py calls gradients(): of sum(f(x...) * (1, 2, 3, ...)).

#include <tuple>

#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/grad.hpp"

namespace weft::testing {

// weighted<0>(f)(x, ...): the gradient of the first argument; weighted<0, 1>(f): a tuple of both.
template <int... Args, class F>
constexpr auto weighted(const F& f) {
  return grad<Args...>([f](auto... v) {
    const auto y = to_expr(f(v...));
    using Y = std::remove_cvref_t<decltype(y)>;
    return sum(reshape<Y::size>(y) * arange<f32, 1, Y::size + 1>());
  });
}

// The value of f and that gradient, as the groups of data/losses.txt have them.
template <class F, class X>
constexpr auto both(const F& f, const X& x) {
  return std::tuple{f(x), weighted<>(f)(x)};
}

}  // namespace weft::testing
