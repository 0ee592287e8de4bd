// wrote: cross_entropy(argmax<-1>(m(x)), y)
// write: cross_entropy(m(x), y)
// expect: CrossEntropyOp
// expect: Shape<4>
// first-error: the first operand holds numbers of classes
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{},
      [](const auto& m, auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy(m(x), y);
#else
        return cross_entropy(argmax<-1>(m(x)), y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4>, optim::SGD{.lr = 0.1f});
}
