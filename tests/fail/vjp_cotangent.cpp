// expect: vjp: the last argument is the cotangent
// expect: Shape<3>
// first-error: vjp: the last argument is the cotangent
#include "weft/exec/function.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/vjp.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto c) {
#ifdef WEFT_FIXED
        return vjp([](auto a) { return sum<1>(a * a); })(x, sum<0>(c));
#else
        return vjp([](auto a) { return sum<1>(a * a); })(x, sum<1>(c));
#endif
      },
      in<f32, 4, 3>, in<f32, 3, 4>);
  static_cast<void>(f);
}
