// expect: behind query and pages come the table of pages (B, n) and the lengths (B)
// first-error: behind query and pages come the table of pages (B, n) and the lengths (B)
#include "weft/exec/function.hpp"
#include "weft/ops/nn/paged_attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr auto table = in<i32, 2, 3>;
#else
constexpr auto table = in<f32, 2, 3>;
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto q, auto pages, auto t, auto n) { return paged_attention(q, pages, pages, t, n); },
      in<f32, 2, 4, 1, 8>, in<f32, 9, 16, 4, 8>, table, in<i32, 2>);
}
