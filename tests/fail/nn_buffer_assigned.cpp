// wrote: seen.assign(x), of another shape
// write: seen.assign(mean<0>(x));
// expect: Buffer<float
// first-error: assign takes a value of the buffer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Buffer<f32, Shape<8>> seen;
  constexpr auto operator()(auto x) const {
    seen.assign(mean<0>(x));
    return x;
  }
#else
  nn::Buffer<f32, Shape<8>> seen;
  constexpr auto operator()(auto x) const {
    seen.assign(x);
    return x;
  }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 8>, mode::train);
}
