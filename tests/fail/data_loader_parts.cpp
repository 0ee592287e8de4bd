// wrote: data::loader<64>(digits, {.shuffle = true})
// write: data::loader<64>(digits.train, {.shuffle = true})
// expect: data::Digits
// first-error: the first argument holds several datasets and is none itself
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto digits = data::load_digits("digits.bin");
#ifdef WEFT_FIXED
  for (auto& [x, y] : data::loader<64>(digits.train, {.shuffle = true})) auto first = x[0];
#else
  for (auto& [x, y] : data::loader<64>(digits, {.shuffle = true})) auto first = x[0];
#endif
}
