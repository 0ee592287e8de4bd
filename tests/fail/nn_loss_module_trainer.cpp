// wrote: return nn::CrossEntropyLoss{}(m(x), y);
// write: return cross_entropy(m(x), y);
// expect: nn::CrossEntropyLoss
// first-error: losses are functions
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{},
      [](const auto& m, auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy(m(x), y);
#else
        return nn::CrossEntropyLoss{}(m(x), y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
}
