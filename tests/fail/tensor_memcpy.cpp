// wrote: std::memcpy(t, from, 12)
// write: std::memcpy(t.data(), from, 12)
// expect: Shape<3>
// first-error: a pointer to the elements of a tensor is x.data()
#include <cstring>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> t;
  const f32 from[]{1, 2, 3};
#ifdef WEFT_FIXED
  std::memcpy(t.data(), from, sizeof from);
#else
  std::memcpy(t, from, sizeof from);
#endif
}
