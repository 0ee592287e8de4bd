// expect: the number of blocks is given, and at least 1
// first-error: the number of blocks is given, and at least 1
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Stack<nn::Linear<4, 4>, 1> h;
#else
  nn::Stack<nn::Linear<4, 4>, 0> h;
#endif
  constexpr auto operator()(auto x) const { return h(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 4>);
}
