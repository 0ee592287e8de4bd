// wrote: std::vector<f32> y = f(x);
// write: std::vector<f32> y = f(x).to_vector();
// expect: spelled::to_vector
// first-error: the elements of a tensor are
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 4>);
  const std::vector<f32> x(4);
#ifdef WEFT_FIXED
  std::vector<f32> y = f(x).to_vector();
#else
  std::vector<f32> y = f(x);
#endif
}
