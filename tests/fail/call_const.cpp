// wrote: const auto& g = f; g(std::vector<f32>(4));
// write: auto& g = f; g(std::vector<f32>(4));
// expect: CompiledFunction
// first-error: a compiled function and a trainer change when they run, and this one is const
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x); }, in<f32, 4>);
#ifdef WEFT_FIXED
  auto& g = f;
  g(std::vector<f32>(4));
#else
  const auto& g = f;
  g(std::vector<f32>(4));
#endif
}
