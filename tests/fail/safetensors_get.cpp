// wrote: file.get<f32>("x"), file.get_tensor("x")
// write: file.at("x").to_vector<f32>()
// expect: float
// first-error: a file's tensors have names:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  io::Safetensors file("net.safetensors");
#ifdef WEFT_FIXED
  auto x = file.at("x").to_vector<f32>();
#else
  auto x = file.get<f32>("x");
#endif
}
