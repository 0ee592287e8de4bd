#pragma once
// What the launches of a program take on this machine, each beside the least time of its bytes and FLOPs, and
// the same by module. Law: what is measured are calls of the program itself, launch by launch, none of which
// overlaps another; a program that is not profiled has none of this.

#include <string>
#include <vector>

#include "weft/core/clock.hpp"
#include "weft/exec/explain.hpp"
#include "weft/io/order.hpp"

namespace WEFT_NAMESPACE::exec {

// Seconds of each step of an image, run by run; trips of a loop add up.
class StepTimes {
 public:
  explicit StepTimes(int steps) : now_(static_cast<std::size_t>(steps)), all_(now_.size()) {}

  void add(int step, double seconds) { now_[static_cast<std::size_t>(step)] += seconds; }
  void end_run(double seconds) {
    for (std::size_t s = 0; s < now_.size(); ++s) all_[s].push_back(now_[s]), now_[s] = 0;
    whole_.push_back(seconds);
  }

  int runs() const { return static_cast<int>(whole_.size()); }
  // The median of the runs: of a step, of all.
  double of(std::size_t step) const { return median(all_[step]); }
  double whole() const { return median(whole_); }
  // The sum of the steps' medians; a loop has no time of its own, its steps stand for it.
  double in_launches() const {
    double sum = 0;
    for (std::size_t s = 0; s < all_.size(); ++s) sum += of(s);
    return sum;
  }

 private:
  static double median(const std::vector<double>& x) {
    if (x.empty()) return 0;
    return x[io::order_by(x.size(), [&](u32 a, u32 b) { return x[a] < x[b]; })[x.size() / 2]];
  }
  std::vector<double> now_;
  std::vector<std::vector<double>> all_;
  std::vector<double> whole_;
};

// Calls run(times) to warm up, then 10 times and, until `seconds` are over, up to 1,000 times. Ranks, which
// all have to make as many calls, give no seconds.
template <class Run>
StepTimes measure(int steps, double seconds, const Run& run) {
  StepTimes warm(steps), times(steps);
  run(warm);
  const double begin = steady_seconds();
  while (times.runs() < 10 || (times.runs() < 1000 && steady_seconds() - begin < seconds)) {
    const double start = steady_seconds();
    run(times);
    times.end_run(steady_seconds() - start);
  }
  return times;
}

// A step as a tool of the device's shows it: "h.0.mlp", "#3 row (8, 128): add, max".
struct StepName {
  std::string scope, text;
};
// "#3 row".
inline std::string numbered_kernel(std::size_t step, const ExplainedStep& explained) {
  return "#" + std::to_string(step) + " " + explained.kernel.substr(explained.kernel.find_first_not_of(' '));
}
inline std::vector<StepName> step_names(const Explanation& e) {
  std::vector<StepName> names;
  for (const ExplainedStep& step : e.steps) {
    names.push_back({step.scope, numbered_kernel(names.size(), step) + " " + step.shape +
                                     (step.ops.empty() ? "" : ": " + step.ops)});
  }
  return names;
}

inline constexpr double seconds_to_measure = 0.2;

namespace profile_detail {

struct Row {
  std::string name, what;
  double seconds = 0, least = 0;
};

// "  12.3 us   45 %   4.56 us   37 %  name            what", the slowest first.
inline std::string rows_text(const std::vector<Row>& rows, double all, const char* title) {
  using namespace explain_detail;
  constexpr std::size_t longest = 24;
  const auto slowest =
      io::order_by(rows.size(), [&](u32 a, u32 b) { return rows[a].seconds > rows[b].seconds; });
  std::size_t name = 0;
  for (const Row& r : rows) name = std::max(name, r.what.empty() ? 0 : std::min(r.name.size(), longest));
  const auto percent = [](double part, double of) {
    return of > 0 ? std::to_string(static_cast<i64>(100 * part / of + 0.5)) + " %" : std::string("-");
  };
  std::string out = std::string("     time  share  at least  reached  ") + title + "\n";
  for (const u32 row : slowest) {
    const Row& r = rows[row];
    const std::string line = padded(duration(r.seconds), 9, true) + padded(percent(r.seconds, all), 7, true) +
                             padded(duration(r.least), 10, true) +
                             padded(percent(r.least, r.seconds), 9, true) + "  ";
    if (r.what.empty())
      out += wrapped(line, r.name, line.size());
    else
      out +=
          wrapped(line + padded(r.name.substr(0, name), name, false) + "  ", r.what, line.size() + name + 2);
  }
  return out;
}

}  // namespace profile_detail

// A table of at most 79 columns: by kernel, with its number in explain(), then by module.
inline std::string to_text(const Explanation& e, const StepTimes& times, const Roofline& machine) {
  using namespace explain_detail;
  std::vector<profile_detail::Row> kernels, scopes;
  const double all = times.in_launches();
  double least = 0;
  for (std::size_t s = 0; s < e.steps.size(); ++s) {
    const ExplainedStep& step = e.steps[s];
    const double seconds = times.of(s), floor = machine.seconds(step.bytes, step.flops);
    if (step.is_loop) continue;  // its steps stand for it
    least += floor;
    kernels.push_back({numbered_kernel(s, step), step.shape + ir::in_scope(step.scope), seconds, floor});
    const std::string scope = step.scope.empty() ? "(the function itself)" : step.scope;
    auto found = scopes.begin();
    while (found != scopes.end() && found->name != scope) ++found;
    if (found == scopes.end()) found = scopes.insert(scopes.end(), {scope, "", 0, 0});
    found->seconds += seconds;
    found->least += floor;
  }
  return std::to_string(times.runs()) + " runs of " + std::to_string(e.launches) +
         (e.launches == 1 ? " launch: " : " launches: ") + duration(times.whole()) + " a run, " +
         duration(all) + " in launches,\nat least " + duration(least) + " on a machine of " +
         compact(machine.bytes_per_second, "B/s") + " and " + compact(machine.flops_per_second, "FLOP/s") +
         "\n\n" + profile_detail::rows_text(kernels, all, "kernel") + "\n" +
         profile_detail::rows_text(scopes, all, "module");
}

}  // namespace WEFT_NAMESPACE::exec
