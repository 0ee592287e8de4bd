// wrote: i64 len() const; std::tuple<f32, f32> get(i64 i) const
// write: i64 size() const; std::tuple<f32, f32> operator[](i64 i) const
// expect: Squares
// first-error: a dataset has size() and operator[](i64), both const
#include "weft/weft.hpp"
using namespace weft;

struct Squares {
#ifdef WEFT_FIXED
  i64 size() const { return 32; }
  std::tuple<f32, f32> operator[](i64 i) const { return {f32(i), f32(i * i)}; }
#else
  i64 len() const { return 32; }
  std::tuple<f32, f32> get(i64 i) const { return {f32(i), f32(i * i)}; }
#endif
};

int main() {
  for (auto& [x, y] : data::loader<8>(Squares{}, {.shuffle = true})) auto first = x[0];
}
