// wrote: for (auto& batch : loader) trainer.step(batch);
// write: for (auto& [x, y] : loader) trainer.step(x, y);
// expect: error
// first-error: a call or step takes one argument for each in<...> of compile or
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  data::Arrays<f32, i64> set({std::vector<f32>(32), {8}}, {std::vector<i64>(4), {}});
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
  auto loader = data::loader<4>(set);
  for (auto& [x, y] : loader) trainer.step(x, y);
#else
  data::Arrays<f32, i64> set({std::vector<f32>(32), {8}}, {std::vector<i64>(4), {}});
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
  auto loader = data::loader<4>(set);
  for (auto& batch : loader) trainer.step(batch);
#endif
}
