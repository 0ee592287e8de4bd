// wrote: table.column<f32>("price")
// write: table.take<f32>({"price"})
// expect: float
// first-error: one column of a table is table.column
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto table = io::read_csv("houses.csv");
#ifdef WEFT_FIXED
  auto price = table.take<f32>({"price"});
#else
  auto price = table.column<f32>("price");
#endif
}
