// expect: weft has no operation of this name
// first-error: OperationIsAbsent<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * norm<>(x);
#else
        return x * inverse(x);
#endif
      },
      in<f32, 4, 8>);
}
