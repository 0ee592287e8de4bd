#pragma once
// Recurrent layers: RNN, LSTM, GRU, with PyTorch's names ("weight_ih_l0", "bias_hh_l1_reverse"), layouts,
// order of gates, start and results. Each layer and direction is one loop of the graph; the products of the
// inputs of all time steps are one matrix product before it. Law: of sequences with lengths, each one's
// results and gradients are what it gives alone, and its padding is not read.

#include "weft/core/word.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/recurrent_cell.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/transform/loop.hpp"

namespace WEFT_NAMESPACE::nn {

// torch.nn.LSTM's settings that change shapes or the graph: LSTM<64, 128, Recurrent{.num_layers = 2}>.
struct Recurrent {
  int num_layers = 1;          // one reads the results of the one below
  bool bias = true;            // of all products
  bool batch_first = false;    // (batch, sequence, features) in place of (sequence, batch, features)
  bool bidirectional = false;  // a second direction, from the end; results side by side
  i64 proj_size = 0;           // of LSTM alone
  Word<Nonlinearity> nonlinearity = Nonlinearity::tanh;  // of RNN alone
};

// What: the shape of the initial state, and the one it should have.
WEFT_REFUSAL(RecurrentState,
             "the initial state of a recurrent layer is (num_layers * directions, batch, hidden_size)");

// What: the shape of the input, then the lengths' shape and dtype.
WEFT_REFUSAL(
    RecurrentLengths,
    "behind the input of a recurrent layer stands its initial state, for nn::LSTM a tuple of two, "
    "lstm(x, std::tuple{h, c}), and then the lengths of the sequences, integers (i32 or i64) of shape "
    "(batch), or () without a batch");

WEFT_REFUSAL(
    RecurrentLayersAre,
    "RNN, GRU and LSTM have one layer or more: write nn::LSTM<8, 16, nn::Recurrent{.num_layers = 2}>");
WEFT_REFUSAL(ProjectionIsLstm,
             "proj_size is a setting of nn::LSTM: leave it out of nn::RNN and nn::GRU, and put an nn::Linear "
             "behind");

namespace module_detail {

// What is left of settings that Step has not: so that no second error follows.
template <class Step>
constexpr Recurrent without_projection(Recurrent o) {
  if (Step::parts != 2) o.proj_size = 0;
  return o;
}

// The weights of all layers and directions, in PyTorch's order.
template <class Step, i64 In, i64 Hidden, Recurrent O, class T, class Part>
struct LayerStack;
template <class Step, i64 In, i64 Hidden, Recurrent O, class T, std::size_t... P>
struct LayerStack<Step, In, Hidden, O, T, std::index_sequence<P...>> {
  static constexpr int directions = O.bidirectional ? 2 : 1;
  static constexpr i64 out = O.proj_size > 0 ? O.proj_size : Hidden;
  template <int Part>
  using Weights = StepWeights<Step::gates, (Part < directions ? In : directions * out), Hidden, O.bias, T,
                              O.proj_size, Part / directions, Part % directions == 1>;
  using type = Spliced<Weights<static_cast<int>(P)>...>;
};

template <class S, i64 Last>
struct step_rule {
  static constexpr Dims make() {
    Dims d = ir::slice_dims(S::value);
    d.extent[d.rank - 1] = Last;
    return d;
  }
  static constexpr Dims value = make();
};

template <class Step, i64 In, i64 Hidden, Recurrent O, class T>
struct Layers {
  static_assert(sizeof(RecurrentLayersAre<(O.num_layers > 0), Step, GivenSize<O.num_layers>>) > 0);
  static constexpr int directions = O.bidirectional ? 2 : 1;
  static constexpr int count = (O.num_layers > 0 ? O.num_layers : 1) * directions;
  using Stack = typename LayerStack<Step, In, Hidden, O, T,
                                    std::make_index_sequence<static_cast<std::size_t>(count)>>::type;
  // The last extent of part K of the state.
  template <int K>
  static constexpr i64 extent = K == 0 && O.proj_size > 0 ? O.proj_size : Hidden;

