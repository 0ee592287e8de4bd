// wrote: auto y = f(std::vector<f32>(4));
// write: auto y = f(std::vector<f32>(4), std::vector<f32>(4));
// expect: WantedSize<2>
// first-error: one argument for each in
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return x + y; }, in<f32, 4>, in<f32, 4>);
#ifdef WEFT_FIXED
  auto y = f(std::vector<f32>(4), std::vector<f32>(4));
#else
  auto y = f(std::vector<f32>(4));
#endif
}
