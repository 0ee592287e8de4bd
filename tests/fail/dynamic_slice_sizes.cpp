// wrote: return dynamic_slice(x, i, 0) + y;
// write: return dynamic_slice<1, 8>(x, i, 0) + y;
// expect: Shape<4, 8>
// first-error: there is an offset for every axis of the tensor
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_slice<1, 8>(x, i, 0) + y;
#else
        return dynamic_slice(x, i, 0) + y;
#endif
      },
      in<f32, 4, 8>, in<f32, 8>, in<i32>);
}
