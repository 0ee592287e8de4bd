#pragma once
// What an example says while it trains: a progress line after every step that is due one, and a chart of the
// mean loss of each epoch.

#include <string>
#include <utility>
#include <vector>
#include <weft/weft.hpp>

class TrainingLog {
 public:
  TrainingLog(weft::train::CurveOptions chart, const weft::train::ProgressOptions& progress)
      : curve_(std::move(chart)), progress_(progress), batches_(progress.batches) {}

  // The loss of the step that was just taken.
  void add(const weft::StepLoss& loss) {
    pending_.push_back(loss);
    progress_.update(epoch_, ++done_, loss);
    const bool epoch_ends = done_ == batches_;
    if (epoch_ends || pending_.size() == 32) read_pending();  // a loss can be read for 64 steps
    if (!epoch_ends) return;
    curve_.add("mean of an epoch", static_cast<double>(++epoch_), sum_ / static_cast<double>(batches_));
    sum_ = 0, done_ = 0;
  }

  // Ends the progress line. Seconds since the log was made.
  double finish() {
    progress_.finish();
    return weft::train::steady_seconds() - start_;
  }
  void save_chart(const std::string& path) const { curve_.save(path); }

 private:
  void read_pending() {
    for (const weft::StepLoss& loss : pending_) sum_ += static_cast<double>(loss);
    pending_.clear();
  }

  weft::train::Curve curve_;
  weft::train::Progress progress_;
  std::vector<weft::StepLoss> pending_;
  weft::i64 batches_, epoch_ = 0, done_ = 0;
  double sum_ = 0, start_ = weft::train::steady_seconds();
};
