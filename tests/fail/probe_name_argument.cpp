// wrote: f.get_probe("hidden")
// write: f.get_probe<"hidden">()
// expect: char
// first-error: the name is a template argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return probe<"hidden">(x) * 2; }, in<f32, 4, 8>, probes<"hidden">);
#ifdef WEFT_FIXED
  auto hidden = f.get_probe<"hidden">();
#else
  auto hidden = f.get_probe("hidden");
#endif
}
