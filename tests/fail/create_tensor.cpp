// wrote: x + tensor({1, 2, 3})
// write: x + w (const auto& m, ...), of an nn::Param<f32, Shape<3>>, or an input
// expect: spelled::tensor
// first-error: a tensor's dtype and shape are its type
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return x + y;
#else
        return x + tensor({1, 2, 3}) + y;
#endif
      },
      in<f32, 3>, in<f32, 3>);
}
