// wrote: table.take<f32>("area")
// write: table.take<f32>({"area"})
// expect: char
// first-error: one column of a table is table.column
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto table = io::read_csv("houses.csv");
#ifdef WEFT_FIXED
  auto area = table.take<f32>({"area"});
#else
  auto area = table.take<f32>("area");
#endif
}