  // Part K of the state of layer and direction `P`: cut out of the initial state, or zeros.
  template <int P, int K, class X, class S>
  static constexpr auto start(const X& x, const S& state) {
    using Wanted = shape_of<step_rule<typename X::shape, extent<K>>>;
    if constexpr (std::is_same_v<S, Absent>)
      return zeros_in<typename X::dtype, Wanted>(*x.value.builder);
    else
      return select<0, P>(std::get<K>(state));
  }
  // One step; past a sequence's end its state stays and its output is zero.
  template <class W, class B, class X>
  static constexpr auto advance(const W& w, const B& before, const X& product) {
    const auto next = Step::step(product, before, w);
    return std::pair{next, std::get<0>(next)};
  }
  template <class W, class B, class X, class I>
  static constexpr auto advance(const W& w, const B& before, const X& product, const I& inside) {
    const auto next = Step::step(product, before, w);
    const auto output = where(inside, std::get<0>(next), 0);
    const auto kept = [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple{where(inside, std::get<K>(next), std::get<K>(before))...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(Step::parts)>{});
    return std::pair{kept, output};
  }
  // One layer in one direction over x (sequence, ..., features): its outputs and its last state. `inside`:
  // nothing, or whether a step lies inside its sequence (sequence, ..., 1).
  template <int P, class X, class S, class... I>
  static constexpr auto direction(const Stack& stack, const X& x, const S& state, const I&... inside) {
    const auto& w = stack.template part<P>();
    const auto products = Step::product(x, w);
    const auto body = [&](const auto& before, const auto& product, const auto&... here) {
      return advance(w, before, product, here...);
    };
    const auto first = [&] {
      if constexpr (Step::parts == 1)
        return std::tuple{start<P, 0>(x, state)};
      else
        return std::tuple{start<P, 0>(x, state), start<P, 1>(x, state)};
    }();
    if constexpr (P % directions == 1)
      return reverse_loop(body, first, products, inside...);
    else
      return loop(body, first, products, inside...);
  }
  // Layers from P on; `inside`: a tuple of nothing or one, `last`: the last states so far. Returns the
  // outputs and a tuple of all last states.
  template <int P, class X, class S, class I, class... Last>
  static constexpr auto run(const Stack& stack, const X& x, const S& state, const I& inside, float p,
                            const Last&... last) {
    const auto forward = directed<P>(stack, x, state, inside);
    if constexpr (directions == 1) {
      return go_on<P + 1>(stack, forward.second, state, inside, p, last..., forward.first);
    } else {
      const auto backward = directed<P + 1>(stack, x, state, inside);
      return go_on<P + 2>(stack, cat<-1>(forward.second, backward.second), state, inside, p, last...,
                          forward.first, backward.first);
    }
  }
  template <int P, class X, class S, class I>
  static constexpr auto directed(const Stack& stack, const X& x, const S& state, const I& inside) {
    return std::apply([&](const auto&... i) { return direction<P>(stack, x, state, i...); }, inside);
  }
  template <int P, class X, class S, class I, class... Last>
  static constexpr auto go_on(const Stack& stack, const X& y, const S& state, const I& inside, float p,
                              const Last&... last) {
    if constexpr (P < count)
      return run<P>(stack, dropout(y, p), state, inside, p, last...);
    else
      return std::pair{y, std::tuple<Last...>{last...}};
  }
  // Part K of all last states, (layers * directions, ...).
  template <int K, class All>
  static constexpr auto joined(const All& all) {
    return std::apply([](const auto&... s) { return stack<0>(std::get<K>(s)...); }, all);
  }

  template <class X>
  static constexpr bool input_fits =
      (X::rank == 2 || X::rank == 3) && X::shape::value[X::rank > 0 ? -1 : 0] == In;
  template <int K, class X, class S>
  static constexpr bool state_fits() {
    if constexpr (std::is_same_v<S, Absent>) {
      return true;
    } else {
      const Dims wanted = ir::stacked_dims(count, step_rule<typename X::shape, extent<K>>::value);
      return std::remove_cvref_t<std::tuple_element_t<K, S>>::shape::value == wanted;
    }
  }

  template <class X, class N>
  static constexpr bool lengths_fit() {
    if constexpr (std::is_same_v<N, Absent>)
      return true;
    else
      return (std::is_same_v<typename N::dtype, i32> || std::is_same_v<typename N::dtype, i64>)&&(
          X::rank == 3 ? std::is_same_v<typename N::shape, Shape<X::shape::value[1]>> : N::rank == 0);
  }
  // (sequence, ..., 1): whether a step lies inside its sequence.
  template <class X, class N>
  static constexpr auto steps_inside(const N& lengths) {
    using Count = typename N::dtype;
    constexpr i64 steps = X::shape::value[0];
    if constexpr (X::rank == 3) {
      constexpr i64 batch = X::shape::value[1];
      return lt(reshape<steps, 1, 1>(arange<Count, steps>()), reshape<1, batch, 1>(lengths));
    } else {
      return lt(reshape<steps, 1>(arange<Count, steps>()), reshape<1, 1>(lengths));
    }
  }

  // x as the caller has it; state: a tuple of its parts, or Absent; lengths: or Absent.
  template <class X, class S, class N>
  static constexpr auto call(const Stack& stack, const X& x, const S& state, const N& lengths, float p) {
    constexpr bool swap = O.batch_first && X::rank == 3;
    static_assert(sizeof(RecurrentInput<input_fits<X>, Step, typename X::shape, GivenSize<In>>) > 0);
    if constexpr (!input_fits<X>) {
      return results(x, std::tuple<std::tuple<X, X>>{{x, x}});
    } else {
      const auto sequence = [&] {
        if constexpr (swap)
          return transpose<0, 1>(x);
        else
          return x;
      }();
      using Q = std::remove_cvref_t<decltype(sequence)>;
      constexpr bool fits = state_fits<0, Q, S>() && state_fits<Step::parts - 1, Q, S>();
      static_assert(sizeof(RecurrentState<fits, Step, S, typename Q::shape>) > 0);
      constexpr bool counts = lengths_fit<Q, N>();
      static_assert(sizeof(RecurrentLengths<counts, Step, typename Q::shape, N>) > 0);
      if constexpr (!fits || !counts) {
        return results(x, std::tuple<std::tuple<X, X>>{{x, x}});
      } else {
        const auto [y, last] = [&] {
          if constexpr (std::is_same_v<N, Absent>) {
            return run<0>(stack, sequence, state, std::tuple<>{}, p);
          } else {
            const auto inside = steps_inside<Q>(lengths);
            // what stands behind an end may be anything: even NaN times a gradient of zero would be NaN
            return run<0>(stack, where(inside, sequence, 0), state, std::tuple{inside}, p);
          }
        }();
        if constexpr (swap)
          return results(transpose<0, 1>(y), last);
        else
          return results(y, last);
      }
    }
  }
  template <class Y, class All>
  static constexpr auto results(const Y& y, const All& last) {
    if constexpr (Step::parts == 1)
      return std::tuple{y, joined<0>(last)};
    else
      return std::tuple{y, std::tuple{joined<0>(last), joined<1>(last)}};
  }
};

}  // namespace module_detail

WEFT_REFUSAL(RecurrentIsArgument,
             "how many layers a recurrent layer has and how its input lies are a template argument: write "
             "nn::LSTM<8, 16, nn::Recurrent{.num_layers = 2, .batch_first = true, .bidirectional = true}>");

// layer(x) or layer(x, h_0) -> std::tuple{output, h_n}. x (sequence, batch, In), with batch_first (batch,
// sequence, In), or without a batch (sequence, In); output has the same axes with Hidden * directions
// features, h_0 and h_n are (layers * directions, batch, Hidden). Without h_0 it is zero. `dropout` works
// between layers. layer(x, lengths), layer(x, h_0, lengths): sequences of run-time lengths (batch), i32 or
// i64, as PyTorch packs them: the output past a sequence's length is zero, h_n is that of its own last step,
// the reverse direction starts there. A length of zero leaves h_0; one above the sequence's extent is that
// extent.
template <class Step, i64 In, i64 Hidden, Recurrent GivenOptions, class T>
struct RecurrentLayer {
  static_assert(sizeof(ProjectionIsLstm<(GivenOptions.proj_size == 0 || Step::parts == 2), RecurrentLayer>) >
                0);
  static constexpr Recurrent O = module_detail::without_projection<Step>(GivenOptions);
  using Net = module_detail::Layers<Step, In, Hidden, O, T>;
  typename Net::Stack weights{};
  float dropout = 0;
  Mode mode{};
  WEFT_REFUSED_LAYER_OPTION(batch_first, RecurrentIsArgument, RecurrentLayer)
  WEFT_REFUSED_LAYER_OPTION(num_layers, RecurrentIsArgument, RecurrentLayer)
  WEFT_REFUSED_LAYER_OPTION(bidirectional, RecurrentIsArgument, RecurrentLayer)

  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const { return call(x, Absent{}, Absent{}); }
  constexpr auto operator()(const auto& x, const auto& state_or_lengths) const {
    if constexpr (is_lengths<decltype(x), decltype(state_or_lengths)>())
      return call(x, Absent{}, expr_beside(x, state_or_lengths));
    else
      return from_state(x, state_or_lengths, Absent{});
  }
  constexpr auto operator()(const auto& x, const auto& state, const auto& lengths) const {
    return from_state(x, state, lengths);
  }

