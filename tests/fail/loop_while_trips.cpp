// wrote: while_loop<0>(condition, body, x)
// write: while_loop<100>(condition, body, x)
// expect: Shape<>
// first-error: while_loop: it takes a condition, the body and a carry that is a value
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr i64 most = 100;
#else
  constexpr i64 most = 0;
#endif
  auto f = compile(
      Cpu{},
      [](auto x) { return while_loop<most>([](auto c) { return c > 0; }, [](auto c) { return c - 1; }, x); },
      in<f32>);
}
