// wrote: const Model<Net> model; auto trainer = make_trainer(model, [](const auto& ...
// write: Model<Net> model; auto trainer = make_trainer(model, [](const auto& ...
// expect: Net
// first-error: make_trainer takes a device and the model's type,
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model;
  auto trainer = make_trainer(
      model, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
#else
  const Model<Net> model;
  auto trainer = make_trainer(
      model, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
#endif
}
