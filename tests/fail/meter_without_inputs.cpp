// wrote: make_meter<nn::Accuracy>(Cpu{})
// write: make_meter<nn::Accuracy>(Cpu{}, in<f32, 8, 3>, in<i32, 8>)
// expect: Cpu
// first-error: make_meter takes the device first:
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto meter = make_meter<nn::Accuracy>(Cpu{}, in<f32, 8, 3>, in<i32, 8>);
#else
  auto meter = make_meter<nn::Accuracy>(Cpu{});
#endif
}
