// wrote: gumbel_softmax(x, 0)
// write: gumbel_softmax(x, 0.5f)
// expect: FunctionSource
// first-error: the tau of gumbel_softmax
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return gumbel_softmax(x, 0.5f);
#else
        return gumbel_softmax(x, 0);
#endif
      },
      in<f32, 4, 8>);
}
