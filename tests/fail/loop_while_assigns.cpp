// wrote: m.seen.assign(c) in the body of while_loop
// write: m.seen.assign(last) of what comes out
// expect: Net
// first-error: a buffer is assigned in the body of while_loop, in a trip that may not be made
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Buffer<f32, Shape<>> seen;
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model,
      [](const auto& m, auto x) {
        const auto last = while_loop<9>([](auto c) { return c > 0; },
                                        [&](auto c) {
#ifndef WEFT_FIXED
                                          m.seen.assign(c);
#endif
                                          return c - 1;
                                        },
                                        x);
        m.seen.assign(last);
        return last;
      },
      in<f32>);
}
