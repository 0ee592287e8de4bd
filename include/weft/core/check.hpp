#pragma once
// What a program looks at while it runs, for whoever hunts a fault: options of compile, make_trainer and
// loaders; -DWEFT_CHECK turns all of them on in a translation unit. Law: what is not asked for costs nothing.

#include "weft/core/config.hpp"
#include "weft/core/option.hpp"

namespace WEFT_NAMESPACE {

// check::finite and check::indices.
struct check {
  // After each kernel: that what it wrote has no NaN, and no infinity that nothing it read explains.
  struct Finite : PolicyValue {
    static constexpr OptionKind option = OptionKind::check_finite;
  };
  // Before each kernel that looks things up: that the places it is given exist.
  struct Indices : PolicyValue {
    static constexpr OptionKind option = OptionKind::check_indices;
  };
  // check::finite | check::indices.
  struct Both : PolicyValue {
    static constexpr OptionKind option = OptionKind::check_both;
  };
  static constexpr Finite finite{};
  static constexpr Indices indices{};
  friend constexpr Both operator|(Finite, Indices) { return {}; }
  friend constexpr Both operator|(Indices, Finite) { return {}; }
};

// Many a program has functions of its own called check. A class gives way to a function of its name, so that
// with `using namespace weft` theirs and this one, which nothing calls, are overloads (in g++; clang calls
// the name ambiguous, and nvcc refuses the declaration).
#if !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__CUDACC__)  // nvcc takes no template beside a class
template <class T>
requires(sizeof(T) == 0) void check(const T&) = delete;
#endif
#pragma GCC diagnostic pop
#endif

// Which of them are on.
struct Checks {
  bool finite = WEFT_CHECK_DEFAULT;
  bool indices = WEFT_CHECK_DEFAULT;

  constexpr Checks() = default;
  constexpr Checks(bool finite_too, bool indices_too) : finite(finite_too), indices(indices_too) {}
  constexpr Checks(check::Finite) : finite(true) {}
  constexpr Checks(check::Indices) : indices(true) {}
  constexpr Checks(check::Both) : finite(true), indices(true) {}
  constexpr bool any() const { return finite || indices; }
  friend constexpr Checks operator|(const Checks& a, const Checks& b) {
    return {a.finite || b.finite, a.indices || b.indices};
  }
};

// Those among the options of a function or trainer.
template <class... O>
inline constexpr Checks given_checks{
    WEFT_CHECK_DEFAULT ||
        option_count<OptionKind::check_finite, O...> + option_count<OptionKind::check_both, O...> > 0,
    WEFT_CHECK_DEFAULT ||
        option_count<OptionKind::check_indices, O...> + option_count<OptionKind::check_both, O...> > 0};

}  // namespace WEFT_NAMESPACE
