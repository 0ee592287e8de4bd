// wrote: auto [a, b] = loop([](const auto& c, const auto& x) { ... return a + x; }, std::tuple{h, h}, xs);
// write: auto [a, b] = loop([](const auto& c, const auto& x) { ... return std::tuple{a + x, b}; }, ...);
// expect: Shape<2, 3>
// first-error: the body must return the next carry with the dtype and shape of the carry
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto xs, auto h) {
        auto [first, second] = loop(
            [](const auto& carry, const auto& x) {
              const auto& [a, b] = carry;
#ifdef WEFT_FIXED
              return std::tuple{a + x, b};
#else
              return a + b + x;
#endif
            },
            std::tuple{h, h}, xs);
        return first + second;
      },
      in<f32, 5, 2, 3>, in<f32, 2, 3>);
}
