// wrote: auto f = compile(Cpu{}, [](auto x) { return square(x) + 1; }, in<f32, 4>) of a compiled square
// write: const auto square = [](auto x) { return x * x; } for both
// expect: Shape<4>
// first-error: a compiled function is called with numbers, outside of traced functions
#include "weft/weft.hpp"
using namespace weft;

constexpr auto lambda = [](auto x) { return x * x; };
auto compiled = compile(Cpu{}, lambda, in<f32, 4>);

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return lambda(x) + 1; }, in<f32, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return compiled(x) + 1; }, in<f32, 4>);
#endif
  auto y = f(std::vector<f32>(4));
}
