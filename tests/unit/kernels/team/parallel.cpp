#include "weft/kernels/team/parallel.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace weft;

TEST_CASE("parallel: every item runs exactly once for any number of threads") {
  for (const i64 n : {0, 1, 2, 3, 7, 64, 1000})
    for (const int threads : {-1, 0, 1, 2, 3, 1000}) {
      std::vector<int> seen(static_cast<std::size_t>(n), 0);
      parallel_for(n, threads, [&](i64 i) { ++seen[static_cast<std::size_t>(i)]; });
      for (const int count : seen) CHECK(count == 1);
    }
}

TEST_CASE("parallel: a loop within a loop runs all of its items") {
  std::vector<int> seen(60, 0);
  parallel_for(6, 0, [&](i64 i) {
    parallel_for(10, 0, [&](i64 j) { ++seen[static_cast<std::size_t>(10 * i + j)]; });
  });
  for (const int count : seen) CHECK(count == 1);
}

TEST_CASE("parallel: one thread keeps the order") {
  std::vector<i64> order;
  parallel_for(20, 1, [&](i64 i) { order.push_back(i); });
  REQUIRE(order.size() == 20);
  for (i64 i = 0; i < 20; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

#if defined(_OPENMP)
TEST_CASE("parallel: items run on the threads asked for, neighbours on the same one") {
  CHECK(hardware_threads() >= 1);
  std::vector<int> thread(8, -1);
  parallel_for(8, 2, [&](i64 i) { thread[static_cast<std::size_t>(i)] = omp_get_thread_num(); });
  const int threads = hardware_threads() < 2 ? 1 : 2;
  for (int i = 0; i < 8; ++i) CHECK(thread[static_cast<std::size_t>(i)] == i / (8 / threads));
}
#endif
