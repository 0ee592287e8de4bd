// wrote: auto [h, hs] = loop([](auto c, auto t) { return std::pair{c + t, 1.0f}; }, y, x); return h;
// write: auto [h, hs] = loop([](auto c, auto t) { return std::pair{c + t, c}; }, y, x); return h;
// expect: float
// first-error: returns a plain number
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        auto [h, hs] = loop([](auto c, auto t) { return std::pair{c + t, c}; }, y, x);
        return h;
#else
        auto [h, hs] = loop([](auto c, auto t) { return std::pair{c + t, 1.0f}; }, y, x);
        return h;
#endif
      },
      in<f32, 4, 8>, in<f32, 8>);
}
