// wrote: clamp(x, {.min = 0})
// write: clamp_min(x, 0)
// expect: there are no keyword arguments in braces
// first-error: KeywordsAreArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return clamp_min(x, 0);
#else
        return clamp(x, {.min = 0});
#endif
      },
      in<f32, 4, 8>);
}
