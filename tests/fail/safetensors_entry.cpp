// wrote: Tensor<f32, Shape<4>> x = file["x"];
// write: Tensor<f32, Shape<4>> x(file["x"].to_vector<f32>());
// expect: a file's entry has its dtype and shape while
// first-error: a file's entry has its dtype and shape while
#include "weft/exec.hpp"
#include "weft/io/safetensors.hpp"
using namespace weft;

int main() {
  const io::Safetensors file("a.safetensors");
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4>> x(file["x"].to_vector<f32>());
#else
  Tensor<f32, Shape<4>> x = file["x"];
#endif
}
