// wrote: return loop(4, [](auto c) { return c * 2; }, x);
// write: return loop<4>([](auto c) { return c * 2; }, x);
// expect: LoopOp, int
// first-error: trips are a template argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return loop<4>([](auto c) { return c * 2; }, x);
#else
        return loop(
            4, [](auto c) { return c * 2; }, x);
#endif
      },
      in<f32, 4, 8>);
}
