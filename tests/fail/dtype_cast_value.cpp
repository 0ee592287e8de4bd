// wrote: cast<DType::f16>(x)
// write: cast<f16>(x)
// expect: Shape<4, 8>
// first-error: the dtype is a type in <>
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cast<f16>(x);
#else
        return cast<DType::f16>(x);
#endif
      },
      in<f32, 4, 8>);
}
