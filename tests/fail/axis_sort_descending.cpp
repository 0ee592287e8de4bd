// wrote: auto [values, places] = sort(x, true); return values;
// write: auto [values, places] = sort<-1>(x, descending); return values;
// expect: sort
// first-error: options are words, and not truth values
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [values, places] = sort<-1>(x, descending);
        return values;
#else
        auto [values, places] = sort(x, true);
        return values;
#endif
      },
      in<f32, 4, 8>);
}
