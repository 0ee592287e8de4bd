// wrote: loop(body, h, std::tuple{xs, ts})
// write: loop(body, h, xs, ts)
// expect: LoopOp
// first-error: then the stacked inputs one by one
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{1},
      [](auto h, auto xs) {
        const auto ts = arange<f32, 1, 9>();
#ifdef WEFT_FIXED
        return loop([](auto carry, auto x, auto t) { return carry + x * t; }, h, xs, ts);
#else
        return loop([](auto carry, auto x) { return carry + std::get<0>(x) * std::get<1>(x); }, h,
                    std::tuple{xs, ts});
#endif
      },
      in<f32, 4>, in<f32, 8, 4>);
}
