// wrote: evaluate(f, model, rows, in<f32, 8, 4>)
// write: evaluate(model, f, rows, in<f32, 8, 4>)
// expect: Net
// first-error: evaluate: the model stands first
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  const auto f = [](const auto& m, auto x) { return mean<1>(m(x)); };
  data::Arrays<f32> rows({std::vector<f32>(64), {4}});
#ifdef WEFT_FIXED
  auto mean = evaluate(model, f, rows, in<f32, 8, 4>);
#else
  auto mean = evaluate(f, model, rows, in<f32, 8, 4>);
#endif
}
