// wrote: dropout(x, {.p = 0.5f})
// write: dropout(x, 0.5f)
// expect: there are no keyword arguments in braces
// first-error: KeywordsAreArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return dropout(x, 0.5f);
#else
        return dropout(x, {.p = 0.5f});
#endif
      },
      in<f32, 4, 8>);
}
