// expect: takes one width for all sides
// expect: FramePad
// first-error: takes one width for all sides
#include "weft/exec/function.hpp"
#include "weft/nn/padding.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return nn::ReflectionPad2d<1, 2, 3, 0>{}(x); }, in<f32, 2, 4, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return nn::ReflectionPad2d<1, 2, 3>{}(x); }, in<f32, 2, 4, 4>);
#endif
  static_cast<void>(f);
}
