// wrote: evaluate(model, accuracy, dataset, in<f32, 5, 8>, in<i64, 5>)
// write: evaluate(model, [](const auto& m, auto x, auto y) { return accuracy(m(x), y); }, dataset, ...)
// expect: Net
// first-error: a function of many forms
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
  data::Arrays<f32, i64> dataset({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  auto part = evaluate(
      model, [](const auto& net, auto x, auto y) { return accuracy(net(x), y); }, dataset, in<f32, 5, 8>,
      in<i64, 5>);
#else
  auto part = evaluate(model, accuracy, dataset, in<f32, 5, 8>, in<i64, 5>);
#endif
}
