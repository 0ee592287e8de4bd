#pragma once
// A setting that is one of an enum's words, in whose place PyTorch has a string.

#include <type_traits>

#include "weft/core/diagnose.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(WordIsEnumerator,
             "a word among the options is an enumerator and no string: .mode = Interpolation::linear, "
             ".padding_mode = PaddingMode::reflect, .nonlinearity = nn::Nonlinearity::relu");

// Converts from and to E; of public members alone, so that options may be template arguments.
template <class E>
struct Word {
  E value{};

  constexpr Word() = default;
  constexpr Word(E v) : value(v) {}
  template <class Text>  // a refusal
  requires std::is_convertible_v<const Text&, const char*>
  constexpr Word(const Text&) { static_assert(sizeof(WordIsEnumerator<sizeof(Text) == 0, E>) > 0); }
  constexpr operator E() const { return value; }
};

}  // namespace WEFT_NAMESPACE
