// What the compiler finds wrong in a `return` is said once.
// expect: torch
// forbid: ReturnsExpressions
// nvcc: must be a class or namespace name
#include "weft/weft.hpp"
using namespace weft;
#ifdef WEFT_FIXED
namespace torch {
using weft::relu;
}
#endif
auto f = compile(
    Cpu{}, [](auto x) { return torch::relu(x); }, in<f32, 4, 8>);
