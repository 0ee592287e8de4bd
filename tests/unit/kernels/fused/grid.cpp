#include "weft/kernels/fused/grid.hpp"

#include <doctest/doctest.h>

#include "weft/compiler/image.hpp"
#include "weft/compiler/pipeline.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

// A softmax whose operand takes Terms steps to compute, in rows that several passes read.
template <int Terms>
struct LongRows {
  template <class X, class W>
  constexpr auto operator()(const X& x, const W& w) const {
    auto y = cast<f32>(x);
    for (int i = 0; i < Terms; ++i) y = y * 1.25f + w * (0.5f + static_cast<float>(i));
    return cast<bf16>(softmax<1>(y));
  }
};
template <int Terms>
using Program = exec::Compiled<
    exec::FunctionSource<LongRows<Terms>, Input<bf16, Shape<4, 8192>>, Input<f32, Shape<8192>>>>;
template <int Terms>
using CodeOf = compiler::code_of<Program<Terms>, 0>;
template <int Terms>
using Grid = kernels::FusedGrid<CodeOf<Terms>, 16, true>;

template <class G>
constexpr int elements(kernels::Kind kind) {
  using View = typename G::Needs::View;
  int n = 0;
  for (int i = 0; i < G::header.instructions; ++i)
    n += View::instruction(i).stage == kernels::Stage::element &&
         kernels::kind_of(static_cast<DType>(View::instruction(i).dtype)) == kind;
  return n;
}

}  // namespace

TEST_CASE("grid: rows that several passes read are kept in shared memory, however long the code is") {
  static_assert(Program<0>::header.kernels == 1 && Program<16>::header.kernels == 1);
  static_assert(Grid<0>::header.instructions < 38 && Grid<16>::header.instructions > 150);
  static_assert(Grid<0>::stages && Grid<16>::stages);
  static_assert(Grid<0>::shares_reductions && Grid<16>::shares_reductions);
}

TEST_CASE("grid: a body has one register for each value of a kind") {
  using G = Grid<16>;
  using Body = kernels::FusedBody<CodeOf<16>, G::Family, SerialTeam, kernels::LaunchArgs, 1>;
  using Traits = Body::Traits;
  using Element = Traits::BankOf<G::Family, Traits::Holder::element>;
  constexpr int f32s = elements<G>(kernels::Kind::f32);
  static_assert(f32s > 40);
  CHECK(sizeof(Element::f) == sizeof(float) * f32s * G::width);
  CHECK(sizeof(Element) <
        sizeof(Element::f) + 6 * 8 * G::width);  // and one each of the kinds that it has not
}
