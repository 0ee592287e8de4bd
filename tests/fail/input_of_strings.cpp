// wrote: in<std::string, 4, 8>
// write: in<f32, 4, 8>
// expect: basic_string
// first-error: in<...>: the elements of an input are
#include "weft/weft.hpp"
using namespace weft;

#include <string>

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x; },
#ifdef WEFT_FIXED
      in<f32, 4, 8>);
#else
      in<std::string, 4, 8>);
#endif
}
