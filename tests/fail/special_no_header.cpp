// wrote: bessel_j0(x)
// write: #include <weft/special.hpp>
// expect: special.hpp
// first-error: it is declared by #include <weft/special.hpp>
#include "weft/weft.hpp"
#ifdef WEFT_FIXED
#include "weft/special.hpp"
#endif
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return bessel_j0(x); }, in<f32, 8>);
}
