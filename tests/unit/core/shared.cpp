#include "weft/core/shared.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

using weft::Counted;
using weft::Shared;

namespace {

struct Thing : Counted {
  explicit Thing(int& living) : alive(&living) { ++living; }
  ~Thing() override { --*alive; }
  int* alive;
};
struct Derived final : Thing {
  using Thing::Thing;
};

}  // namespace

TEST_CASE("shared: destroyed once, by the last owner") {
  int alive = 0;
  Shared<Thing> last;
  {
    Shared<Derived> a(new Derived(alive));
    CHECK(a->has_one_owner());
    const Shared<Thing> b(a);
    CHECK(!a->has_one_owner());
    Shared<Derived> c(std::move(a));
    CHECK(!a);
    CHECK(b.get() == c.get());
    last = b;
    const Shared<Thing>& itself = last;
    last = itself;
  }
  CHECK(alive == 1);
  CHECK(last->has_one_owner());
  last = Shared<Thing>(new Derived(alive));
  CHECK(alive == 1);
  last = {};
  CHECK(alive == 0);
}

TEST_CASE("shared: owners in several threads") {
  int alive = 0;
  {
    const Shared<Thing> thing(new Thing(alive));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([copy = thing] {
        for (int i = 0; i < 20000; ++i) Shared<Thing> another(copy);
      });
    for (std::thread& t : threads) t.join();
    threads.clear();
    CHECK(thing->has_one_owner());
  }
  CHECK(alive == 0);
}
