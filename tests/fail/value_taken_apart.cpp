// wrote: auto [values, places] = max<1>(x);
// write: auto values = max<1>(x); auto places = argmax<1>(x);
// expect: Shape<4>
// first-error: what is taken apart is one value: of max and min write max<1>(x) for the values
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto values = max<1>(x);
        auto places = argmax<1>(x);
#else
        auto [values, places] = max<1>(x);
#endif
        return values * places;
      },
      in<f32, 4, 8>);
}
