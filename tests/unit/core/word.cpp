#include "weft/core/word.hpp"

#include <doctest/doctest.h>

using namespace weft;

namespace {
enum class Colour { red, green };
struct Options {
  Word<Colour> colour = Colour::green;
};
template <Options O>
constexpr bool is_red() {
  return O.colour == Colour::red;
}
}  // namespace

TEST_CASE("word: an option is one of an enum's, also as a template argument") {
  static_assert(is_red<Options{.colour = Colour::red}>());
  static_assert(!is_red<Options{}>());
  const Word<Colour> first, given = Colour::green;
  CHECK(first == Colour::red);
  switch (given) {
    case Colour::green:
      break;
    default:
      FAIL("green is meant");
  }
}
