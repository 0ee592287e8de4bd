// wrote: return norm(x, 2);
// write: return norm<>(x);
// expect: Shape<4, 8>
// first-error: the order of a norm is a word behind the operand
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return norm<>(x);
#else
        return norm(x, 2);
#endif
      },
      in<f32, 4, 8>);
}
