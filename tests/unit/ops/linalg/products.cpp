#include "weft/ops/linalg/products.hpp"

#include "support/parity.hpp"
#include "weft/ops/linalg/diagonal.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("linalg: diagonals of any axes, products of Kronecker, cross and contraction") {
  check_group(
      "products",
      [](auto a, auto b, auto v, auto x, auto y, auto c) {
        const auto turned = transpose<1, 2>(a);
        const auto square = bmm(a, turned);
        const auto first = select<0, 0>(square);
        return std::tuple{diagonal<0, 0, 1>(c),
                          diagonal<-1, 0, 2>(c),
                          diagonal<1, 2, 1>(c),
                          diag<1>(v),
                          diag<-1>(b),
                          diag_embed(x),
                          diag_embed<-1, 0, 2>(x),
                          diagflat<1>(x),
                          kron(x, slice<0, 0, 2>(slice<1, 0, 2>(b))),
                          kron(v, x),
                          cross(x, y),
                          cross<0>(t(x), t(y)),
                          inner(a, v),
                          inner(x, y),
                          dot(v, v),
                          tensordot<1>(a, b),
                          select<0, 0>(select<0, 0>(select<0, 0>(tensordot<0>(movedim<0, 2>(a), a)))),
                          baddbmm(square, a, turned, 0.5, 2),
                          addmv(select<1, 0>(select<0, 0>(a)), select<0, 0>(a), v),
                          addr(b, v, select<0, 0>(b), 2),
                          addbmm(first, a, turned),
                          matrix_power<5>(first)};
      },
      in<f32, 3, 4, 5>, in<f32, 5, 7>, in<f32, 5>, in<f32, 2, 3>, in<f32, 2, 3>, in<f32, 2, 3, 4>);
}

TEST_CASE("linalg: a diagonal of neighbouring axes is a view") {
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return diagonal<1, 0, 1>(x) * 2; }, in<f32, 4, 5, 6>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return diag_embed(x) + 1; }, in<f32, 4, 5>))::launches() == 1);
}
