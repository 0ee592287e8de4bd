// wrote: auto [loss, hits] = f(x);
// write: auto f = compile(Cpu{1}, [](auto x) { return std::tuple{loss, hits}; }, ...)
// expect: TensorView<float
// first-error: one tensor is taken apart as two
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{1},
      [](auto x) {
#ifdef WEFT_FIXED
        return std::tuple{sum<>(x), mean<>(x)};
#else
        return sum<>(x);
#endif
      },
      in<f32, 4>);
  const std::vector<f32> x(4);
  const auto [loss, hits] = f(x);
  return static_cast<int>(loss.item() + hits.item());
}
