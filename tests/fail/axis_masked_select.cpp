// wrote: return masked_select(x, x > 0);
// write: auto [values, count] = masked_select<32>(x, x > 0); return values;
// expect: masked_select
// first-error: masked_select<16>(x, mask)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [values, count] = masked_select<32>(x, x > 0);
        return values;
#else
        return masked_select(x, x > 0);
#endif
      },
      in<f32, 4, 8>);
}
