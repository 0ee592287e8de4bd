// wrote: linspace<i32, 4>(0, 1)
// write: linspace<f32, 4>(0, 1)
// expect: LinspaceOp<int, 4>
// first-error: linspace has fractions between its ends
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + linspace<f32, 4>(0, 1);
#else
        return x + linspace<i32, 4>(0, 1);
#endif
      },
      in<f32, 4>);
}
