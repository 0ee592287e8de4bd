// wrote: f.run(x)
// write: f(x)
// expect: run
// first-error: a compiled function is called
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 4>);
  const std::vector<f32> x(4);
#ifdef WEFT_FIXED
  auto y = f(x);
#else
  auto y = f.run(x);
#endif
}
