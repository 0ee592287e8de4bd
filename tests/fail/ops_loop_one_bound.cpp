// wrote: auto [last, all] = loop([](auto c, auto t) { return c + t; }, h, xs);
// write: auto [last, all] = loop([](auto c, auto t) { return std::pair{c + t, c}; }, h, xs);
// expect: Expr<float,
// first-error: several names are bound to one value
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{},
      [](auto h, auto xs) {
        auto [last, all] = loop(
            [](auto c, auto t) {
              auto n = tanh(c + t);
              return std::pair{n, n};
            },
            h, xs);
        return last;
      },
      in<f32, 8>, in<f32, 5, 8>);
#else
  auto f = compile(
      Cpu{},
      [](auto h, auto xs) {
        auto [last, all] = loop([](auto c, auto t) { return tanh(c + t); }, h, xs);
        return last;
      },
      in<f32, 8>, in<f32, 5, 8>);
#endif
}
