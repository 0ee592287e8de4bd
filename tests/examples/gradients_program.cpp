// The program that docs/gradients.md opens with, and what it prints.

// [program]
#include <cstdio>
#include <weft/weft.hpp>

using namespace weft;

int main() {
  auto descend = compile(
      Cpu{},
      [](auto x) {
        // Rosenbrock's function of two numbers, least at (1, 1)
        const auto f = [](auto v) {
          const auto a = select<0, 0>(v), b = select<0, 1>(v);
          return square(1 - a) + 100 * square(b - square(a));
        };
        auto [value, gradient] = value_and_grad(f)(x);
        return std::tuple{value, x - 2e-3f * gradient};
      },
      in<f32, 2>);
  Tensor<f32, Shape<2>> x{-1, 1};
  for (int step = 0; step <= 20000; ++step) {
    auto [value, next] = descend(x);
    if (step % 10000 == 0) std::printf("f(%.2f, %.2f) = %.4f\n", x[0], x[1], value.item());
    x = next;
  }
}
// [/program]
// prints: f(-1.00, 1.00) = 4.0000
// prints: f(1.00, 1.00) = 0.0000
// prints: f(1.00, 1.00) = 0.0000
