// wrote: compile(model, f, in<f32, 16, 8>, precision::f8)
// write: compile(model, f, in<f32, 16, 8>, precision::bf16)
// expect: precision::f8: its scales are a trainer's state, and a compiled function has none
// first-error: precision::f8: its scales are a trainer's state
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> first, inner, last;
  constexpr auto operator()(auto x) const { return last(inner(first(x))); }
};

int main() {
#ifdef WEFT_FIXED
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 16, 8>, precision::bf16);
#else
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 16, 8>, precision::f8);
#endif
}
