#include "weft/transforms/input_use.hpp"

#include <doctest/doctest.h>

#include "weft/weft.hpp"

using namespace weft;

namespace {

template <class F, class... I>
std::vector<transforms::InputUse> uses_of(F, I...) {
  ir::Builder b;
  exec::add_outputs(b, exec::call<I...>(b, F{}));
  std::vector<transforms::InputUse> uses(sizeof...(I));
  transforms::find_input_uses(b.graph, uses.data());
  return uses;
}

}  // namespace

TEST_CASE("input_use: places, labels, both and neither") {
  const auto uses = uses_of(
      [](auto table, auto token, auto label, auto both, auto number) {
        const auto rows = nn::functional::embedding(reshape<2, 3>(cast<i64>(token)), table);
        const auto more = index_select<0>(table, both);
        return std::tuple{cross_entropy(mean<1>(rows), label), cross_entropy(more, both),
                          mean<>(cast<f32>(number)), index_select<1>(table, both)};
      },
      in<f32, 7, 5>, in<i32, 6>, in<i32, 2>, in<i64, 4>, in<i32, 3>);
  CHECK(!uses[0].is_index);
  CHECK(uses[1].is_index);
  CHECK(uses[1].least == 0);
  CHECK(uses[1].most == 6);
  CHECK(!uses[1].is_label);
  CHECK(uses[2].is_label);
  CHECK(uses[2].classes == 5);
  CHECK(uses[2].ignored == -100);
  CHECK(!uses[2].is_index);
  CHECK(uses[3].is_label);
  CHECK(uses[3].is_index);
  CHECK(uses[3].most == 4);  // the tighter of two
  CHECK(!uses[4].is_label);
  CHECK(!uses[4].is_index);
}

TEST_CASE("input_use: what is computed from an input is not the input") {
  const auto uses =
      uses_of([](auto x, auto i) { return index_select<0>(x, remainder(i, 3)); }, in<f32, 3>, in<i32, 4>);
  CHECK(!uses[1].is_index);
}
