// wrote: return x * 2, x + 1;
// write: return std::tuple{x * 2, x + 1};
// expect: Expr<float
// first-error: a comma between two values drops the first
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return std::tuple{x * 2, x + 1};
#else
        return x * 2, x + 1;
#endif
      },
      in<f32, 4, 8>);
}
