// wrote: make_trainer<Model<Net>>(Cpu{}, ...)
// write: make_trainer<Net>(Cpu{}, ...)
// expect: the type is the model's struct
// first-error: make_trainer<Net>: the type is the model's struct
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>, optim::AdamW{});
#else
  auto trainer = make_trainer<Model<Net> >(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>, optim::AdamW{});
#endif
}
