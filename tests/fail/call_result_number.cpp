// wrote: float y = f(std::vector<float>(3));
// write: float y = f(std::vector<float>(3))[0];
// expect: Shape<3>
// first-error: item() is for tensors of one element
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 3>);
#ifdef WEFT_FIXED
  float y = f(std::vector<float>(3))[0];
#else
  float y = f(std::vector<float>(3));
#endif
}
