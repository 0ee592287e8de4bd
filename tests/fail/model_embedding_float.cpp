// wrote: constexpr auto operator()(auto x) const { return table(x); }
// write: constexpr auto operator()(auto x) const { return table(cast<i64>(x)); }
// expect: float
// first-error: embedding: the indices must be integers (i32 or i64)
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Embedding<100, 16> table;
  constexpr auto operator()(auto x) const { return table(cast<i64>(x)); }
};
#else
struct Net {
  nn::Embedding<100, 16> table;
  constexpr auto operator()(auto x) const { return table(x); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
