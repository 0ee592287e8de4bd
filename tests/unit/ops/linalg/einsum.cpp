#include "weft/ops/linalg/einsum.hpp"

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("einsum: every form of the subscripts") {
  check_group(
      "einsum",
      [](auto a, auto b, auto c, auto d, auto e) {
        const auto turned = transpose<1, 2>(c);
        const auto row = select<0, 0>(a);
        const auto other = select<0, 0>(b);
        const auto ab = expand<2, 3, 5>(einsum<"ij,jk->ik">(a, b));
        const auto cube = expand<3, 4, 5>(unsqueeze<-1>(a));
        return std::tuple{einsum<"ij,jk->ik">(a, b),
                          einsum<"ij,jk">(a, b),
                          einsum<"ba,ac">(a, b),
                          einsum<"ij->ji">(a),
                          einsum<"ba">(a),
                          einsum<"ij->">(a),
                          einsum<"ij->i">(a),
                          einsum<"ii">(select<2, 0>(c)),
                          einsum<"iij->ij">(c),
                          einsum<"iji->ij">(turned),
                          einsum<"iij,jk->ik">(c, b),
                          einsum<"bsd,btd->bst">(d, e),
                          einsum<"bsd,btd->tsb">(d, e),
                          einsum<"i,j->ij">(row, other),
                          einsum<"ij,ij->ij">(a, a),
                          einsum<"ij,ij">(a, a),
                          einsum<"ij,jk,bik->b">(a, b, ab),
                          einsum<"ij,jk,kl,lm->im">(a, b, t(b), t(a)),
                          einsum<"...ij,...kj->...ik">(d, e),
                          einsum<"...i,ij">(d, b),
                          einsum<"...j->j">(d),
                          einsum<"b...->...b">(d),
                          einsum<"...ij,...jk->...ik">(unsqueeze<1>(d), expand<3, 4, 5>(b)),
                          einsum<"Bs,sB->sB">(a, t(a)),
                          einsum<"bA,As">(a, b),
                          einsum<" i j , j k -> k i ">(a, b),
                          einsum<"ij,ij->ij">(slice<1, 0, 1>(a), a),
                          einsum<"ij,kl->il">(a, b),
                          einsum<",ij->ij">(select<0, 0>(row), a),
                          einsum<"bn,anm,bm->ba">(select<1, 0>(d), cube, select<2, 0>(e)),
                          einsum<"abc,dbc,ad->">(c, d, t(select<2, 0>(d)))};
      },
      in<f32, 3, 4>, in<f32, 4, 5>, in<f32, 3, 3, 4>, in<f32, 2, 3, 4>, in<f32, 2, 5, 4>);
}

TEST_CASE("einsum: gradients as PyTorch has them") {
  check_group(
      "einsum_gradient",
      [](auto a, auto b, auto c, auto d, auto e) {
        return std::tuple{
            weighted<1>([](auto x, auto y) { return einsum<"ij,jk->ik">(x, y); })(a, b),
            weighted<0>([](auto x) { return einsum<"iji->ij">(x); })(transpose<1, 2>(c)),
            weighted<0>([](auto x, auto y) { return einsum<"ij,jk,ik->i">(x, y, matmul(x, y)); })(a, b),
            weighted<0>([](auto x, auto y) { return einsum<"...ij,...kj->...ik">(x, y); })(d, e),
            weighted<1>([](auto x, auto y) { return einsum<"ij,kl->il">(x, y); })(a, b)};
      },
      in<f32, 3, 4>, in<f32, 4, 5>, in<f32, 3, 3, 4>, in<f32, 2, 3, 4>, in<f32, 2, 5, 4>);
}

TEST_CASE("einsum: a contraction is one launch, with no copy of what it reads") {
  CHECK(decltype(compile(
            Cpu{}, [](auto q, auto k) { return einsum<"bhsd,bhtd->bhst">(q, k); }, in<f32, 2, 8, 128, 64>,
            in<f32, 2, 8, 128, 64>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto q, auto k) { return einsum<"bshd,bthd->bhst">(q, k); }, in<f32, 2, 16, 4, 8>,
            in<f32, 2, 16, 4, 8>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto a, auto b) { return einsum<"ij,jk->ki">(a, b); }, in<f32, 6, 7>,
            in<f32, 7, 8>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto a) { return einsum<"ii->i">(a) * 2; }, in<f32, 6, 6>))::launches() == 1);
}

TEST_CASE("einsum: the pair with the fewest multiplications comes first") {
  // (c a) b takes two products of 2 x 100 x 100; c (a b) would take one of 100 x 100 x 100
  auto f = compile(
      test_device(), [](auto a, auto b, auto c) { return einsum<"ij,jk,kl->il">(c, a, b); },
      in<f32, 100, 100>, in<f32, 100, 100>, in<f32, 2, 100>);
  CHECK(f.explain().find("2 x 100 x 100") != std::string::npos);
  CHECK(f.explain().find("100 x 100 x 100") == std::string::npos);
  auto many = compile(
      test_device(), [](auto a, auto b) { return einsum<"abcdefg,gfedcbh->ah">(a, b); },
      in<f32, 2, 2, 2, 2, 2, 2, 3>, in<f32, 3, 2, 2, 2, 2, 2, 2>);
  const std::vector<f32> ones(192, 1.0f);
  CHECK(many(ones, ones)(1, 1) == 96.0f);
}

TEST_CASE("einsum: of tensors, outside traced functions") {
  Tensor<f32, Shape<2, 2>> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  Tensor<f32, Shape<2>> y = einsum<"ij,ji->i">(a, b);
  CHECK(y.to_vector() == std::vector<f32>{19, 50});
}
