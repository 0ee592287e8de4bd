// wrote: auto h = x; for (auto row : x) h = h + row; return h;
// write: auto h = x; std::apply([&](auto... row) { ((h = h + row), ...); }, unbind<0>(x)); return h;
// expect: Shape<4, 8>
// first-error: a traced value is no range: write unbind<0>(x) for a tuple of its
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto h = x;
        std::apply([&](auto... row) { ((h = h + row), ...); }, unbind<0>(x));
        return h;
#else
        auto h = x;
        for (auto row : x) h = h + row;
        return h;
#endif
      },
      in<f32, 4, 8>);
}
