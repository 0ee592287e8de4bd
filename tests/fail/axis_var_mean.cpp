// wrote: auto [v, m] = var_mean(x, 1);
// write: auto [v, m] = var_mean<1>(x);
// expect: var_mean<1>(x)
// first-error: axes stand in <>
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [v, m] = var_mean<1>(x);
        return v;
#else
        auto [v, m] = var_mean(x, 1);
        return v;
#endif
      },
      in<f32, 4, 8>);
}
