// wrote: data::loader<4>(rows, data::RandomSampler(rows))
// write: data::loader<4>(rows, {.shuffle = true})
// expect: OrderIsOption
// first-error: the order of samples is an option of the loader
#include "weft/weft.hpp"
using namespace weft;

int main() {
  const data::Arrays<f32, i64> rows({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  auto loader = data::loader<4>(rows, {.shuffle = true});
#else
  auto loader = data::loader<4>(rows, data::RandomSampler(rows));
#endif
}
