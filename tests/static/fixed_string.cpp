// A string as a template argument; nothing here runs.
#include "weft/core/fixed_string.hpp"

#include <string_view>
#include <type_traits>

namespace {

template <weft::FixedString Name>
struct Named {
  static constexpr std::string_view name = Name;
};
template <weft::FixedString Name>
constexpr std::size_t length() {
  return Name.size();
}

static_assert(Named<"fc1.weight">::name == "fc1.weight");
static_assert(length<"">() == 0 && length<"abc">() == 3);
static_assert(std::is_same_v<Named<"ab">, Named<weft::FixedString("a") + "b">>);
static_assert(!std::is_same_v<Named<"ab">, Named<"abc">>);
static_assert(weft::FixedString("h.") + weft::decimal<0>() + "." + weft::FixedString("ln") == "h.0.ln");
static_assert(weft::decimal<18446744073709551615ull>() == "18446744073709551615");
static_assert("x" + weft::FixedString("y") == weft::FixedString("xy"));
static_assert(weft::FixedString("x") != weft::FixedString("xy"));
static_assert(weft::FixedString("x") != "y");

}  // namespace
