// expect: the operands of MultiheadAttention do not fit
// expect: Shape<6, 2, 16>
// first-error: the operands of MultiheadAttention do not fit
#include "weft/exec/model.hpp"
#include "weft/nn/attention.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::MultiheadAttention<16, 4> attn{};
#else
  nn::MultiheadAttention<8, 4> attn{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.attn(x, x, x); }, in<f32, 6, 2, 16>);
}
