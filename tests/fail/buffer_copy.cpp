// wrote: seen.copy_(mean<0>(x));
// write: seen.assign(mean<0>(x));
// expect: StateIsSet
// first-error: a parameter changes by training, and a buffer by assign
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> fc;
  nn::Buffer<f32, Shape<8>> seen;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    seen.assign(mean<0>(x));
    return fc(x);
#else
    seen.copy_(mean<0>(x));
    return fc(x);
#endif
  }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
