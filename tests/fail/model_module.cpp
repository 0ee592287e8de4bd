// wrote: struct Net : nn::Module {
// write: struct Net {
// expect: Net
// first-error: a model has no base class
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
#else
struct Net : nn::Module {
#endif
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() { Model<Net> model; }
