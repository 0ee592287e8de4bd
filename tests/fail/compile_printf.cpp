// wrote: auto f = compile(Cpu{}, [](auto x) { std::puts("x"); return x; }, in<f32, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return x; }, in<f32, 3>);
// expect: Shape<3>
// first-error: the function cannot run while the program compiles (with -DWEFT_TRACE_ERRORS
#include <cstdio>

#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x; }, in<f32, 3>);
#else
  auto f = compile(
      Cpu{},
      [](auto x) {
        std::puts("x");
        return x;
      },
      in<f32, 3>);
#endif
}
