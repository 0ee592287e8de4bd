// wrote: auto [y, h] = f(x);  // f has one result
// write: auto y = f(x);
// expect: Shape<4, 8>
// first-error: what is taken apart is one tensor: write auto y = f(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x + 1; }, in<f32, 4, 8>);
  Tensor<f32, Shape<4, 8>> x;
#ifdef WEFT_FIXED
  auto y = f(x);
#else
  auto [y, h] = f(x);
#endif
  return y(0, 0) > 0;
}
