// wrote: bce_with_logits(x, y, {.pos_weight = 2})
// write: bce_with_logits(x, y, pos_weight(2.0f))
// expect: there are no keyword arguments in braces
// first-error: KeywordsAreArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return bce_with_logits(x, y, pos_weight(2.0f));
#else
        return bce_with_logits(x, y, {.pos_weight = 2});
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
