// wrote: compile(states<Net, Cache>(), f, in<...>)
// write: compile(states(model, cache), f, in<...>)
// expect: Cache
// first-error: states takes Models of one device
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};
struct Cache {
  nn::Buffer<f32, Shape<4, 8>> last;
};

int main() {
  Model<Net> model;
  Model<Cache> cache;
#ifdef WEFT_FIXED
  auto f = compile(
      states(model, cache), [](const auto& m, const auto& c, auto x) { return m(x + c.last); },
      in<f32, 4, 8>);
#else
  auto f = compile(
      states<Net, Cache>(), [](const auto& m, const auto& c, auto x) { return m(x + c.last); },
      in<f32, 4, 8>);
#endif
}
