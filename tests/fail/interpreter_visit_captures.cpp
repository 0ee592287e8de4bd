// wrote: Interpreter{.visit = [&](const NodeValue&) { ++n; }}
// write: Interpreter{.visit = [](const NodeValue&) { ++n; }}, n being static
// expect: VisitCapturesNothing
// first-error: f captures nothing and takes a value
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  static int n = 0;
  const Interpreter device{.visit = [](const NodeValue&) { ++n; }};
#else
  int n = 0;
  const Interpreter device{.visit = [&](const NodeValue&) { ++n; }};
#endif
  auto f = compile(
      device, [](auto x) { return x * 2; }, in<f32, 4>);
}
