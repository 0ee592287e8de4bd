// expect: the layer takes one value and nothing else
// first-error: the layer takes one value and nothing else
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
using namespace weft;

struct Net {
  nn::Stack<nn::Linear<4, 4>, 3> h;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return h(x);
#else
    return h(x, x);
#endif
  }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 4>);
}
