// expect: make_trainer: trained parameters must all be f32, or all f64
// first-error: make_trainer: trained parameters must all be f32, or all f64
#include "weft/nn/linear.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 4, true, f64> fc1{};
#ifdef WEFT_FIXED
  nn::Linear<4, 2, true, f64> fc2{};
#else
  nn::Linear<4, 2> fc2{};
#endif
};

int main() {
  make_trainer<Net>(
      Cpu{},
      [](const auto& m, auto x) {
        return mean<>(m.fc2(cast<typename decltype(m.fc2.weight)::dtype>(m.fc1(x))));
      },
      in<f64, 2, 4>, optim::SGD{});
}
