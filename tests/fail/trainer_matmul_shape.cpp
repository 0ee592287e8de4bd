// expect: the extents of the contracted axes differ
// expect: Matmul
// expect: Shape<4, 8>
// expect: Shape<4, 3>
// first-error: the extents of the contracted axes differ
#include "weft/nn/param.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<8, 3>> weight{};
#else
  nn::Param<f32, Shape<4, 3>> weight{};
#endif
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(matmul(x, m.weight)); }, in<f32, 4, 8>,
      optim::AdamW{});
}
