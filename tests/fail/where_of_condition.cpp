// wrote: auto [rows, columns] = where(x > 0);
// write: auto [places, count] = nonzero<8>(x > 0);
// expect: Shape<4, 8>
// first-error: where(condition, a, b) takes three
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [places, count] = nonzero<8>(x > 0);
        return places;
#else
        auto [rows, columns] = where(x > 0);
        return rows;
#endif
      },
      in<f32, 4, 8>);
}
