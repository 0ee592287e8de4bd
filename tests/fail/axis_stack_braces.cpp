// wrote: return stack({x, y});
// write: return stack<0>(x, y);
// expect: Shape<4, 8>
// first-error: the tensors are arguments one by one and the axis is a template
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return stack<0>(x, y);
#else
        return stack({x, y});
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
