// wrote: return dynamic_update_slice(x, y, i);
// write: return dynamic_update_slice<0>(x, y, i);
// expect: Shape<4, 8>
// first-error: there is an offset for every axis of the tensor
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_update_slice<0>(x, y, i);
#else
        return dynamic_update_slice(x, y, i);
#endif
      },
      in<f32, 4, 8>, in<f32, 1, 8>, in<i32>);
}
