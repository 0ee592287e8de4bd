// wrote: body.requires_grad_(false)
// write: nn::Frozen<nn::Linear<8, 16>> body
// expect: nn::Linear<8, 16
// nvcc: a layer has no methods of PyTorch
// first-error: a layer has no methods of PyTorch
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Frozen<nn::Linear<8, 16>> body;
#else
  nn::Linear<8, 16> body;
#endif
  constexpr auto operator()(auto x) const {
#ifndef WEFT_FIXED
    body.requires_grad_(false);
#endif
    return relu(body(x));
  }
};

int main() { auto f = compile<Net>(Cpu{}, in<f32, 4, 8>); }
