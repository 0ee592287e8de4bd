// wrote: auto loss = sum(x); loss.backward(); return loss;
// write: return grad([](auto h) { return sum(h * h); })(x);
// expect: Shape<>
// first-error: a traced value has no .backward(), .grad or .requires_grad_():
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return grad([](auto h) { return sum(h * h); })(x);
#else
        auto loss = sum(x);
        loss.backward();
        return loss;
#endif
      },
      in<f32, 4, 8>);
}
