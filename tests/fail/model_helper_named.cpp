// expect: non-
// expect: model_helper_named.cpp:17:
// first-error: the function cannot run while the program compiles (with -DWEFT_TRACE_ERRORS
// flags: -DWEFT_TRACE_ERRORS
// header: none
// errors: any
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr auto twice(auto x) { return x + x; }
#else
auto twice(auto x) { return x + x; }
#endif
struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return twice(fc(x)); }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 4, 8>);
}
