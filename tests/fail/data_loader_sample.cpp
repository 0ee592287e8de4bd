// wrote: f32 operator[](i64 i) const
// write: std::tuple<f32, f32> operator[](i64 i) const
// expect: SamplesAreTuples<Squares
// first-error: the samples of a dataset are tuples of fields
#include "weft/weft.hpp"
using namespace weft;

struct Squares {
#ifdef WEFT_FIXED
  i64 size() const { return 32; }
  std::tuple<f32, f32> operator[](i64 i) const { return {f32(i), f32(i * i)}; }
#else
  i64 size() const { return 32; }
  f32 operator[](i64 i) const { return f32(i); }
#endif
};

int main() {
  for (auto& [x, y] : data::loader<8>(Squares{}, {.shuffle = true})) auto first = x[0];
}
