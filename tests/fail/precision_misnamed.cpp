// wrote: precision::fp16
// write: precision::f16
// expect: Misnamed
// first-error: a precision is one of precision::f32 (the default),
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>,
#ifdef WEFT_FIXED
      optim::AdamW{.lr = 1e-3f}, precision::f16);
#else
      optim::AdamW{.lr = 1e-3f}, precision::fp16);
#endif
}
