// expect: each block is given what the one before returned
// expect: Shape<2, 8>
// first-error: each block is given what the one before returned
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Stack<nn::Linear<4, 4>, 3> h;
#else
  nn::Stack<nn::Linear<4, 8>, 3> h;
#endif
  constexpr auto operator()(auto x) const { return h(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 4>);
}
