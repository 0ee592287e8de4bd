// wrote: data::load_mnist("data")
// write: data::Arrays<f32, i32> dataset({pixels, {1, 28, 28}}, {labels, {}})
// expect: char
// first-error: the program reads its own data
#include "weft/weft.hpp"
using namespace weft;

int main() {
  std::vector<f32> pixels(784);
  std::vector<i32> labels(1);
#ifdef WEFT_FIXED
  data::Arrays<f32, i32> dataset({pixels, {1, 28, 28}}, {labels, {}});
#else
  auto dataset = data::load_mnist("data");
#endif
}
