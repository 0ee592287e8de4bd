// wrote: std::vector<float> v(3); auto loader = data::loader<4>(v);
// write: data::Arrays<f32, i64> set({std::vector<f32>(32), {8}}, {std::vector<i64>(4), {}}); auto loader  ...
// expect: error
// first-error: the batch size is a template argument, the dataset the first argument
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
  auto loader = data::loader<4>(set);
#else
  std::vector<float> v(3);
  auto loader = data::loader<4>(v);
#endif
}
