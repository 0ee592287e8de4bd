// expect: the first argument is a traced tensor, or a std::tuple of them
// first-error: the first argument is a traced tensor, or a std::tuple of them
#include "weft/exec/model.hpp"
#include "weft/nn/stack.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/shape/creation.hpp"
using namespace weft;

struct Block {
  constexpr auto operator()(auto x) const { return relu(x + 1); }
};
struct Net {
  nn::Stack<Block, 3> h;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return x + h(zeros_like(x));
#else
    return x + h(zeros<f32, 2, 4>());
#endif
  }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 4>);
}
