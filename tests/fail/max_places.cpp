// wrote: auto [values, places] = max<1>(x);
// write: auto values = max<1>(x); auto places = argmax<1>(x);
// expect: Expr<float, weft::
// first-error: one result is taken apart as two
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{1},
      [](auto x) {
#ifdef WEFT_FIXED
        const auto values = max<1>(x);
        const auto places = argmax<1>(x);
        return std::tuple{values, places};
#else
        const auto [values, places] = max<1>(x);
        return std::tuple{values, places};
#endif
      },
      in<f32, 6, 4>);
  const std::vector<f32> x(24);
  const auto [values, places] = f(x);
  return static_cast<int>(values(0)) + static_cast<int>(places(0));
}
