// wrote: auto f = compile(Cpu{}, [](auto x) { return std::vector{x, x}; }, in<f32, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return std::tuple{x, x}; }, in<f32, 3>);
// expect: Shape<3>
// first-error: a compiled function returns an expression, or a std::tuple or
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{x, x};
      },
      in<f32, 3>);
#else
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::vector{x, x};
      },
      in<f32, 3>);
#endif
}
