// wrote: return batch_norm(x, 8);
// write: return batch_norm(x);
// expect: EpsilonIsFraction
// first-error: an integer stands where eps belongs
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return batch_norm(x);
#else
        return batch_norm(x, 8);
#endif
      },
      in<f32, 4, 8>);
}
