// wrote: data::Arrays<f32, i32> set(features, labels)
// write: data::Arrays<f32, i32> set({features.to_vector(), {8}}, {labels.to_vector(), {}})
// expect: Tensor<float,
// expect: Shape<10, 8>
// first-error: each field of Arrays<f32, i32> is a std::vector of its dtype
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<10, 8>> features;
  Tensor<i32, Shape<10>> labels;
#ifdef WEFT_FIXED
  data::Arrays<f32, i32> set({features.to_vector(), {8}}, {labels.to_vector(), {}});
#else
  data::Arrays<f32, i32> set(features, labels);
#endif
  return set.size() > 100;
}
