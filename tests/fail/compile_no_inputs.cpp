// wrote: auto f = compile(Cpu{}, [](auto x) { return x * 2; });
// write: auto f = compile(Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
// expect: error
// first-error: the function cannot be called with these inputs: it takes one
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
#else
  auto f = compile(Cpu{}, [](auto x) { return x * 2; });
#endif
}
