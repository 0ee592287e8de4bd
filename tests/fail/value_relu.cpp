// wrote: return x.relu();
// write: return relu(x);
// expect: Shape<4, 8>
// first-error: an operation is a function, whose sizes and axes are template
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return relu(x);
#else
        return x.relu();
#endif
      },
      in<f32, 4, 8>);
}
