// wrote: data::Arrays<> rows
// write: data::Arrays<f32, i32> rows
// expect: Arrays<>
// first-error: names the dtype of each field
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  data::Arrays<f32, i32> rows;
#else
  data::Arrays<> rows;
#endif
}
