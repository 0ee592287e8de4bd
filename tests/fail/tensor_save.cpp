// wrote: x.save("x.safetensors");
// write: io::write_safetensors("x.safetensors", {{"x", DType::f32, {3}, x.data()}});
// expect: save
// first-error: a tensor has no file of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> x;
#ifdef WEFT_FIXED
  io::write_safetensors("x.safetensors", {{"x", DType::f32, {3}, x.data()}});
#else
  x.save("x.safetensors");
#endif
}
