// wrote: std::tuple(std::vector<std::vector<f32>>{...}, 1)
// write: std::tuple(std::vector<std::array<f32, 2>>{...}, 1)
// expect: FieldIsOneArray<std::vector<float
// first-error: a field of a sample is a number, a std::array of numbers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto rows = data::from_function(8, [](i64 i) {
#ifdef WEFT_FIXED
    return std::tuple(std::vector<std::array<f32, 2>>{{f32(i), 1}, {2, 3}}, 1);
#else
    return std::tuple(std::vector<std::vector<f32>>{{f32(i), 1}, {2, 3}}, 1);
#endif
  });
  for (auto& [x, y] : data::loader<4>(rows)) auto first = x.data();
}
