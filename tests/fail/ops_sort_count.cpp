// expect: topk, kthvalue and median take at least one element
// expect: ArgSort
// expect: Shape<4, 8>
// first-error: topk, kthvalue and median take at least one element
#include "weft/exec/function.hpp"
#include "weft/ops/index/sort.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return std::get<0>(topk<8>(x)); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return std::get<0>(topk<9>(x)); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
