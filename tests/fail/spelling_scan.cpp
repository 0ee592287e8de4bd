// wrote: auto [c, ys] = scan(f, x, xs)
// write: auto [c, ys] = loop(f, x, xs)
// expect: spelled::scan
// first-error: the transformation has another name
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        const auto [c, all] = loop([](auto h, auto v) { return std::pair{h + v, h}; }, x, y);
        return std::tuple{c, all};
#else
        const auto [c, all] = scan([](auto h, auto v) { return std::pair{h + v, h}; }, x, y);
        return std::tuple{c, all};
#endif
      },
      in<f32, 8>, in<f32, 5, 8>);
}
