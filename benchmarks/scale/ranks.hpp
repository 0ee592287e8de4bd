#pragma once
// What the programs of `./weft bench scale` share: ranks that time the same steps together, led by rank 0,
// which speaks lines on stdin and stdout as benchmarks/host/worker.hpp does; and predictions of the same
// steps.

#include <cstdlib>
#include <weft/mpi.hpp>
#include <weft/train/scaling.hpp>

#include "../host/worker.hpp"

namespace bench {

using namespace weft;

// The ranks of a measurement.
class Together {
 public:
  Together() : communicator_(comm::Mpi::connect()) {}
  int rank() const { return communicator_->rank(); }
  comm::Communicator& communicator() const { return *communicator_; }

  // What rank 0 has, when all are here.
  double of_first(double own) const {
    std::vector<double> all(static_cast<std::size_t>(communicator_->size()));
    communicator_->all_gather(&own, all.data(), sizeof own);
    return all[0];
  }
  // Seconds of each of so many runs, which all ranks begin together: of the rank that took longest, for which
  // the others would wait.
  template <class Run>
  std::vector<double> times(const Run& run, int count) const {
    std::vector<double> own;
    of_first(0);
    for (int k = 0; k < count; ++k) {
      const double start = now();
      run();
      own.push_back(now() - start);
    }
    std::vector<double> all(own.size() * static_cast<std::size_t>(communicator_->size()));
    communicator_->all_gather(own.data(), all.data(), static_cast<i64>(own.size() * sizeof(double)));
    for (std::size_t k = 0; k < all.size(); ++k) own[k % own.size()] = std::max(own[k % own.size()], all[k]);
    return own;
  }
  // "run SECONDS" on rank 0's stdin answers the median time of an execution on rank 0.
  template <class Run>
  int serve(const Run& run, const std::string& facts) const {
    double once = median(times(run, 10));
    say("{" + facts + "}");
    for (double seconds = 0; (seconds = of_first(asked())) > 0;) {
      const int count = static_cast<int>(of_first(std::max(3.0, seconds / once)));
      once = median(times(run, count));
      say("{\"ms\": " + std::to_string(1e3 * once) + ", \"runs\": " + std::to_string(count) + "}");
    }
    return 0;
  }
  // A line on rank 0's stdout.
  void say(const std::string& line) const {
    if (rank() != 0) return;
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
  // Seconds that rank 0's stdin asks for next; 0: it has ended.
  double asked() const {
    char line[256];
    double seconds = 0;
    if (rank() != 0 || std::fgets(line, sizeof line, stdin) == nullptr) return 0;
    return std::sscanf(line, "run %lf", &seconds) == 1 ? seconds : 0;
  }

 private:
  Shared<comm::Communicator> communicator_;
};

// The processors of this machine as they were measured: seconds of a step without communication, of a
// message, and bytes a second between two ranks.
inline Cluster cluster_of(const std::vector<std::string>& words) {
  const double step = std::atof(words.at(0).c_str()), message = std::atof(words.at(1).c_str()),
               bytes = std::atof(words.at(2).c_str());
  const Link link{.bytes_per_second = bytes, .seconds = message};
  return {.step_seconds = step, .node = link, .network = link, .overlaps = false};
}

// Times steps on one batch, or, where `words` begin with "predict RANKS", predicts one.
template <class Make, class X, class Y>
int step_case(const std::vector<std::string>& words, const Make& make, const std::vector<X>& x,
              const std::vector<Y>& y) {
  using T = decltype(make());
  if (!words.empty()) {
    if constexpr (train::ScalingOf<T>::is_of_ranks) {
      const i64 ranks = std::atoll(words.at(1).c_str());
      const auto points = predict_scaling<T>(cluster_of({words.begin() + 2, words.end()}), {ranks});
      std::printf("{\"ms\": %.6f}\n", 1e3 * points[0].seconds);
      return 0;
    }
    return 2;
  }
  const Together all;
  auto trainer = make();
  return all.serve([&] { trainer.step(x, y); }, "\"launches\": " + std::to_string(trainer.launches()));
}

}  // namespace bench
