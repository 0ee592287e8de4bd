// wrote: std::vector<Sample>, Sample a struct
// write: std::vector<std::pair<std::array<f32, 2>, i32>>
// expect: std::vector<Sample
// first-error: the samples of a dataset are tuples of fields and no structs
#include "weft/weft.hpp"
using namespace weft;

struct Sample {
  std::array<f32, 2> x;
  i32 label;
};

int main() {
#ifdef WEFT_FIXED
  const std::vector<std::pair<std::array<f32, 2>, i32>> samples(32);
#else
  const std::vector<Sample> samples(32);
#endif
  for (auto& [x, y] : data::loader<8>(samples, {.shuffle = true, .last = data::pad_and_mask}))
    auto first = x[0];
}
