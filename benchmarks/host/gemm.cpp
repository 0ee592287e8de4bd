// Single-precision matrix products on the host: GFLOP/s of the built-in engine, of the cuts given to BLAS,
// and of OpenBLAS called directly with threads of its own; medians of interleaved runs, beside the FMA peak
// of one core.
//
//   g++ -std=c++20 -O3 -march=native -ffp-contract=off -fopenmp -DWEFT_WITH_CBLAS -Iinclude
//   benchmarks/host/gemm.cpp
//       -lopenblas      (without -DWEFT_WITH_CBLAS only the built-in engine is timed)
//
// OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE must be unset; the program prints the core that OpenBLAS runs on.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "weft/kernels/gemm/host.hpp"

using namespace weft;
using namespace weft::kernels;

namespace {

struct Case {
  const char* name;
  i64 m, n, k;
  bool a_transposed, b_transposed;
};

struct Side {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds{};
};

double seconds_of(const std::function<void()>& run, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) run();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return time.count() / repeats;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// GFLOP/s of the micro-kernel on operands that stay in the first-level cache.
double peak() {
  constexpr i64 k = 128;
  std::vector<f32> a(k * dot_tile_rows), b(k * dot_tile_cols<f32>), c(dot_tile_rows * dot_tile_cols<f32>);
  DotTile<f32> tile;
  tile.k = k;
  tile.a = a.data();
  tile.a_row = 1;
  tile.a_col = dot_tile_rows;
  tile.b = b.data();
  tile.b_row = tile.c_row = dot_tile_cols<f32>;
  tile.c = c.data();
  tile.last = dot_lanes<f32>;
  std::vector<double> times;
  for (int i = 0; i < 15; ++i)
    times.push_back(
        seconds_of([&] { dot_tile<f32, int{dot_tile_rows}, int{dot_tile_vectors}>(tile); }, 2000));
  return 2e-9 * static_cast<double>(k * dot_tile_rows * dot_tile_cols<f32>) / median(times);
}

}  // namespace

int main() {
  const int threads = hardware_threads();
  std::printf("engine %s, BLAS core '%s', %d threads, peak of one core %.0f GFLOP/s\n", dot_engine(),
              openblas_core(), threads, peak());
  const Case cases[] = {{"32x64x128 (W^T)", 32, 128, 64, false, true},
                        {"32x128x10 (W^T)", 32, 10, 128, false, true},
                        {"128x32x64 (A^T)", 128, 64, 32, true, false},
                        {"32x128x64", 32, 64, 128, false, false},
                        {"64^3", 64, 64, 64, false, false},
                        {"128^3", 128, 128, 128, false, false},
                        {"128x784x512 (W^T)", 128, 512, 784, false, true},
                        {"128x512x256 (W^T)", 128, 256, 512, false, true},
                        {"512x128x784 (A^T)", 512, 784, 128, true, false},
                        {"512^3", 512, 512, 512, false, false},
                        {"1024^3", 1024, 1024, 1024, false, false},
                        {"2048x2048x512", 2048, 512, 2048, false, false}};
  std::printf("%-20s", "m x k x n");
  bool header = false;
  for (const Case& p : cases) {
    std::vector<f32> a(static_cast<std::size_t>(p.m * p.k)), b(static_cast<std::size_t>(p.k * p.n)),
        c(static_cast<std::size_t>(p.m * p.n));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<f32>(i % 13) - 6.0f;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<f32>(i % 11) - 5.0f;
    DotShape s{.m = p.m, .n = p.n, .k = p.k, .c_row = p.n};
    s.a_row = p.a_transposed ? 1 : p.k;
    s.a_col = p.a_transposed ? p.m : 1;
    s.b_row = p.b_transposed ? 1 : p.n;
    s.b_col = p.b_transposed ? p.k : 1;
    const auto ours = [&](DotEngine engine, int count) {
      return [&, engine, count] { dot<f32, f32, f32>(s, a.data(), b.data(), c.data(), count, {}, engine); };
    };
    std::vector<Side> sides;
    sides.push_back({"built-in 1", ours(DotEngine::builtin, 1)});
    sides.push_back({"built-in n", ours(DotEngine::builtin, 0)});
#if defined(WEFT_WITH_CBLAS)
    sides.push_back({"cuts 1", ours(DotEngine::cblas, 1)});
    sides.push_back({"cuts n", ours(DotEngine::cblas, 0)});
    const auto direct = [&] {
      weft_cblas_sgemm(101, p.a_transposed ? 112 : 111, p.b_transposed ? 112 : 111, static_cast<int>(p.m),
                       static_cast<int>(p.n), static_cast<int>(p.k), 1.0f, a.data(),
                       static_cast<int>(p.a_transposed ? p.m : p.k), b.data(),
                       static_cast<int>(p.b_transposed ? p.k : p.n), 0.0f, c.data(), static_cast<int>(p.n));
    };
    sides.push_back({"OpenBLAS 1", direct});
    sides.push_back({"OpenBLAS n", direct});
#endif
    sides.push_back({"best n", ours(DotEngine::best, 0)});
    if (!header) {
      for (const Side& side : sides) std::printf("%12s", side.name.c_str());
      std::printf("\n");
      header = true;
    }
    const double flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    const int repeats = static_cast<int>(std::max(1.0, 4e7 / flops));
    for (int round = 0; round < 16; ++round)
      for (Side& side : sides) {
#if defined(WEFT_WITH_CBLAS)
        if (weft_openblas_set_num_threads)
          weft_openblas_set_num_threads(side.name == "OpenBLAS n" ? threads : 1);
#endif
        const double time = seconds_of(side.run, repeats);
        if (round > 0) side.seconds.push_back(time);
      }
    std::printf("%-20s", p.name);
    for (const Side& side : sides) std::printf("%12.1f", 1e-9 * flops / median(side.seconds));
    std::printf("\n");
  }
  return 0;
}
