// wrote: f(std::vector<double>(6));
// write: f(std::vector<float>(6));
// expect: Shape<2, 3>
// first-error: an argument of a call has another dtype, shape or kind than the input
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  f(std::vector<float>(6));
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  f(std::vector<double>(6));
#endif
}
