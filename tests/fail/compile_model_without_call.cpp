// wrote: struct Net { nn::Linear<8, 16> fc; }; ... compile(model, in<f32, 4, 8>)
// write: constexpr auto operator()(auto x) const { return fc(x); }
// expect: ModelIsCallable<Net>
// first-error: compiles the model's operator(), and it has none
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc;
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return fc(x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(model, in<f32, 4, 8>);
}
