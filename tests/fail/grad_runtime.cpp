// wrote: Tensor<f32, Shape<3>> g = grad(f)(w);
// write: auto df = compile(Cpu{}, [](auto v) { return grad(f)(v); }, in<f32, 3>);
// expect: Tensor<float
// first-error: gradients are made while a function is traced
#include "weft/weft.hpp"
using namespace weft;

constexpr auto f = [](auto v) { return sum(square(v)); };

int main() {
  const Tensor<f32, Shape<3>> w{1, 2, 3};
#ifdef WEFT_FIXED
  auto df = compile(
      Cpu{1}, [](auto v) { return grad(f)(v); }, in<f32, 3>);
  const auto g = df(w);
#else
  const Tensor<f32, Shape<3>> g = grad(f)(w);
#endif
  return static_cast<int>(g[0]);
}
