// wrote: std::function<float(float)> g = ...; compile(Cpu{}, g, in<f32, 4>)
// write: const auto g = [](auto x) { ... }
// expect: a std::function hides
// first-error: a std::function hides the body that is traced
#include <functional>

#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  const auto g = [](auto x) { return x * 2.0f; };
#else
  const std::function<float(float)> g = [](float x) { return x * 2.0f; };
#endif
  auto f = compile(Cpu{}, g, in<f32, 4>);
}
