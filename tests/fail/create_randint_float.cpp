// wrote: randint<f32, 4, 8>(0, 10)
// write: cast<f32>(randint<i64, 4, 8>(0, 10))
// expect: RandIntOp<float, 4, 8>
// first-error: randint gives integers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + cast<f32>(randint<i64, 4, 8>(0, 10));
#else
        return x + randint<f32, 4, 8>(0, 10);
#endif
      },
      in<f32, 4, 8>);
}
