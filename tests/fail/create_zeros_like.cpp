// wrote: return x + zeros_like(x, f32{});
// write: return x + zeros_like<f32>(x);
// expect: zeros_like
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + zeros_like<f32>(x);
#else
        return x + zeros_like(x, f32{});
#endif
      },
      in<f32, 4, 8>);
}
