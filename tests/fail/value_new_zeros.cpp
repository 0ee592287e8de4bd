// wrote: x.new_zeros({4, 8}) + y
// write: zeros<f32, 4, 8>() + y
// expect: new_zeros
// first-error: is made by a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return zeros<f32, 4, 8>() + y;
#else
        return x.new_zeros({4, 8}) + y;
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
