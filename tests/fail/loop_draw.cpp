// wrote: const auto noise = randn<f32, 8>() before a loop, used in its body alone
// write: const auto noise = randn_like(x)
// expect: FunctionSource
// first-error: random numbers that are made outside of a loop, of vmap or of a score function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        const auto noise = randn_like(x);
#else
        const auto noise = randn<f32, 8>();
#endif
        return loop<4>([&](auto c) { return c + noise; }, x);
      },
      in<f32, 8>);
}
