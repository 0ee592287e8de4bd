// wrote: x + ones<f32, Shape<4, 8>>()
// write: x + ones<f32, 4, 8>()
// expect: dtype and shape are template arguments
// first-error: DtypeAndShapeAreTemplateArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + ones<f32, 4, 8>();
#else
        return x + ones<f32, Shape<4, 8> >();
#endif
      },
      in<f32, 4, 8>);
}
