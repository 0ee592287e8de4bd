// wrote: nn::MultiheadAttention<8, 2, true> n;
// write: nn::MultiheadAttention<8, 2, nn::MultiheadOptions{.batch_first = true}> n;
// expect: MultiheadAttention
// first-error: are followed by one options struct
// nvcc: no suitable constructor exists to convert from "bool"
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::MultiheadAttention<8, 2, nn::MultiheadOptions{.batch_first = true}> n;
#else
  nn::MultiheadAttention<8, 2, true> n;
#endif
  constexpr auto operator()(auto x) const { return n(x, x, x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 3, 8>);
}
