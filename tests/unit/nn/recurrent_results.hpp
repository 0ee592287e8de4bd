#pragma once
// Recurrent layers and cells as tests/parity/generate_rnn.py records them: with all results in one vector.

#include "reference.hpp"
#include "weft/nn/recurrent.hpp"
#include "weft/ops/shape/concat.hpp"
#include "weft/ops/shape/rearrange.hpp"

namespace nn_test {

template <class... A>
constexpr auto flat(const A&... a) {
  return cat<0>(reshape<std::remove_cvref_t<decltype(to_expr(a))>::size>(a)...);
}

// A layer or cell whose results are one vector, as in tests/parity/generate_rnn.py.
template <class M>
struct One {
  M rnn{};
  constexpr auto operator()(const auto& x) const { return joined(rnn(x)); }
  constexpr auto operator()(const auto& x, const auto& state) const { return joined(rnn(x, state)); }
  constexpr auto operator()(const auto& x, const auto& state, const auto& lengths) const {
    return joined(rnn(x, state, lengths));
  }
  static constexpr auto joined(const auto& results) {
    if constexpr (requires { std::get<0>(results); })
      return std::apply([](const auto&... r) { return flat(r...); }, results);
    else
      return flat(results);
  }
};
// The same with a state of two parts, stacked.
template <class M>
struct Two {
  M rnn{};
  constexpr auto operator()(const auto& x) const { return joined(rnn(x)); }
  constexpr auto operator()(const auto& x, const auto& state) const {
    using Second = std::remove_cvref_t<decltype(to_expr(state))>;
    if constexpr (is_integer(dtype_of<typename Second::dtype>))
      return joined(rnn(x, state));  // lengths
    else
      return joined(rnn(x, std::tuple{select<0, 0>(state), select<0, 1>(state)}));
  }
  constexpr auto operator()(const auto& x, const auto& state, const auto& lengths) const {
    return joined(rnn(x, std::tuple{select<0, 0>(state), select<0, 1>(state)}, lengths));
  }
  static constexpr auto joined(const auto& results) {
    const auto& [y, rest] = results;
    if constexpr (requires { std::get<0>(rest); })
      return flat(y, std::get<0>(rest), std::get<1>(rest));
    else
      return flat(y, rest);
  }
};

}  // namespace nn_test
