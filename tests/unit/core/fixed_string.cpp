#include "weft/core/fixed_string.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

TEST_CASE("fixed_string: holds the characters of the literal and a terminating zero") {
  constexpr weft::FixedString text("fc1.weight");
  CHECK(text.size() == 10);
  CHECK(std::string(text.c_str()) == "fc1.weight");
  CHECK(std::string_view(text) == "fc1.weight");
  CHECK_FALSE(text.empty());
  CHECK(weft::FixedString("").empty());
}

TEST_CASE("fixed_string: comparison is by characters, with any string") {
  const std::string other = "bias";
  CHECK(weft::FixedString("bias") == other);
  CHECK(weft::FixedString("bias") == std::string_view(other));
  CHECK(weft::FixedString("bia") != other);
  CHECK(weft::FixedString("bias") != weft::FixedString("base"));
}

TEST_CASE("fixed_string: joins strings and numbers") {
  constexpr auto path = weft::FixedString("h.") + weft::decimal<11>() + "." + weft::FixedString("attn");
  CHECK(path == "h.11.attn");
  CHECK(path.size() == 9);
  CHECK(("pre" + weft::FixedString("fix")) == "prefix");
}
