// wrote: auto [values, places] = max<1>(x);
// write: auto values = max<1>(x), places = argmax<1>(x);
// expect: Expr<float,
// first-error: several names are bound to one value
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{},
      [](auto x) {
        auto values = max<1>(x);
        auto places = argmax<1>(x);
        return std::pair{values, places};
      },
      in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{},
      [](auto x) {
        auto [values, places] = max<1>(x);
        return places;
      },
      in<f32, 4, 8>);
#endif
}
