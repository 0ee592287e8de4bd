// wrote: std::string name = "net"; nn::Linear<8, 4> fc;
// write: nn::Linear<8, 4> fc;
// expect: basic_string
// first-error: and keep text outside
#include <string>

#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifndef WEFT_FIXED
  std::string name = "net";
#endif
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() { Model<Net> model; }
