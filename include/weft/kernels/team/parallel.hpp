#pragma once
// Host loops over work items. The caller cuts the work into items by size, never by the number of threads, so
// what is computed does not depend on how many threads compute it.

#include "weft/core/config.hpp"
#include "weft/core/types.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace WEFT_NAMESPACE {

// Threads a parallel_for may use: what OpenMP offers at the first call (OMP_NUM_THREADS is honoured), or 1.
// The value is kept because a BLAS may lower OpenMP's own setting later on.
inline int hardware_threads() {
#if defined(_OPENMP)
  static const int threads = omp_get_max_threads();
  return threads;
#else
  return 1;
#endif
}

// Calls f(i) for every i in [0, n), each once, in any order, on at most max_threads threads (0: all). Serial
// when n <= 1, max_threads == 1, without OpenMP, or inside another parallel region. Neighbouring items go to
// the same thread, and to the same one in every loop of the same n. An exception that leaves f ends the
// program: it could not cross the threads.
template <class F>
void parallel_for(i64 n, int max_threads, F&& f) noexcept {
#if defined(_OPENMP)
  if (n > 1 && max_threads != 1 && !omp_in_parallel()) {
    const int all = hardware_threads();
    int threads = max_threads <= 0 || max_threads > all ? all : max_threads;
    if (n < threads) threads = static_cast<int>(n);
    if (threads > 1) {
#pragma omp parallel for schedule(static) num_threads(threads)
      for (i64 i = 0; i < n; ++i) f(i);
      return;
    }
  }
#else
  static_cast<void>(max_threads);
#endif
  for (i64 i = 0; i < n; ++i) f(i);
}

}  // namespace WEFT_NAMESPACE
