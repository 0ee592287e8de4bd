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

TEST_CASE("groups: rules that combine all change what they match") {
  constexpr auto in_body = [](std::string_view name, const Dims&) { return name.starts_with("body"); };
  constexpr auto slower = [](auto& o) { o.lr = o.lr * 0.1; };
  const auto grouped =
      optim::groups(optim::combine(optim::no_decay(is_vector), optim::rule(in_body, slower)),
                    optim::rule([](std::string_view name, const Dims&) { return name == "head.weight"; },
                                [](auto& o) { o.lr = 1.0f; }),
                    optim::AdamW{.lr = schedule::linear(0.5, 1, 0, 10), .weight_decay = 0.2f});
  using G = std::remove_const_t<decltype(grouped)>;
  static_assert(G::group_count == 5);
  constexpr Dims vector = Shape<4>::value, matrix = Shape<4, 2>::value;
  using N = optim::detail::AdamNumbers;
  const auto check_group = [&](std::string_view name, const Dims& d, f32 lr, f32 decay) {
    f32 numbers[G::base::numbers];
    grouped.fill(G::group_of(name, d), 5, numbers);
    CHECK(numbers[N::lr] == doctest::Approx(lr));
    CHECK(numbers[N::weight_decay] == decay);
  };
  check_group("body.bias", vector, 0.025f, 0);
  check_group("body.weight", matrix, 0.025f, 0.2f);
  check_group("norm.bias", vector, 0.25f, 0);
  check_group("head.weight", matrix, 1, 0.2f);
  check_group("other.weight", matrix, 0.25f, 0.2f);
}
