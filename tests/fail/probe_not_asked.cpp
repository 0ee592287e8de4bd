// expect: get_probe: the program keeps no such probe
// expect: fc1
// first-error: get_probe: the program keeps no such probe
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return probe<"fc2">(probe<"fc1">(x + 1) * 2); }, in<f32, 4>, probes<"fc2">);
#ifdef WEFT_FIXED
  f.get_probe<"fc2">();
#else
  f.get_probe<"fc1">();
#endif
}
