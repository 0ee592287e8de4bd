// expect: a Stack is called as a whole
// first-error: a Stack is called as a whole
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
using namespace weft;

struct Net {
  nn::Stack<nn::Linear<4, 4>, 3> h;
};

int main() {
  Model<Net> model;
  auto f = compile(
      model,
      [](const auto& m, auto x) {
#ifdef WEFT_FIXED
        return m.h(x);
#else
        return m.h[2](m.h[1](m.h[0](x)));
#endif
      },
      in<f32, 2, 4>);
}
