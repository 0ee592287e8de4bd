// wrote: return stack<0>(std::vector{x, x});
// write: return stack<0>(x, x);
// expect: StackOp<0>
// first-error: an operand is a container: values are arguments one by one
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return stack<0>(x, x);
#else
        return stack<0>(std::vector{x, x});
#endif
      },
      in<f32, 4, 8>);
}
