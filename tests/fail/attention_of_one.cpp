// wrote: attn(x)
// write: attn(x, x, x)
// expect: MultiheadAttention<6, 2
// first-error: MultiheadAttention takes the query, the key and the value:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::MultiheadAttention<6, 2, nn::MultiheadOptions{.batch_first = true}> attn;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return attn(x, x, x);
#else
    return attn(x);
#endif
  }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 5, 6>);
}
