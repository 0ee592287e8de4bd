#pragma once
// What the benchmarks of the host and of CUDA both run.

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

// The result of layer norm and the gradients by its three arguments, given that by the result: from one
// trace, as a training step has them. (grad's function sees variables of its own, so it would norm a second
// time.)
struct LayerNormBothWays {
  constexpr auto operator()(auto x, auto weight, auto bias, auto upstream) const {
    const auto y = layer_norm(x, weight, bias);
    List<int> arguments;
    arguments.push(x.value.id);
    arguments.push(weight.value.id);
    arguments.push(bias.value.id);
    const auto found = transforms::differentiate(y.value, upstream.value, arguments);
    return std::tuple{y, decltype(x){found[0]}, decltype(weight){found[1]}, decltype(bias){found[2]}};
  }
};

}  // namespace bench
