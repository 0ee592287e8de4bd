// wrote: #include <vector> std::vector<nn::Linear<8, 8>> layers;
// write: #include <array> std::array<nn::Linear<8, 8>, 3> layers;
// expect: error
// first-error: a model holds layers, parameters and numbers that are known while compiling
#include <array>
#include <vector>

#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  std::array<nn::Linear<8, 8>, 3> layers;
  constexpr auto operator()(auto x) const {
    auto h = x;
    for (const auto& layer : layers) h = layer(h);
    return h;
  }
};
#else
struct Net {
  std::vector<nn::Linear<8, 8> > layers;
  constexpr auto operator()(auto x) const {
    auto h = x;
    for (const auto& layer : layers) h = layer(h);
    return h;
  }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
