// wrote: auto g = f;   (f of compile<Net>(Cpu{}, ...))
// write: auto g = std::move(f);
// expect: FunctionIsMoved<
// first-error: a compiled function is moved, not copied
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<3, 3> fc;
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m.fc(x); }, in<f32, 2, 3>);
#ifdef WEFT_FIXED
  auto g = std::move(f);
#else
  auto g = f;
#endif
}
