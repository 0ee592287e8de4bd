// wrote: gather<1>(index, x)
// write: gather<1>(x, index)
// expect: GatherOp<1>
// first-error: the index is the second operand, and here another holds the integers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto index) {
#ifdef WEFT_FIXED
        return gather<1>(x, index);
#else
        return gather<1>(index, x);
#endif
      },
      in<f32, 4, 8>, in<i64, 4, 2>);
}
