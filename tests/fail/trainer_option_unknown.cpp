// expect: make_trainer: one of the options is none that it knows
// expect: MyOption
// first-error: make_trainer: one of the options is none that it knows
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
struct MyOption {};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m.fc(x)); }, in<f32, 4, 8>, optim::AdamW{}
#ifndef WEFT_FIXED
      ,
      MyOption{}
#endif
  );
}
