#include "weft/data/values.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

using namespace weft;

static_assert(std::is_same_v<data::Values<f32>, std::vector<f32>>);
static_assert(std::is_same_v<data::Values<bool>, data::Flags>);

TEST_CASE("values: flags are bytes that hold bools") {
  const std::vector<bool> bits{true, false, true, true};
  data::Flags flags(bits);
  REQUIRE(flags.size() == 4);
  CHECK(std::equal(flags.begin(), flags.end(), bits.begin()));
  const bool* const elements = flags.data();
  CHECK((elements[0] && !elements[1] && elements[3]));
  flags.data()[1] = true;
  flags[0] = false;
  CHECK((flags[1] && !elements[0]));
  const data::Flags copy = flags;
  flags.push_back(false);
  flags[2] = false;
  CHECK(flags.size() == 5);
  CHECK((copy.size() == 4 && copy[2]));
  CHECK(data::Flags().empty());
  CHECK((data::Flags(3, true)[2] && !data::Flags(3)[2]));
  CHECK((data::Flags{true, false}.size() == 2));
}
