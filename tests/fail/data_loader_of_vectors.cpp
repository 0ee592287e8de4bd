// wrote: data::loader<4>(x, y, {.shuffle = true})
// write: data::loader<4>(data::Arrays<f32, i32>({x, {4}}, {y, {}}), {.shuffle = true})
// expect: vector
// first-error: the batch size is a template argument, the dataset the first argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  const std::vector<f32> x(64);
  const std::vector<i32> y(16);
#ifdef WEFT_FIXED
  auto loader = data::loader<4>(data::Arrays<f32, i32>({x, {4}}, {y, {}}), {.shuffle = true});
#else
  auto loader = data::loader<4>(x, y, {.shuffle = true});
#endif
  for (auto& [a, b] : loader) auto first = a[0];
}
