// wrote: compile(model, f, in<...>, mode::inference)
// write: compile(model, f, in<...>, mode::eval)
// expect: inference
// first-error: write mode::eval
// nvcc: inference
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>, mode::eval);
#else
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>, mode::inference);
#endif
}
