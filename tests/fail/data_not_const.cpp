// wrote: std::tuple<f32, f32> operator[](i64 i)
// write: std::tuple<f32, f32> operator[](i64 i) const
// expect: Squares
// first-error: a dataset is read as const, for several threads read it
#include "weft/weft.hpp"
using namespace weft;

struct Squares {
  i64 size() const { return 32; }
#ifdef WEFT_FIXED
  std::tuple<f32, f32> operator[](i64 i) const { return {f32(i), f32(i * i)}; }
#else
  std::tuple<f32, f32> operator[](i64 i) { return {f32(i), f32(i * i)}; }
#endif
};

int main() {
  for (auto& [x, y] : data::loader<8>(Squares{})) auto first = x[0];
}
