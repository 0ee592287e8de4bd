// One half of a program of two translation units, or of two shared libraries: PART is its name. One of them
// may be compiled with -DWEFT_CHECK.
#include <weft/weft.hpp>

float PART(float x) { return static_cast<float>(weft::bf16(x)); }

// Whether a NaN is an error in this half.
bool PART(int) {
  auto f = weft::compile(
      weft::Cpu{}, [](auto x) { return weft::log(x) * 2; }, weft::in<float, 64>);
  try {
    const weft::Tensor<float, weft::Shape<64>> y = f(weft::Tensor<float, weft::Shape<64>>::full(-1));
    return y[63] == y[63];
  } catch (const weft::Error& error) {
    return error.id() == "check/finite";
  }
}
