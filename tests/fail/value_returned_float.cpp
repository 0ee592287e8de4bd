// wrote: [](const auto& m, auto x, auto y) -> float
// write: [](const auto& m, auto x, auto y)
// expect: float
// first-error: the result of a traced function is a value, whose type is deduced
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{},
#ifdef WEFT_FIXED
      [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); },
#else
      [](const auto& m, auto x, auto y) -> float { return cross_entropy(m(x), y); },
#endif
      in<f32, 4, 8>, in<i64, 4>, optim::SGD{.lr = 0.1f});
}
