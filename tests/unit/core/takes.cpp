#include "weft/core/takes.hpp"

#include <doctest/doctest.h>

using namespace weft;

namespace {

struct X {
  constexpr operator float() const { return 0; }  // as an Expr has one, to refuse it
  [[maybe_unused]] friend constexpr X operator+(X, X) { return {}; }
};

struct Generic {
  constexpr auto operator()(auto x, const auto& y) const { return x + y; }
};
struct Broken {  // whose body no compiler takes
  constexpr auto operator()(auto x) const { return x.no_such_member; }
};
struct Exact {
  constexpr X operator()(X x) const { return x; }
};
struct OfNumber {
  constexpr float operator()(float x) const { return x; }
};
static_assert(detail::takes<Generic, X, X>());
static_assert(!detail::takes<Generic, X>());
static_assert(!detail::takes<Generic, X, X, X>());
static_assert(detail::takes<Exact, X>());
static_assert(!detail::takes<OfNumber, X>());
static_assert(!detail::compares_calls<detail::TakesOne> || detail::takes<Broken, X>());
static_assert(!detail::takes<X, X>());

struct NotConst {
  constexpr auto operator()(auto x) { return x.no_such_member; }
};
struct OfTwoNotConst {
  constexpr auto operator()(const auto& x, const auto& y) { return x + y; }
};
struct EitherWay {
  constexpr auto operator()(auto x) { return x; }
  constexpr auto operator()(auto x) const { return x; }
};
struct Several {
  constexpr auto operator()(auto... x) const { return (x + ...); }
};
static_assert(!detail::compares_calls<detail::TakesOne> || detail::is_called_unless_const<NotConst, X>());
static_assert(!detail::compares_calls<detail::TakesOne> ||
              detail::is_called_unless_const<OfTwoNotConst, X>());
static_assert(!detail::is_called_unless_const<EitherWay, X>());
static_assert(!detail::is_called_unless_const<Several, X>());
static_assert(!detail::is_called_unless_const<Generic, X>());
static_assert(!detail::is_called_unless_const<Broken, X>());
static_assert(!detail::is_called_unless_const<Exact, X>());
static_assert(!detail::is_called_unless_const<X, X>());

}  // namespace

TEST_CASE("takes: is answered while compiling, without the function's body") {
  CHECK(detail::takes<Generic, X, X>());
}
