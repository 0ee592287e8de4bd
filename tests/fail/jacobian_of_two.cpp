// wrote: return jacfwd([](auto h) { return std::tuple{h * h, h}; })(x);
// write: return std::tuple{jacfwd([](auto h) { return h * h; })(x), eye<f32, 4>()};
// expect: Shape<4>
// first-error: jacrev, jacfwd and hessian: the function returns one floating-point expression
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return std::tuple{jacfwd([](auto h) { return h * h; })(x), eye<f32, 4>()};
#else
        return jacfwd([](auto h) { return std::tuple{h * h, h}; })(x);
#endif
      },
      in<f32, 4>);
}
