// wrote: make_trainer<Net>(..., precision::bf16())
// write: make_trainer<Net>(..., precision::bf16)
// expect: a policy is a value and not a function
// first-error: a policy is a value and not a function
#include "weft/nn.hpp"
#include "weft/train.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc{};
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto policy = precision::bf16;
#else
  constexpr auto policy = precision::bf16();
#endif
  auto t = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean(m.fc(x)); }, in<f32, 2, 4>, optim::SGD{.lr = 0.1f},
      policy);
}
