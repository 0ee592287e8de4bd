// expect: each() is given one tensor, whose first axis is as long as there are blocks
// expect: Shape<4, 4>
// first-error: each() is given one tensor, whose first axis is as long as there are blocks
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
using namespace weft;

struct Block {
  nn::Linear<4, 4> fc;
  constexpr auto operator()(auto x, auto shift) const { return fc(x) + shift; }
};
struct Net {
  nn::Stack<Block, 3> h;
  constexpr auto operator()(auto x, auto shifts) const { return h(x, nn::each(shifts)); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  constexpr i64 shifts = 3;
#else
  constexpr i64 shifts = 4;
#endif
  auto f = compile(
      model, [](const auto& m, auto x, auto s) { return m(x, s); }, in<f32, 2, 4>, in<f32, shifts, 4>);
}
