// wrote: pass::after<"update">(P{}), of compile
// write: pass::after<"differentiate">(P{})
// expect: Same
// first-error: a compiled function has no update, which is a trainer's:
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
      pass::after<"differentiate">(Same{}));
#else
      pass::after<"update">(Same{}));
#endif
}
