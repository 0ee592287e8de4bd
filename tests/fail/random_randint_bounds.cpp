// wrote: randint<i64, 4>(10, 0)
// write: randint<i64, 4>(0, 10)
// expect: Shape<4>
// first-error: randint draws from [low, high)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return x + y * cast<f32>(randint<i64, 4>(0, 10));
#else
        return x + y * cast<f32>(randint<i64, 4>(10, 0));
#endif
      },
      in<f32, 4>, in<f32, 4>);
}
