// wrote: auto t = from_blob(p, {2, 3});
// write: TensorView<f32, Shape<2, 3>> t(p);
// expect: spelled::from_blob
// first-error: a tensor's dtype and shape are its type
#include "weft/weft.hpp"
using namespace weft;

int main() {
  std::vector<f32> values(6);
#ifdef WEFT_FIXED
  TensorView<f32, Shape<2, 3>> t(values.data());
#else
  auto t = from_blob(values.data(), {2, 3});
#endif
}
