// wrote: nn::Embedding<100> e;
// write: nn::Embedding<100, 16> e;
// expect: spelled::Embedding
// first-error: a layer's sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Embedding<100, 16> layer;
#else
  nn::Embedding<100> layer;
#endif
  constexpr auto operator()(auto x) const { return layer(x); }
};
int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<i64, 2, 8>);
}
