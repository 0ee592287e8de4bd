// expect: vmap: a function that is applied to run-time tensors captures nothing
// first-error: vmap: a function that is applied to run-time tensors captures nothing
#include <vector>

#include "weft/exec/immediate.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/vmap.hpp"
using namespace weft;

int main() {
  const Tensor<f32, Shape<4, 3>, Cpu> x(std::vector<f32>(12));
  [[maybe_unused]] const float scale = static_cast<float>(x.to_vector().size());
#ifdef WEFT_FIXED
  const Tensor<f32, Shape<4>, Cpu> y = vmap([](auto row) { return sum(row) * 12; })(x);
#else
  const Tensor<f32, Shape<4>, Cpu> y = vmap([scale](auto row) { return sum(row) * scale; })(x);
#endif
}
