// wrote: io::write_safetensors(path, {{"x", x}})
// write: io::write_safetensors(path, {{"x", DType::f32, {3}, x.data()}})
// expect: TensorsAreListed
// first-error: a file of tensors is written from name, dtype, shape and elements of each:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> x;
#ifdef WEFT_FIXED
  io::write_safetensors("x.safetensors", {{"x", DType::f32, {3}, x.data()}});
#else
  io::write_safetensors("x.safetensors", {{"x", x}});
#endif
}
