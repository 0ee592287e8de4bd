// wrote: vjp([](const auto& m, auto x) { return m(x); })(model, x, c), and jvp
// write: grad([](const auto& m, auto x, auto c) { return sum<>(m(x) * c); })(model, x, c)
// expect: Net
// first-error: vjp and jvp: an argument is a model
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return tanh(fc(x)); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto f = compile(
      model,
      [](const auto& m, auto x, auto c) {
        return grad([](const auto& q, auto y, auto s) { return sum<>(q(y) * s); })(m, x, c).fc.weight.expr();
      },
      in<f32, 4, 8>, in<f32, 4, 3>);
#else
  auto f = compile(
      model,
      [](const auto& m, auto x, auto c) { return vjp([](const auto& q, auto y) { return q(y); })(m, x, c); },
      in<f32, 4, 8>, in<f32, 4, 3>);
#endif
}
