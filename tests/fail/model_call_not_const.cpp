// wrote: constexpr auto operator()(auto x) { return fc(x); }
// write: constexpr auto operator()(auto x) const { return fc(x); }
// expect: Net
// first-error: the operator() of the model is not const
// nvcc: no instance of function template "Net::operator()" matches the argument list and object
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return fc(x); }
#else
  constexpr auto operator()(auto x) { return fc(x); }
#endif
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::SGD{.lr = 0.1f});
  trainer.step(std::vector<f32>(32), std::vector<i64>(4));
}
