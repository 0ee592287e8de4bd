// wrote: make_meter<nn::Accuracy>(in<f32, 16, 3>, in<i32, 16>)
// write: make_meter<nn::Accuracy>(Cpu{}, in<f32, 16, 3>, in<i32, 16>)
// expect: Accuracy
// expect: Input<float,
// first-error: make_meter takes the device first:
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto meter = make_meter<nn::Accuracy>(Cpu{}, in<f32, 16, 3>, in<i32, 16>);
#else
  auto meter = make_meter<nn::Accuracy>(in<f32, 16, 3>, in<i32, 16>);
#endif
  std::vector<f32> x(48);
  std::vector<i32> y(16);
  meter.add(x, y);
  meter.reset();
}
