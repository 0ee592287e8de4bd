// What the compiler finds wrong in a `return` is said once.
// expect: rows
// forbid: ReturnsExpressions
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;
#ifdef WEFT_FIXED
#define rows(x) expr()
#endif
struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc.weight.rows(x); }
};
auto f = compile<Net>(
    Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
