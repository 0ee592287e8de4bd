#include "support/parity.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/reduce/composed.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
// The gradients of sum(f(x, ...) * (1, 2, 3, ...)), as generate_ops.py takes them.
template <int... Args, class F>
constexpr auto weighted(const F& f) {
  return grad<Args...>([f](auto... x) {
    const auto y = f(x...);
    using S = typename std::remove_cvref_t<decltype(y)>::shape;
    return sum(flatten(y) * (arange<f32, S::size>() + 1));
  });
}
}  // namespace

TEST_CASE("gradients: at kinks, ties and where branches overflow, as PyTorch") {
  check_group(
      "kinks",
      [](auto k, auto ties, auto zero_row) {
        return std::tuple{weighted([](auto z) { return relu(z); })(k),
                          weighted([](auto z) { return abs(z); })(k),
                          weighted([](auto z) { return clamp(z, -1, 1); })(k),
                          weighted([](auto z) { return elu(z); })(k),
                          weighted([](auto z) { return leaky_relu(z); })(k),
                          weighted([](auto z) { return softplus(z); })(k),
                          weighted([](auto z) { return sigmoid(z); })(k),
                          weighted([](auto z) { return gelu(z); })(k),
                          weighted([](auto z) { return mish(z); })(k),
                          weighted([](auto z) { return silu(z); })(k),
                          weighted([](auto z) { return logsigmoid(z); })(k),
                          weighted([](auto z) { return amax<1>(z); })(ties),
                          weighted([&](auto z) { return maximum(z, flip<1>(ties)); })(ties),
                          weighted([](auto z) { return norm<1>(z); })(zero_row),
                          weighted([](auto z) { return prod<1>(z); })(zero_row)};
      },
      in<f32, 10>, in<f32, 2, 3>, in<f32, 2, 2>);
}
TEST_CASE("gradients: rows, as PyTorch") {
  check_group_on(  // the interpreter adds a row up one by one, too roughly for PyTorch's tolerance
      Cpu{}, "row_gradient",
      [](auto x, auto w, auto b) {
        return std::tuple_cat(weighted<0, 1, 2>([](auto z, auto weight, auto bias) {
                                return layer_norm(z, weight, bias);
                              })(x, w, b),
                              std::tuple{weighted([](auto z) { return softmax<1>(z); })(x),
                                         weighted([](auto z) { return log_softmax<1>(z); })(x),
                                         weighted([](auto z) { return logsumexp<1>(z); })(x)});
      },
      in<f32, 4, 37>, in<f32, 37>, in<f32, 37>);
}
