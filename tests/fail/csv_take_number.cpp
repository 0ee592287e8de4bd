// wrote: table.take<f32>({0, 1})
// write: table.take<f32>({"age", "price"})
// expect: int
// first-error: columns are named, and not numbered:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto table = io::parse_csv("age,price\n1,2\n");
#ifdef WEFT_FIXED
  auto both = table.take<f32>({"age", "price"});
#else
  auto both = table.take<f32>({0, 1});
#endif
}
