// wrote: std::cout << x << std::endl
// write: return std::tuple{y, h};
// expect: Shape<4, 8>
// first-error: a traced value has no elements while the program compiles
#include <iostream>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return std::tuple{x, x};
#else
        std::cout << x << std::endl;
        return x;
#endif
      },
      in<f32, 4, 8>);
}