 private:
  // A tensor where a state would be several, or a tensor of integers.
  template <class X, class A>
  static constexpr bool is_lengths() {
    using E = decltype(expr_beside(std::declval<X>(), std::declval<A>()));
    if constexpr (is_expr<E>)
      return Step::parts > 1 || is_integer(dtype_of<typename E::dtype>);
    else
      return false;
  }
  template <class S, class L>
  constexpr auto from_state(const auto& x, const S& state, const L& lengths) const {
    constexpr bool ok = module_detail::is_state<Step::parts, S>();
    static_assert(sizeof(StateIsOneArgument<ok, RecurrentLayer, S, L>) > 0);
    if constexpr (!ok)
      return call(x, Absent{}, Absent{});
    else if constexpr (!std::is_same_v<L, Absent>)
      return call(x, parts(x, state), expr_beside(x, lengths));
    else
      return call(x, parts(x, state), Absent{});
  }
  static constexpr auto parts(const auto& x, const auto& state) {
    if constexpr (Step::parts == 1)
      return std::tuple{expr_beside(x, state)};
    else
      return std::tuple{expr_beside(x, std::get<0>(state)), expr_beside(x, std::get<1>(state))};
  }
  constexpr auto call(const auto& x, const auto& state, const auto& lengths) const {
    return Net::call(weights, to_expr(x), state, lengths, mode.training ? dropout : 0.0f);
  }
};

template <class Step, i64 In, Recurrent O, class T>
struct RecurrentLayer<Step, In, not_given, O, T> : WithoutSizes<spelled::LSTM, GivenSize<In>> {};

template <i64 In, i64 Hidden = not_given, OptionsOf<Recurrent> O = Recurrent{}, class T = f32>
using RNN = RecurrentLayer<module_detail::RnnStep<options_alone<Recurrent, spelled::RNN, O>().nonlinearity>,
                           In, Hidden, options_alone<Recurrent, spelled::RNN, O>(), T>;
template <i64 In, i64 Hidden = not_given, OptionsOf<Recurrent> O = Recurrent{}, class T = f32>
using GRU =
    RecurrentLayer<module_detail::GruStep, In, Hidden, options_alone<Recurrent, spelled::GRU, O>(), T>;
// lstm(x) or lstm(x, std::tuple{h_0, c_0}) -> std::tuple{output, std::tuple{h_n, c_n}}. With proj_size the
// hidden state and the output have that many features.
template <i64 In, i64 Hidden = not_given, OptionsOf<Recurrent> O = Recurrent{}, class T = f32>
using LSTM =
    RecurrentLayer<module_detail::LstmStep, In, Hidden, options_alone<Recurrent, spelled::LSTM, O>(), T>;

}  // namespace WEFT_NAMESPACE::nn
