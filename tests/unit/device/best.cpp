#include "weft/device/best.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace weft;

static_assert(std::is_same_v<best_device, Cpu>);

TEST_CASE("best: a translation unit of the host runs on the host") {
  int calls = 0;
  const int result = on_best_device([&](auto device) {
    static_assert(std::is_same_v<decltype(device), Cpu>);
    ++calls;
    return 42;
  });
  CHECK(result == 42);
  CHECK(calls == 1);
  int x = 0;
  int& reference = on_best_device([&](auto) -> int& { return x; });
  CHECK(&reference == &x);
}
