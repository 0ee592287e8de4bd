// wrote: grad of a function that returns std::tuple{loss, aux}
// write: return the loss alone, aux by probe<"aux">(x)
// expect: GradientOf
// first-error: grad, value_and_grad: the function returns several results
#include "weft/exec/function.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
        return grad([](auto y) {
          const auto loss = sum<>(y * y);
#ifdef WEFT_FIXED
          return loss;
#else
          return std::tuple{loss, y};
#endif
        })(x);
      },
      in<f32, 4>);
}
