// The program that docs/tensors.md opens with, and what it prints.

// [program]
#include <cstdio>
#include <weft/weft.hpp>

using namespace weft;

int main() {
  Tensor<f32, Shape<2, 3>> table{1, 2, 3, 4, 5, 6};
  Tensor<f32, Shape<3>> prices{0.5f, 10, 2};
  Tensor<f32, Shape<2>> totals = sum<-1>(table * prices);  // one kernel; shapes are checked by the compiler

  auto rank = compile(
      Cpu{},
      [](auto x) {
        auto [values, places] = sort(x, descending);  // along the last axis, as in PyTorch
        return std::tuple{values, places, einsum<"ij,kj->ik">(x, x)};
      },
      in<f32, 2, 3>);
  auto [values, places, products] = rank(table);

  for (f32 total : totals) std::printf("total %g\n", total);
  std::printf("greatest %g at %lld, product of the rows %g\n", values(1, 0),
              static_cast<long long>(places(1, 0)), products(0, 1));
}
// [/program]
// prints: total 26.5
// prints: total 64
// prints: greatest 6 at 2, product of the rows 32
