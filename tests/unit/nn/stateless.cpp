#include "weft/nn/stateless.hpp"

#include <doctest/doctest.h>

#include <type_traits>

#include "weft/exec/model.hpp"
#include "weft/nn/activation.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/pool.hpp"

using namespace weft;

namespace {
struct Net {
  nn::Linear<4, 3> fc;
  nn::ReLU act;
  nn::Sequential<nn::Flatten<>, nn::Softmax<1>> head;
  constexpr auto operator()(auto x) const { return head(act(fc(x))); }
};
struct Bare {
  nn::Linear<4, 3> fc;
};
}  // namespace

TEST_CASE("stateless: the member takes no room and is no state") {
  CHECK(std::is_empty_v<nn::ReLU>);
  CHECK(std::is_empty_v<nn::MaxPool2d<2>>);
  CHECK(std::is_aggregate_v<nn::Flatten<>>);
  CHECK(Model<Net>::state_bytes() == Model<Bare>::state_bytes());
}
