// wrote: nn::Linear<8, 16>* shared;
// write: nn::Linear<8, 16> shared;
// expect: Net
// first-error: a model holds layers, parameters and numbers that are known while compiling:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 16> shared;
  constexpr auto operator()(auto x) const { return shared(x); }
#else
  nn::Linear<8, 16>* shared;
  constexpr auto operator()(auto x) const { return (*shared)(x); }
#endif
};

int main() { Model<Net> model; }
