#pragma once
// One step of a recurrent network: RNNCell, LSTMCell, GRUCell, with PyTorch's parameters, order of gates and
// start. Law: a step is the same whether a cell or a layer (recurrent.hpp) takes it.

#include <string_view>

#include "weft/nn/container.hpp"
#include "weft/nn/param.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/shape/concat.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE::nn {

enum class Nonlinearity : u8 { tanh, relu };

namespace module_detail {

// "_l1_reverse"; nothing for a cell, which is no layer (-1).
struct LayerSuffix {
  char text[24]{};
  int size = 0;
  constexpr LayerSuffix(int layer, bool reverse) {
    if (layer < 0) return;
    add("_l");
    char digits[12]{};
    int n = 0;
    do digits[n++] = static_cast<char>('0' + layer % 10), layer /= 10;
    while (layer > 0);
    while (n > 0) text[size++] = digits[--n];
    if (reverse) add("_reverse");
  }
  constexpr void add(const char* s) {
    while (*s != 0) text[size++] = *s++;
  }
};

// The parameters of one step. Proj > 0: the hidden state is projected to that size (Sak et al., 2014).
template <i64 Gates, i64 In, i64 Hidden, bool Bias, class T, i64 Proj = 0, int Layer = -1,
          bool Reverse = false>
struct StepWeights {
  static constexpr LayerSuffix suffix{Layer, Reverse};
  static constexpr std::string_view member_suffix() {
    return {suffix.text, static_cast<std::size_t>(suffix.size)};
  }
  template <i64... D>
  using Weight = Param<T, Shape<D...>, init::FanInUniform<Hidden>>;
  static constexpr i64 out = Proj > 0 ? Proj : Hidden;
  Weight<Gates * Hidden, In> weight_ih{};
  Weight<Gates * Hidden, out> weight_hh{};
  std::conditional_t<Bias, Weight<Gates * Hidden>, Absent> bias_ih{};
  std::conditional_t<Bias, Weight<Gates * Hidden>, Absent> bias_hh{};
  std::conditional_t<(Proj > 0), Weight<Proj, Hidden>, Absent> weight_hr{};
};

// Part K of N equal parts of the last axis.
template <int K, int N>
constexpr auto gate(const auto& x) {
  const auto e = to_expr(x);
  constexpr i64 width = std::remove_cvref_t<decltype(e)>::shape::value[-1] / N;
  return narrow<-1, K * width, width>(e);
}

// Steps take `x`: product(input, weights), the state, and the weights. The parts of the state
// are a tuple, the hidden state first. Gates are cut out of the products before anything is added, so that
// the whole step but for its products is one loop.
template <class W>
inline constexpr bool has_bias = !std::is_same_v<decltype(W::bias_ih), Absent>;

// x W_ih^T with both biases: what a step takes of its input.
constexpr auto input_product(const auto& x, const auto& w) {
  if constexpr (has_bias<std::remove_cvref_t<decltype(w)>>)
    return linear(x, w.weight_ih, w.bias_ih + w.bias_hh);
  else
    return linear(x, w.weight_ih);
}
// Gate K of N, before its nonlinearity.
template <int K, int N>
constexpr auto gate_sum(const auto& x, const auto& h) {
  return gate<K, N>(x) + gate<K, N>(h);
}

template <Nonlinearity Function>
struct RnnStep {
  static constexpr int gates = 1, parts = 1;
  static constexpr auto product(const auto& x, const auto& w) { return input_product(x, w); }
  static constexpr auto step(const auto& x, const auto& state, const auto& w) {
    const auto h = linear(std::get<0>(state), w.weight_hh);
    const auto sum = gate_sum<0, 1>(x, h);
    if constexpr (Function == Nonlinearity::tanh)
      return std::tuple{tanh(sum)};
    else
      return std::tuple{relu(sum)};
  }
};

// Hochreiter and Schmidhuber (1997) with forget gates. Gates: input, forget, cell, output.
struct LstmStep {
  static constexpr int gates = 4, parts = 2;
  static constexpr auto product(const auto& x, const auto& w) { return input_product(x, w); }
  static constexpr auto step(const auto& x, const auto& state, const auto& w) {
    const auto h = linear(std::get<0>(state), w.weight_hh);
    const auto i = sigmoid(gate_sum<0, 4>(x, h));
    const auto f = sigmoid(gate_sum<1, 4>(x, h));
    const auto g = tanh(gate_sum<2, 4>(x, h));
    const auto o = sigmoid(gate_sum<3, 4>(x, h));
    const auto c = f * std::get<1>(state) + i * g;
    const auto out = o * tanh(c);
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(w.weight_hr)>, Absent>)
      return std::tuple{linear(out, w.weight_hr), c};
    else
      return std::tuple{out, c};
  }
};

// Cho et al. (2014), the reset gate behind the product. Gates: reset, update, new.
struct GruStep {
  static constexpr int gates = 3, parts = 1;
  // The new gate's second bias stands inside the reset gate's product.
  static constexpr auto product(const auto& x, const auto& w) {
    if constexpr (has_bias<std::remove_cvref_t<decltype(w)>>) {
      const auto both = w.bias_ih + w.bias_hh;
      return linear(x, w.weight_ih, cat<0>(gate<0, 3>(both), gate<1, 3>(both), gate<2, 3>(w.bias_ih)));
    } else {
      return linear(x, w.weight_ih);
    }
  }
  static constexpr auto step(const auto& x, const auto& state, const auto& w) {
    const auto& before = std::get<0>(state);
    const auto h = linear(before, w.weight_hh);
    const auto r = sigmoid(gate_sum<0, 3>(x, h));
    const auto z = sigmoid(gate_sum<1, 3>(x, h));
    const auto n = [&] {
      if constexpr (has_bias<std::remove_cvref_t<decltype(w)>>)
        return tanh(gate<2, 3>(x) + r * (gate<2, 3>(h) + gate<2, 3>(w.bias_hh)));
      else
        return tanh(gate<2, 3>(x) + r * gate<2, 3>(h));
    }();
    return std::tuple{(1.0f - z) * n + z * before};
  }
};

