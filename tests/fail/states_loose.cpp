// wrote: compile(model, cache, f, in<...>)
// write: compile(states(model, cache), f, in<...>)
// expect: Cache
// first-error: several models are given together
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
      model, cache, [](const auto& m, const auto& c, auto x) { return m(x + c.last); }, in<f32, 4, 8>);
#endif
}
