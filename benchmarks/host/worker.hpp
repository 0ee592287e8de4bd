#pragma once
// A benchmark's process: it holds one case ready and times it when told to, so that benchmarks/host/run can
// let two such processes take turns. Speaks lines on stdin and stdout: "run SECONDS" answers a JSON object
// with the median time of one execution in milliseconds; the end of the input answers the memory and ends the
// process.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

// A line of /proc/self/status, in KiB; 0 where there is none.
inline long status_kib(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (!file) return 0;
  char line[256];
  long value = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::strncmp(line, name, std::strlen(name)) == 0)
      std::sscanf(line + std::strlen(name), ": %ld", &value);
  std::fclose(file);
  return value;
}

// The most memory the process had resident since the watch began, beyond what it had then.
class MemoryWatch {
 public:
  MemoryWatch() {
    if (std::FILE* file =
            std::fopen("/proc/self/clear_refs", "w")) {  // lowers the mark to what is resident now
      std::fputs("5", file);
      std::fclose(file);
    }
    start_ = status_kib("VmHWM");
  }
  long growth_kib() const { return status_kib("VmHWM") - start_; }

 private:
  long start_ = 0;
};

// What is timed: one execution of the case, and one of a part of it ("floor"), where that is compared.
struct Timed {
  std::function<void()> run;
  std::string facts;  // of the case, as members of a JSON object
  std::function<std::function<void()>()> make_floor{};
};

// Executions before the first that counts; the memory is read after them.
inline constexpr int warm_up = 10;

inline std::vector<double> times(const std::function<void()>& run, double seconds) {
  std::vector<double> found;
  const double end = now() + seconds;
  do {
    const double start = now();
    run();
    found.push_back(now() - start);
  } while (now() < end || found.size() < 3);
  return found;
}

inline int serve(const MemoryWatch& memory, const Timed& timed) {
  for (int i = 0; i < warm_up; ++i) timed.run();
  std::printf("{%s, \"growth_kib\": %ld}\n", timed.facts.c_str(), memory.growth_kib());
  std::fflush(stdout);
  std::function<void()> floor;
  if (timed.make_floor) floor = timed.make_floor();
  char line[256];
  while (std::fgets(line, sizeof line, stdin)) {
    double seconds = 0;
    if (std::sscanf(line, "run %lf", &seconds) != 1) return 2;
    const std::vector<double> runs = times(timed.run, seconds);
    std::printf("{\"ms\": %.6f, \"runs\": %zu", 1e3 * median(runs), runs.size());
    if (floor) {
      floor();
      std::printf(", \"floor_ms\": %.6f", 1e3 * median(times(floor, seconds / 2)));
    }
    std::printf("}\n");
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace bench
