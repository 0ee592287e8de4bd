#include "weft/kernel_ir/dot_problem.hpp"

#include "support/parity.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/movement.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/ops/transform/vmap.hpp"

using namespace weft;

TEST_CASE("dot_problem: axes that walk memory as one are joined, from the inside") {
  // (extent, strides of both operands and the result)
  kernel_ir::DotAxis run[]{{2, 12, 0, 24}, {3, 4, 0, 8}, {1, 7, 0, 7}, {4, 1, 0, 2}};
  CHECK(kernel_ir::join_axes(run, 4) == 0);
  CHECK(run[0].extent == 24);
  kernel_ir::DotAxis apart[]{{2, 12, 0, 120}, {3, 4, 0, 8}, {4, 1, 0, 2}};
  CHECK(kernel_ir::join_axes(apart, 3) == 1);
  CHECK(apart[0].extent == 2);
  CHECK(apart[1].extent == 12);
}

TEST_CASE("dot_problem: products over many axes in other orders agree with PyTorch, with gradients") {
  testing::check_group(
      "func_many_axes",
      [](auto a, auto w, auto p, auto q) {
        const auto many = [](auto x, auto y) { return sin(matmul(permute<6, 4, 2, 0, 7, 1, 5, 3>(x), y)); };
        const auto product = [](auto x, auto y) { return matmul(x, y); };
        const auto by_five = vmap<0, 4>(vmap<3, 1>(vmap<1, 2>(vmap<1, 0>(vmap<0, 0>(product)))));
        const auto [da, dw] = grad<0, 1>([many](auto x, auto y) { return sum(many(x, y)); })(a, w);
        const auto [dp, dq] = grad<0, 1>([by_five](auto x, auto y) { return sum(sin(by_five(x, y))); })(p, q);
        return std::tuple{many(a, w), da, dw, by_five(p, q), dp, dq};
      },
      in<f64, 2, 2, 2, 3, 2, 2, 2, 2>, in<f64, 3, 2>, in<f64, 2, 3, 2, 2, 2, 2, 3>,
      in<f64, 2, 2, 3, 2, 2, 3, 2>);
}
