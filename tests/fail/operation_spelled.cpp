// wrote: leakyrelu(x)
// write: leaky_relu(x)
// expect: the operation has another name
// first-error: OperationIsSpelled<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return leaky_relu(x);
#else
        return leakyrelu(x);
#endif
      },
      in<f32, 4, 8>);
}
