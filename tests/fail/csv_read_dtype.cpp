// wrote: io::read_csv<f32>(path)
// write: io::read_csv(path)
// expect: float
// first-error: several side by side are table.take<f32>
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto table = io::read_csv("a.csv");
#else
  auto table = io::read_csv<f32>("a.csv");
#endif
}
