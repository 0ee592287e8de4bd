// A loss that adds up a number for each parameter of a deep model: as many separately reduced values as a
// kernel has operands, and more.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr int depth = 24;
struct Net {
  std::array<nn::Linear<8, 8>, depth> h;
  template <int K = 0>
  constexpr auto run(auto x) const {
    if constexpr (K == depth)
      return x;
    else
      return run<K + 1>(tanh(h[K](x)));
  }
  constexpr auto operator()(auto x) const { return run(x); }
  template <int K = 0>
  constexpr auto squares() const {
    const auto here = sum<>(square(h[K].weight)) + sum<>(square(h[K].bias));
    if constexpr (K + 1 == depth)
      return here;
    else
      return here + squares<K + 1>();
  }
};

}  // namespace

TEST_CASE("decay by hand: a penalty on 48 parameters is the optimiser's weight decay") {
  auto by_hand = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(square(m(x) - 1)) + 0.005f * m.squares(); },
      in<f32, 16, 8>, optim::SGD{.lr = 0.1f}, seed{1});
  auto by_option = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(square(m(x) - 1)); }, in<f32, 16, 8>,
      optim::SGD{.lr = 0.1f, .weight_decay = 0.01f}, seed{1});
  std::vector<f32> x(16 * 8);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1f * static_cast<f32>(i % 19) - 0.9f;
  for (int step = 0; step < 10; ++step) {
    by_hand.step(x);
    by_option.step(x);
  }
  const auto a = by_hand.model().get<"h.7.weight">(), b = by_option.model().get<"h.7.weight">();
  const auto c = by_hand.model().get<"h.23.bias">(), d = by_option.model().get<"h.23.bias">();
  double worst = 0;
  for (i64 i = 0; i < 64; ++i) worst = std::fmax(worst, std::fabs(static_cast<double>(a[i] - b[i])));
  for (i64 i = 0; i < 8; ++i) worst = std::fmax(worst, std::fabs(static_cast<double>(c[i] - d[i])));
  CHECK(worst < 1e-5);
}
