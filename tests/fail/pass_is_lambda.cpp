// wrote: pass::after<"trace">([](const ir::Graph& g) { return g; })
// write: struct P { static constexpr ir::Graph run(...); static constexpr bool verify(...); };
// expect: lambda
// first-error: a pass of one's own is an empty struct with static constexpr ir::Graph run(
#include "weft/weft.hpp"
using namespace weft;

struct Same {
  static constexpr ir::Graph run(const ir::Graph& g) { return g; }
  static constexpr bool verify(const ir::Graph&) { return true; }
};

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x) * 2; }, in<f32, 64>,
#ifdef WEFT_FIXED
      pass::after<"trace">(Same{}));
#else
      pass::after<"trace">([](const ir::Graph& g) { return g; }));
#endif
}
