// wrote: io::save(path, x), io::save_file(tensors, path)
// write: io::write_safetensors(path, {{"x", DType::f32, {3}, x.data()}})
// expect: Shape<3>
// first-error: a file of tensors is written from name, dtype, shape and elements of each:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> x;
#ifdef WEFT_FIXED
  io::write_safetensors("x.safetensors", {{"x", DType::f32, {3}, x.data()}});
#else
  io::save("x.safetensors", x);
#endif
}
