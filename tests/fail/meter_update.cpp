// wrote: meter.update(predictions, labels)
// write: meter.add(predictions, labels)
// expect: update
// expect: Accuracy
// first-error: a meter takes a batch by add(predictions, labels),
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto meter = make_meter<nn::Accuracy>(Cpu{}, in<f32, 16, 3>, in<i32, 16>);
  std::vector<f32> x(48);
  std::vector<i32> y(16);
#ifdef WEFT_FIXED
  meter.add(x, y);
#else
  meter.update(x, y);
#endif
  meter.reset();
}
