// wrote: auto s = zeros<f32, 5>(); s += select<0, 0>(x);
// write: auto s = select<0, 0>(x); s += select<0, 1>(x);
// expect: start from one
// first-error: start from one
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{},
      [](auto x) {
        auto s = select<0, 0>(x);
        s += select<0, 1>(x);
        return s;
      },
      in<f32, 4, 5>);
#else
  auto f = compile(
      Cpu{},
      [](auto x) {
        auto s = zeros<f32, 5>();
        s += select<0, 0>(x);
        return s;
      },
      in<f32, 4, 5>);
#endif
}
