// wrote: optim::SGD{}, bf16{}
// write: optim::SGD{}, precision::bf16
// expect: SGD
// first-error: a dtype is no option: a precision is precision::bf16
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
constexpr auto loss = [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
#ifdef WEFT_FIXED
                                   optim::SGD{}, precision::bf16);
#else
                                   optim::SGD{}, bf16{});
#endif
}
