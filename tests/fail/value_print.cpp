// wrote: std::cout << x; return x;
// write: return probe<"x">(x);
// expect: Shape<4, 8>
// first-error: a traced value has no elements while the program compiles: return it,
#include <iostream>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return probe<"x">(x);
#else
        std::cout << x;
        return x;
#endif
      },
      in<f32, 4, 8>);
}
