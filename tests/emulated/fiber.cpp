#include "weft/kernels/team/fiber.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace weft;

namespace {
struct Log {
  FiberSet* fibers = nullptr;
  std::vector<int> events;
};

// Uses its stack deeply, to show that stacks are apart.
int depth(int n) {
  volatile char frame[256];
  frame[n % 256] = static_cast<char>(n);
  return n == 0 ? 0 : depth(n - 1) + (frame[n % 256] == static_cast<char>(n));
}
}  // namespace

TEST_CASE("fiber: the owner decides who runs, and each goes on where it yielded") {
  Log log;
  FiberSet fibers(
      3,
      [](void* argument, int i) {
        Log& l = *static_cast<Log*>(argument);
        for (int step = 0; step < 2; ++step) {
          l.events.push_back(10 * i + step);
          l.fibers->yield();
        }
        l.events.push_back(10 * i + 9);
      },
      &log);
  log.fibers = &fibers;
  CHECK(!fibers.started(0));
  for (int i : {2, 0, 2, 1, 2, 0, 1, 1, 0}) fibers.resume(i);
  CHECK(fibers.started(0));
  CHECK(log.events == std::vector<int>{20, 0, 21, 10, 29, 1, 11, 19, 9});
}

TEST_CASE("fiber: stacks are separate and a hundred kilobytes deep") {
  Log log;
  FiberSet fibers(
      4,
      [](void* argument, int i) {
        Log& l = *static_cast<Log*>(argument);
        const int before = depth(100 + i);
        l.fibers->yield();
        l.events.push_back(before == 100 + i && depth(200 + i) == 200 + i);
      },
      &log);
  log.fibers = &fibers;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) fibers.resume(i);
  }
  CHECK(log.events == std::vector<int>(4, 1));
}

TEST_CASE("fiber: exceptions are caught on the fiber's own stack, across switches") {
  Log log;
  FiberSet fibers(
      2,
      [](void* argument, int i) {
        Log& l = *static_cast<Log*>(argument);
        try {
          l.fibers->yield();
          throw i;
        } catch (int thrown) {
          l.events.push_back(thrown);
        }
      },
      &log);
  log.fibers = &fibers;
  for (int i : {0, 1, 1, 0}) fibers.resume(i);
  CHECK(log.events == std::vector<int>{1, 0});
}
