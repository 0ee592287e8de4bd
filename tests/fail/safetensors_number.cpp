// wrote: file[0], file.at(0)
// write: file["fc.weight"]
// expect: int
// first-error: a file's tensors have names:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  io::Safetensors file("net.safetensors");
#ifdef WEFT_FIXED
  auto x = file["fc.weight"];
#else
  auto x = file[0];
#endif
  auto elements = x.to_vector<f32>();
}
