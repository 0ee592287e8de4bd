// expect: a buffer is assigned by one sample of vmap
// first-error: a buffer is assigned by one sample of vmap
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
#include "weft/ops/transform/vmap.hpp"
using namespace weft;

struct Block {
  nn::Linear<4, 4> fc;
  nn::Buffer<f32, Shape<4>> seen;
  constexpr auto operator()(auto x) const {
#ifndef WEFT_FIXED
    seen.assign(x);
#endif
    return fc(x);
  }
};
struct Net {
  nn::Stack<Block, 3> h;
  constexpr auto operator()(auto x) const {
    return vmap<0>([&](auto row) { return h(row); })(x);
  }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 4>, mode::train);
}
