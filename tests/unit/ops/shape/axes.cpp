#include "weft/ops/shape/axes.hpp"

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("rearrange: moved, split, joined and repeated axes, windows") {
  check_group(
      "axes",
      [](auto c, auto m) {
        const auto first = select<0, 0>(c), second = select<0, 1>(c);
        const auto a = select<0, 0>(first), b = select<0, 1>(second);
        return std::tuple{movedim<0, 2>(c),
                          movedim<-1, 0>(c),
                          swapaxes<0, 2>(c),
                          unflatten<2, 2, -1>(c),
                          ravel(c),
                          repeat_interleave<3, 1>(c),
                          unfold<2, 2, 1>(c),
                          unfold<1, 2, 1>(c),
                          unfold<2, 2, 2>(c),
                          rot90(c),
                          rot90<-1, 1, 2>(c),
                          rot90<2, 0, 2>(c),
                          flipud(c),
                          fliplr(c),
                          std::get<2>(unbind<1>(c)),
                          std::get<0>(tensor_split<3, 2>(m)),
                          std::get<2>(tensor_split<3, 2>(m)),
                          std::get<1>(split_at<2, 1, 3>(m)),
                          std::get<1>(hsplit<3>(c)),
                          std::get<1>(vsplit<2>(c)),
                          std::get<0>(dsplit<2>(c)),
                          atleast_3d(first),
                          atleast_2d(a),
                          hstack(a, b),
                          vstack(a, b),
                          dstack(first, second),
                          column_stack(select<1, 0>(first), second),
                          roll<2, 2>(roll<1, 0>(c))};
      },
      in<f32, 2, 3, 4>, in<f32, 2, 3, 5>);
}

TEST_CASE("rearrange: gradients of windows and of repeated elements") {
  check_group(
      "rearrange_gradient",
      [](auto c) {
        return std::tuple{weighted<0>([](auto v) { return unfold<2, 3, 1>(v); })(c),
                          weighted<0>([](auto v) { return repeat_interleave<3, 1>(v); })(c)};
      },
      in<f32, 2, 3, 4>);
}

TEST_CASE("rearrange: what can be a view launches nothing of its own") {
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return sum<0>(movedim<0, 2>(unflatten<1, 2, 3>(x)) * 2); },
            in<f32, 4, 6>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return unfold<0, 3, 3>(x) * 2; }, in<f32, 9, 2>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return rot90(x) + 1; }, in<f32, 9, 2>))::launches() == 1);
}
