// wrote: operator[](i64 i), with data::loader<8>(set, {.shuffle = true})
// write: operator[](i64 i) const
// expect: DatasetIsConst<Squares
// first-error: a dataset is read as const
#include "weft/weft.hpp"
using namespace weft;

struct Squares {
#ifdef WEFT_FIXED
  i64 size() const { return 32; }
  std::tuple<f32, f32> operator[](i64 i) const { return {f32(i), f32(i * i)}; }
#else
  i64 size() const { return 32; }
  std::tuple<f32, f32> operator[](i64 i) { return {f32(i), f32(i * i)}; }
#endif
};

int main() {
  for (auto& [x, y] : data::loader<8>(Squares{}, {.shuffle = true})) auto first = x[0];
}
