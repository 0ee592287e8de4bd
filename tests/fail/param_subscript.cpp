// wrote: x * fc.weight[0]
// write: x * select<0, 0>(fc.weight)
// expect: SubscriptIsSpelled
// first-error: a traced value has no subscripts
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> fc;
  nn::Buffer<f32, Shape<8>> seen;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return x * select<0, 0>(fc.weight);
#else
    return x * fc.weight[0];
#endif
  }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
