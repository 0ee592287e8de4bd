// wrote: table.column(0)
// write: table.column("price")
// expect: int
// first-error: columns are named, and not numbered:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto table = io::parse_csv("price\n1\n");
#ifdef WEFT_FIXED
  auto prices = table.column("price");
#else
  auto prices = table.column(0);
#endif
}
