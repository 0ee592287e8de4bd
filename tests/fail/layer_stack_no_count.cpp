// wrote: nn::Stack<Block> h;
// write: nn::Stack<Block, 12> h;
// expect: GivenSize<0>
// first-error: the number of blocks is given
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Stack<nn::Linear<8, 8>, 2> layer;
#else
  nn::Stack<nn::Linear<8, 8> > layer;
#endif
  constexpr auto operator()(auto x) const { return layer(x); }
};
int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 8>);
}
