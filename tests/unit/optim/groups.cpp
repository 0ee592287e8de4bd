#include "weft/optim/groups.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("groups: parameters without decay agree with torch.optim's parameter groups") {
  compare("groups",
          optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{.lr = 0.02f, .weight_decay = 0.5f}));
  compare("groups",
          optim::groups(optim::no_decay(optim::is_bias), optim::AdamW{.lr = 0.02f, .weight_decay = 0.5f}));
}

TEST_CASE("groups: the first rule that matches holds") {
  const auto grouped =
      optim::groups(optim::no_decay(optim::is_bias), optim::no_decay(optim::is_vector), optim::AdamW{});
  using G = std::remove_const_t<decltype(grouped)>;
  static_assert(G::group_count == 3);
  constexpr Dims vector = Shape<4>::value, matrix = Shape<4, 2>::value;
  static_assert(G::group_of("h.0.bias", vector) == 0);
  static_assert(G::group_of("norm.weight", vector) == 1);
  static_assert(G::group_of("fc.weight", matrix) == 2);
  f32 numbers[G::base::numbers];
  grouped.fill(0, 0, numbers);
  CHECK(numbers[optim::detail::AdamNumbers::weight_decay] == 0);
  grouped.fill(2, 0, numbers);
  CHECK(numbers[optim::detail::AdamNumbers::weight_decay] == 0.01f);
}
