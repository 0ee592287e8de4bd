// wrote: compile(states({model, cache}), f, in<f32, 4, 8>)
// write: compile(states(model, cache), f, in<f32, 4, 8>)
// expect: StatesAreModels
// first-error: states takes Models of one device:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

struct Cache {
  nn::Buffer<f32, Shape<4, 3>> rows;
};

int main() {
  Model<Net> model;
  Model<Cache> cache;
  const auto run = [](const auto& net, const auto& kept, auto x) { return net(x) + kept.rows; };
#ifdef WEFT_FIXED
  auto f = compile(states(model, cache), run, in<f32, 4, 8>);
#else
  auto f = compile(states({model, cache}), run, in<f32, 4, 8>);
#endif
}
