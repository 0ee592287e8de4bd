// wrote: std::printf("%s", to_text(x).c_str())
// write: probe<"x">(x), and get_probe<"x">(f)
// expect: Expr<float
// first-error: a traced value has no elements
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        probe<"x">(x);
        return x;
#else
        static_cast<void>(to_text(x).c_str());
        return x;
#endif
      },
      in<f32, 4, 8>);
}
