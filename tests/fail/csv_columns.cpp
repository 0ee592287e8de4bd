// wrote: io::read_csv("houses.csv", {"area", "price"})
// write: io::read_csv("houses.csv", {.columns = {"area", "price"}})
// expect: char
// first-error: the columns to read are an option
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto table = io::read_csv("houses.csv", {.columns = {"area", "price"}});
#else
  auto table = io::read_csv("houses.csv", {"area", "price"});
#endif
}
