// wrote: auto y = f.forward(std::vector<f32>(4));
// write: auto y = f(std::vector<f32>(4));
// expect: forward
// first-error: a compiled function is called, f(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x); }, in<f32, 4>);
#ifdef WEFT_FIXED
  auto y = f(std::vector<f32>(4));
#else
  auto y = f.forward(std::vector<f32>(4));
#endif
}