// The shape of x with another last extent.
template <class S, i64 Last>
struct last_extent_rule {
  static constexpr Dims make() {
    Dims d = S::value;
    if (d.rank > 0) d.extent[d.rank - 1] = Last;
    return d;
  }
  static constexpr Dims value = make();
};
template <class T, class S>
constexpr auto zeros_in(ir::Builder& b) {
  return Expr<T, S>{ir::constant(b, dtype_of<T>, S::value, 0)};
}

}  // namespace module_detail

// What: the shape of the input, and the size it should have.
WEFT_REFUSAL(RecurrentInput,
             "the input of a recurrent cell is (batch, input_size) or (input_size), of a recurrent layer "
             "(sequence, batch, input_size), with batch_first (batch, sequence, input_size), or "
             "(sequence, input_size)");
// What: the layer, what is given as its state.
WEFT_REFUSAL(
    StateIsOneArgument,
    "the state of a recurrent layer is one argument: gru(x, h), lstm(x, std::tuple{h, c}), of a cell "
    "too; what is given behind it are the lengths of the sequences");

namespace module_detail {
template <class Step, i64 In>
constexpr auto run_cell(const auto& x, const auto& state, const auto& weights) {
  using X = std::remove_cvref_t<decltype(x)>;
  constexpr bool ok = X::rank >= 1 && X::rank <= 2 && X::shape::value[X::rank > 0 ? -1 : 0] == In;
  static_assert(sizeof(RecurrentInput<ok, Step, typename X::shape, GivenSize<In>>) > 0);
  if constexpr (ok)
    return Step::step(Step::product(x, weights), state, weights);
  else
    return state;
}
template <class T, i64 Hidden, class X>
constexpr auto cell_zeros(const X& x) {
  return zeros_in<T, shape_of<last_extent_rule<typename X::shape, Hidden>>>(*x.value.builder);
}
// Whether A is a state of so many parts: several are a tuple.
template <int Parts, class A>
constexpr bool is_state() {
  if constexpr (TupleLike<A>)
    return Parts > 1 && std::tuple_size<A>::value == Parts;
  else
    return Parts == 1;
}
}  // namespace module_detail

// A cell whose state has one part takes and gives it as it is, one of several parts a tuple. x (batch, In)
// and every part (batch, Hidden), or both without the batch. Without a state it is zero.
template <class StepRule, i64 In, i64 Hidden, bool Bias, class T>
struct RecurrentCell {
  using Step = StepRule;
  Spliced<module_detail::StepWeights<Step::gates, In, Hidden, Bias, T>> weights{};

  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    const auto zero = module_detail::cell_zeros<T, Hidden>(e);
    if constexpr (Step::parts == 1)
      return (*this)(e, zero);
    else
      return (*this)(e, std::tuple{zero, zero});
  }
  template <class S>
  constexpr auto operator()(const auto& x, const S& state) const {
    constexpr bool ok = module_detail::is_state<Step::parts, S>();
    static_assert(sizeof(StateIsOneArgument<ok, RecurrentCell, S>) > 0);
    if constexpr (!ok)
      return (*this)(x);
    else if constexpr (Step::parts == 1)
      return std::get<0>(run(x, std::tuple{expr_beside(x, state)}));
    else
      return run(x, std::tuple{expr_beside(x, std::get<0>(state)), expr_beside(x, std::get<1>(state))});
  }
  // Refused.
  template <class A, class B>
  constexpr auto operator()(const auto& x, const A&, const B&) const {
    static_assert(sizeof(StateIsOneArgument<sizeof(A) == 0, RecurrentCell, A, B>) > 0);
    return (*this)(x);
  }
  constexpr auto run(const auto& x, const auto& parts) const {
    return module_detail::run_cell<Step, In>(to_expr(x), parts, weights.first);
  }
};

template <class Step, i64 In, bool Bias, class T>
struct RecurrentCell<Step, In, not_given, Bias, T> : WithoutSizes<spelled::LSTM, GivenSize<In>> {};

// h' = tanh(x W_ih^T + b_ih + h W_hh^T + b_hh), or relu: cell(x, h) is the next h.
template <i64 In, i64 Hidden = not_given, bool Bias = true, Nonlinearity Function = Nonlinearity::tanh,
          class T = f32>
using RNNCell = RecurrentCell<module_detail::RnnStep<Function>, In, Hidden, Bias, T>;

// cell(x, h) is the next h.
template <i64 In, i64 Hidden = not_given, bool Bias = true, class T = f32>
using GRUCell = RecurrentCell<module_detail::GruStep, In, Hidden, Bias, T>;

// cell(x, std::tuple{h, c}) is a tuple of the next h and c.
template <i64 In, i64 Hidden = not_given, bool Bias = true, class T = f32>
using LSTMCell = RecurrentCell<module_detail::LstmStep, In, Hidden, Bias, T>;

}  // namespace WEFT_NAMESPACE::nn
