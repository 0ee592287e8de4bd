#pragma once
// What the benchmarks of the host and of CUDA both run.

#include <array>
#include <tuple>
#include <weft/weft.hpp>

namespace bench {

using namespace weft;
namespace nn = weft::nn;

struct Mlp {
  nn::Linear<784, 512> fc1;
  nn::Linear<512, 256> fc2;
  nn::Linear<256, 10> fc3;
  constexpr auto operator()(auto x) const { return fc3(relu(fc2(relu(fc1(x))))); }
};
struct SmallMlp {
  nn::Linear<64, 128> fc1;
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

// Blocks of a residual MLP, width 1024: x + W2 gelu(W1 norm(x)).
struct ResidualBlock {
  nn::LayerNorm<1024> norm;
  nn::Linear<1024, 1024> up, down;
  constexpr auto operator()(auto x) const { return x + down(gelu_tanh(up(norm(x)))); }
};
struct ResidualMlp {
  std::array<ResidualBlock, 12> h;
  nn::LayerNorm<1024> norm;
  nn::Linear<1024, 10> head;
  constexpr auto operator()(auto x) const {
    for (const auto& block : h) x = block(x);
    return head(norm(x));
  }
};

struct ConvNet {
  nn::Conv2d<1, 32, 3> conv1;
  nn::Conv2d<32, 64, 3> conv2;
  nn::Linear<64 * 12 * 12, 128> hidden;
  nn::Linear<128, 10> head;
  constexpr auto operator()(auto x) const {
    const auto maps = max_pool2d<2>(relu(conv2(relu(conv1(x)))));
    return head(relu(hidden(flatten<1>(maps))));
  }
};

// The result of f(arguments...) and its gradients by all of them, given that by the result, which comes last:
// from one trace, as a training step has them. (grad's function sees variables of its own, so it would
// compute the result a second time.)
template <class F>
struct BothWays {
  constexpr auto operator()(auto... given) const {
    constexpr int count = sizeof...(given) - 1;
    const auto all = std::tuple{given...};
    return [&]<int... K>(std::integer_sequence<int, K...>) {
      const auto y = F{}(std::get<K>(all)...);
      List<int> arguments;
      (arguments.push(std::get<K>(all).value.id), ...);
      const auto found = transforms::differentiate(y.value, std::get<count>(all).value, arguments);
      return std::tuple{y, std::tuple_element_t<K, decltype(all)>{found[K]}...};
    }
    (std::make_integer_sequence<int, count>{});
  }
};
struct LayerNorm {
  constexpr auto operator()(auto x, auto weight, auto bias) const { return layer_norm(x, weight, bias); }
};
struct RmsNorm {
  constexpr auto operator()(auto x, auto weight) const { return rms_norm(x, weight); }
};
struct CausalAttention {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v);
  }
};
struct Conv3x3 {
  constexpr auto operator()(auto x, auto weight) const {
    return conv2d<ConvOptions{.padding = 1}>(x, weight);
  }
};

}  // namespace bench
