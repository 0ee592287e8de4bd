#pragma once
// What the tests of check::finite and check::indices watch, on Cpu and in the interpreter.

#include <limits>

#include "support/error_of.hpp"
#include "weft/weft.hpp"

namespace weft::testing {

inline constexpr f32 not_a_number = std::numeric_limits<f32>::quiet_NaN(),
                     infinity = std::numeric_limits<f32>::infinity();

struct Net {
  nn::Linear<4, 8> fc1;
  nn::LayerNorm<8> norm;
  nn::Linear<8, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(norm(relu(fc1(x)))); }
};
struct Reader {
  nn::LSTM<4, 5> rnn;
  constexpr auto operator()(auto x) const { return std::get<0>(rnn(x)); }
};
inline constexpr auto classify = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

}  // namespace weft::testing
