// wrote: return sum(std::pow(x, 3));
// write: return sum(pow(x, 3));
// expect: in place of std::exp(x)
// first-error: in place of std::exp(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return sum(pow(x, 3));
#else
        return sum(std::pow(x, 3));
#endif
      },
      in<f32, 4, 8>);
}
