// wrote: std::tuple<f32, i32> operator()()
// write: std::optional<std::tuple<f32, i32>> operator()()
// expect: GeneratorDataset
// first-error: a stream returns a std::optional of a tuple
#include <optional>

#include "weft/weft.hpp"
using namespace weft;

struct Counter {
  i64 next = 0;
#ifdef WEFT_FIXED
  std::optional<std::tuple<f32, i32>> operator()() {
    if (next == 32) return std::nullopt;
#else
  std::tuple<f32, i32> operator()() {
#endif
    ++next;
    return std::tuple{f32(next), i32(next % 3)};
  }
};

int main() {
  auto counted = data::from_generator([](i64) { return Counter{}; });
  for (auto& [x, y] : data::loader<8>(counted)) auto first = x[0];
}
