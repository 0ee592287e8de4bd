// wrote: return x * cast<f32>(randint(0, 10, {4, 8}));
// write: return x * cast<f32>(randint<i64, 4, 8>(0, 10));
// expect: randint
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * cast<f32>(randint<i64, 4, 8>(0, 10));
#else
        return x * cast<f32>(randint(0, 10, {4, 8}));
#endif
      },
      in<f32, 4, 8>);
}
