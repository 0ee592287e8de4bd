#include "weft/exec/owned.hpp"

#include <doctest/doctest.h>

#include <utility>

using weft::exec::Owned;

namespace {

struct Counted {
  explicit Counted(int& living) : alive(&living) { ++living; }
  Counted(const Counted&) = delete;
  virtual ~Counted() { --*alive; }
  int* alive;
};
struct Derived : Counted {
  using Counted::Counted;
};

}  // namespace

TEST_CASE("owned: destroyed once, by the last owner") {
  int alive = 0;
  {
    Owned<Counted> a(new Derived(alive));
    Counted* const address = a.get();
    Owned<Counted> b(std::move(a));
    CHECK(!a);
    CHECK(b.get() == address);
    CHECK(alive == 1);
    Owned<Counted> c(new Counted(alive));
    c = std::move(b);
    CHECK(c.get() == address);
    CHECK((*c).alive == c->alive);
    c = Owned<Counted>();
    CHECK(!c);
  }
  CHECK(alive == 0);
}
