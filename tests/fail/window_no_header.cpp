// wrote: hann_window<f32, 8>() without #include <weft/signal.hpp>
// write: #include <weft/signal.hpp>
// expect: spelled::hann_window
// first-error: the window functions are declared by #include <weft/signal.hpp>
#include "weft/weft.hpp"
#ifdef WEFT_FIXED
#include "weft/signal.hpp"
#endif
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x * hann_window<f32, 8>() + hamming_window<f32, 8>(); }, in<f32, 8>);
}
