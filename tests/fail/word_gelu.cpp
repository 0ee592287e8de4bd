// wrote: return gelu(x, "tanh");
// write: return gelu_tanh(x);
// expect: Shape<4, 8>
// first-error: an operand is neither an expression, a parameter, a tensor nor a
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return gelu_tanh(x);
#else
        return gelu(x, "tanh");
#endif
      },
      in<f32, 4, 8>);
}
