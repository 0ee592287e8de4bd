// wrote: return x * x.grad;
// write: return x * grad([](auto h) { return sum(h); })(x);
// expect: GradientMember
// first-error: a traced value has no .backward(), .grad or .requires_grad_()
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * grad([](auto h) { return sum(h); })(x);
#else
        return x * x.grad;
#endif
      },
      in<f32, 4, 8>);
}
