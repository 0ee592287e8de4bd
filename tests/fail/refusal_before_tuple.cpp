// wrote: auto s = Tensor<f32, Shape<3>>().sum();
// write: Tensor<f32, Shape<>> s = sum<>(Tensor<f32, Shape<3>>());
// expect: spelled::sum
// first-error: an operation is a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<>> s = sum<>(Tensor<f32, Shape<3>>());
#else
  auto s = Tensor<f32, Shape<3>>().sum();
#endif
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{x * 2, x + 1};
      },
      in<f32, 4>);
  auto [a, b] = f(std::vector<f32>(4));
}
