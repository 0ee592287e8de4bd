// What dlpack.py loads: tensors that go to Python, and a function of those that come from there.

#include "weft/dlpack.hpp"

#include "weft/weft.hpp"

using namespace weft;

extern "C" {

// A tensor of 64 x 3 elements 0, 1, 2, ...
dlpack::ManagedTensor* give_f32() {
  // [give]
  Tensor<f32, Shape<64, 3>> x;
  for (i64 i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i);
  return to_dlpack(x);  // the elements live until its deleter is called
  // [/give]
}
dlpack::ManagedTensor* give_i64() { return to_dlpack(Tensor<i64, Shape<2, 1, 2>>{1, -2, 3, i64{1} << 40}); }
dlpack::ManagedTensor* give_bool() { return to_dlpack(Tensor<bool, Shape<3>>{true, false, true}); }
dlpack::ManagedTensor* give_bf16() { return to_dlpack(Tensor<bf16, Shape<2>>{bf16(1.5f), bf16(-2.0f)}); }

// The sum of twice the elements of 64 x 3; -1 where it is refused, and then not taken.
double take_f32(dlpack::ManagedTensor* given) {
  try {
    // [take]
    // calls its deleter when the last copy of x is gone
    const auto x = from_dlpack<f32, Shape<64, 3>>(given);
    // [/take]
    static auto f = compile(
        Cpu{1}, [](auto a) { return sum<>(a * 2); }, in<f32, 64, 3>);
    return f(x);
  } catch (const Error&) {
    return -1;
  }
}
// Writes 9 to element (1, 2).
void write_f32(dlpack::ManagedTensor* given) { from_dlpack<f32, Shape<64, 3>>(given)(1, 2) = 9; }
}
