// wrote: NoGradGuard guard;   (of torch)
// write: (nothing)
// expect: GradientsAreAsked<
// first-error: nothing records a gradient here
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifndef WEFT_FIXED
  NoGradGuard guard;
#endif
  auto f = compile(
      Cpu{}, [](auto x) { return relu(x); }, in<f32, 4>);
}
