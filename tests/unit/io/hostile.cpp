// Hostile safetensors files, beside the verdicts of the official package
// (tests/parity/safetensors_hostile.py).

#include <doctest/doctest.h>

#include "scratch.hpp"
#include "support/hostile_list.hpp"
#include "weft/io/safetensors.hpp"

TEST_CASE("hostile: the verdicts of the official package") {
  const auto cases = hostile::read(repository_file("tests/parity/safetensors/hostile.txt"));
  REQUIRE(cases.size() > 500);
  int accepted = 0, stricter = 0;
  for (const hostile::Case& each : cases) {
    CAPTURE(each.name);
    const std::string id = error_id([&] { weft::io::Safetensors(each.bytes.data(), each.bytes.size()); });
    CHECK((id == "no error" ? "accepts" : "refuses") == each.expected);
    CHECK((id == "no error" || id.starts_with("safetensors/")));
    accepted += each.expected == "accepts";
    stricter += each.expected != each.official;
  }
  CHECK(accepted > 80);
  CHECK(stricter < 20);
}
