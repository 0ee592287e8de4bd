// wrote: std::variant<nn::Linear<8, 4>, nn::Linear<8, 4, false>> fc;
// write: nn::Linear<8, 4> fc;
// expect: variant
// first-error: a model holds layers, parameters and numbers that are known while compiling
#include <variant>

#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
#else
  std::variant<nn::Linear<8, 4>, nn::Linear<8, 4, false> > fc;
  constexpr auto operator()(auto x) const { return std::get<0>(fc)(x); }
#endif
};

int main() { Model<Net> model; }
