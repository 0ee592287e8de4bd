// wrote: f.after(event)(x) on Cpu
// write: compile for Cuda{0}
// expect: Cpu
// first-error: after() and done() are of a GPU's stream
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
#ifdef WEFT_FIXED
  f(std::vector<float>(6));
#else
  int event = 0;
  f.after(event)(std::vector<float>(6));
#endif
}
