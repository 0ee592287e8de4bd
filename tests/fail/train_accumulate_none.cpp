// wrote: accumulate<0>
// write: accumulate<4>
// expect: accumulate<N>: the number of steps
// first-error: accumulate<N>: the number of steps before an update is at least 1
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
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>, optim::AdamW{}, accumulate<4>);
#else
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>, optim::AdamW{}, accumulate<0>);
#endif
}
