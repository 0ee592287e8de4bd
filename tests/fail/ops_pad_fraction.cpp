// wrote: pad<1, 1>(cast<i64>(x), 0.5f)
// write: pad<1, 1>(x, 0.5f)
// expect: PadOp<1, 1>
// first-error: the tensor is of integers and the number or value is floating
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pad<1, 1>(x, 0.5f);
#else
        return pad<1, 1>(cast<i64>(x), 0.5f);
#endif
      },
      in<f32, 4>);
}
