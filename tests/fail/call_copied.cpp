// wrote: auto g = f;
// write: auto g = std::move(f);
// expect: CompiledFunction
// first-error: a compiled function is moved, not copied
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x); }, in<f32, 4>);
#ifdef WEFT_FIXED
  auto g = std::move(f);
#else
  auto g = f;
#endif
}
