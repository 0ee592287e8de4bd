// wrote: io::read_csv(path, ';')
// write: io::read_csv(path, {.separator = ';'})
// expect: char
// first-error: what separates the fields of a line is an option
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto table = io::read_csv("a.csv", {.separator = ';'});
#else
  auto table = io::read_csv("a.csv", ';');
#endif
}
