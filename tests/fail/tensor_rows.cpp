// wrote: auto n = x.rows();
// write: auto n = x.extent(0);
// expect: rows
// first-error: the extent of an axis is x.extent(0)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<2, 3>> x;
#ifdef WEFT_FIXED
  auto n = x.extent(0);
#else
  auto n = x.rows();
#endif
}
