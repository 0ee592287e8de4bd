// expect: has a value for each block and is read in the blocks
// first-error: has a value for each block and is read in the blocks
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Block {
  nn::Linear<4, 4> fc;
  constexpr auto operator()(auto x) const { return std::pair{fc(x), sum<>(square(fc.weight))}; }
};
struct Net {
  nn::Stack<Block, 3> h;
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{},
      [](const auto& m, auto x) {
        const auto [y, sizes] = m.h(x);
#ifdef WEFT_FIXED
        return mean<>(square(y)) + sum<>(sizes);
#else
        return mean<>(square(y)) + sum<>(square(m.h.block.fc.weight));
#endif
      },
      in<f32, 2, 4>, optim::SGD{.lr = 0.1f});
}
