// wrote: data::from_function(f, 40), then a loader of it
// write: data::from_function(40, f)
// expect: lambda
// first-error: subset takes the indices
#include "weft/data/dataset.hpp"
#include "weft/data/loader.hpp"
using namespace weft;

int main() {
  constexpr auto f = [](i64 i) { return std::tuple{static_cast<f32>(i), i}; };
#ifdef WEFT_FIXED
  auto loader = data::loader<4>(data::from_function(40, f), {});
#else
  auto loader = data::loader<4>(data::from_function(f, 40), {});
#endif
  (void)loader;
}
