#pragma once
// Datasets that can only be read from front to back. Law: as for `Loader`, and reading epoch e again gives
// the same samples, so a position is found again by reading up to it.

#include <concepts>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/data/batch.hpp"
#include "weft/data/dataset.hpp"
#include "weft/data/loader.hpp"

namespace weft::data {

// `dataset.stream(epoch)` gives a callable that returns a std::optional<std::tuple<fields...>> each time,
// empty at the end.
template <class D>
concept IterableDataset = requires(const D& dataset, i64 epoch) {
  { dataset.stream(epoch)().has_value() } -> std::convertible_to<bool>;
}
&&SampleOf<
    typename std::remove_cvref_t<decltype(std::declval<const D&>().stream(i64{})())>::value_type>::is_tuple;

// An iterable dataset from a function of the epoch that returns such a callable.
template <class F>
class GeneratorDataset {
 public:
  explicit GeneratorDataset(F open) : open_(std::move(open)) {}
  auto stream(i64 epoch) const { return open_(epoch); }

 private:
  F open_;
};
template <class F>
GeneratorDataset<F> from_generator(F open) {
  return GeneratorDataset<F>(std::move(open));
}

// One epoch of an iterable dataset from a given batch on.
template <i64 BatchSize, class D>
class StreamPass {
 public:
  using Stream = decltype(std::declval<const D&>().stream(i64{}));
  using Sample = typename decltype(std::declval<Stream&>()())::value_type;
  using BatchType = typename BatchOf<BatchSize, typename SampleOf<Sample>::Elements>::type;

  StreamPass(const D& dataset, const LoaderOptions& options, Position start, Position* position)
      : stream_(dataset.stream(start.epoch)), options_(options), epoch_(start.epoch), position_(position) {
    for (i64 skip = start.batch * BatchSize; skip > 0 && stream_().has_value(); --skip) {
    }
    next_ = start.batch;
    advance();
  }
  BatchIterator<StreamPass> begin() { return BatchIterator<StreamPass>(this); }
  PassEnd end() const { return {}; }
  BatchType& batch() { return builder_->batch(); }
  bool done() const { return done_; }

  void advance() {
    i64 rows = 0;
    while (rows < BatchSize && !drained_) {
      const std::optional<Sample> sample = stream_();
      drained_ = !sample.has_value();
      if (drained_) break;
      if (!builder_) builder_.emplace(*sample, options_.label_field);
      builder_->put(rows, *sample, next_ * BatchSize + rows);
      ++rows;
    }
    done_ = rows == 0 || (rows < BatchSize && options_.last == Last::drop);
    if (!done_) {
      builder_->finish(rows);
      ++next_;
    }
    if (position_ != nullptr) *position_ = done_ ? Position{epoch_ + 1, 0} : Position{epoch_, next_};
  }

 private:
  Stream stream_;
  LoaderOptions options_;
  std::optional<BatchBuilder<BatchType>> builder_;
  i64 epoch_, next_ = 0;
  Position* position_;
  bool drained_ = false, done_ = false;
};

// As `Loader`, for an iterable dataset: it cannot shuffle, does not know how many batches there are (so
// inside the last batch `position()` still names this epoch, and a `for` from there is empty), and seeks by
// reading.
template <i64 BatchSize, class D>
class StreamLoader {
 public:
  static_assert(BatchSize > 0, "weft: a batch holds at least one sample");
  using Samples = std::remove_cvref_t<D>;

  // Throws "loader/shuffle" when asked to shuffle.
  StreamLoader(D dataset, const LoaderOptions& options)
      : dataset_(std::forward<D>(dataset)), options_(options) {
    if (options.shuffle)
      throw Error("loader/shuffle", "a dataset read from front to back cannot be shuffled");
  }
  BatchIterator<StreamPass<BatchSize, Samples>> begin() {
    if (!sought_ && position_.batch != 0) position_ = {position_.epoch + 1, 0};
    sought_ = false;
    pass_.clear();
    pass_.emplace_back(dataset_, options_, position_, &position_);
    return pass_[0].begin();
  }
  PassEnd end() const { return {}; }
  // The batches of epoch e from `first_batch` on, as a range of its own.
  StreamPass<BatchSize, Samples> epoch(i64 e, i64 first_batch = 0) const {
    check({e, first_batch});
    return {dataset_, options_, {e, first_batch}, nullptr};
  }
  Position position() const { return position_; }
  // Throws "loader/position" for a negative epoch or batch, or a batch beyond any stream.
  void seek(Position position) {
    check(position);
    position_ = position;
    sought_ = true;
  }

 private:
  static void check(Position position) {
    if (position.epoch < 0 || position.batch < 0)
      throw Error("loader/position", "a negative epoch or batch is no position of a loader");
    if (position.epoch >= i64{1} << 56 || position.batch >= (i64{1} << 62) / BatchSize)
      throw Error("loader/position", "no stream is read up to epoch " + std::to_string(position.epoch) +
                                         ", batch " + std::to_string(position.batch));
  }

  D dataset_;
  LoaderOptions options_;
  Position position_;
  bool sought_ = false;
  std::vector<StreamPass<BatchSize, Samples>> pass_;
};

template <i64 BatchSize, class D>
requires IterableDataset<std::remove_cvref_t<D>> StreamLoader<BatchSize, held_t<D&&>> loader(
    D&& dataset, const LoaderOptions& options = {}) {
  return {std::forward<D>(dataset), options};
}

}  // namespace weft::data
