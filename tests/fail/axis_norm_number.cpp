// wrote: return norm(x, 1);
// write: return norm(x, order<1>);
// expect: norm
// first-error: the order of a norm is a word behind the operand
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return norm(x, order<1>);
#else
        return norm(x, 1);
#endif
      },
      in<f32, 4, 8>);
}
