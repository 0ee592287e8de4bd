// wrote: return cat({x, sum<1>(x, keepdim)}, 1);
// write: return cat<1>(x, sum<1>(x, keepdim));
// expect: cat
// first-error: the tensors are arguments one by one
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cat<1>(x, sum<1>(x, keepdim));
#else
        return cat({x, sum<1>(x, keepdim)}, 1);
#endif
      },
      in<f32, 4, 8>);
}
