// Products of matrices, on numbers.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/linalg/diagonal.hpp"
#include "weft/ops/linalg/einsum.hpp"
#include "weft/ops/linalg/products.hpp"
#include "weft/ops/shape/triangular.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: products, on numbers") {
  check_dtypes<f64, f16, bf16, i64, i32, i8, u8>("product", [](const auto& e) {
    const auto m = e.m();
    const auto first = e.template row<0>(), second = e.template row<1>();
    return std::tuple{
        matmul(m, m),   mv(m, first),     dot(first, second), outer(first, second), einsum<"ij,kj->ik">(m, m),
        addmm(m, m, m), linear(e.x, e.y), kron(m, m),         cross(m, m + 1),      trace(m)};
  });
}
