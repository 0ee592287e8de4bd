// wrote: auto f = compile(Cpu{}, [](auto x) { return std::max(x, x * 2); }, in<f32, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return maximum(x, x * 2); }, in<f32, 3>);
// expect: Shape<3>
// first-error: a traced value has no truth value while the program compiles: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return maximum(x, x * 2); }, in<f32, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return std::max(x, x * 2); }, in<f32, 3>);
#endif
}
