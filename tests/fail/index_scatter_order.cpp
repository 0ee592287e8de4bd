// wrote: scatter<1>(x, source, index)
// write: scatter<1>(x, index, source)
// expect: ScatterOp<1>
// first-error: the index is the second operand, and here another holds the integers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto index, auto source) {
#ifdef WEFT_FIXED
        return scatter<1>(x, index, source);
#else
        return scatter<1>(x, source, index);
#endif
      },
      in<f32, 4, 8>, in<i64, 4, 2>, in<f32, 4, 2>);
}
