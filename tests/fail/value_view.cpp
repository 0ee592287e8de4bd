// wrote: return x.view(2, 16);
// write: return view<2, 16>(x);
// expect: Shape<4, 8>
// first-error: an operation is a function, whose sizes and axes are template
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return view<2, 16>(x);
#else
        return x.view(2, 16);
#endif
      },
      in<f32, 4, 8>);
}
