// wrote: pass::after<"fuse">(P{})
// write: pass::after<"prune">(P{})
// expect: GivenName
// first-error: pass::after names a pass that leaves a graph:
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
      pass::after<"prune">(Same{}));
#else
      pass::after<"fuse">(Same{}));
#endif
}
