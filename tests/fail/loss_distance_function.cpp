// expect: triplet_margin_with_distance_loss: the fourth argument is the distance, a function of two tensors
// expect: double
// first-error: triplet_margin_with_distance_loss: the fourth argument is the distance
#include "weft/exec/function.hpp"
#include "weft/ops/loss/margin.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto a, auto p, auto n) {
#ifdef WEFT_FIXED
        const auto distance = [](const auto& x, const auto& y) { return sum<-1>(abs(x - y)); };
        return triplet_margin_with_distance_loss(a, p, n, distance, 1.5);
#else
        return triplet_margin_with_distance_loss(a, p, n, 1.5);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>, in<f32, 4, 8>);
}
