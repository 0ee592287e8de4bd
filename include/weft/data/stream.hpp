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

namespace WEFT_NAMESPACE::data {

// An iterable dataset from a function of the epoch that returns such a callable.
template <class F>
class GeneratorDataset {
 public:
  explicit GeneratorDataset(F open) : open_(std::move(open)) {}
  auto stream(i64 epoch) const { return open_(epoch); }

 private:
  F open_;
};
// open(epoch) gives a callable that returns a std::optional of a sample, and none at the end.
template <class F>
GeneratorDataset<F> from_generator(F open) {
  return GeneratorDataset<F>(std::move(open));
}

// One epoch of an iterable dataset from a given batch on.
template <i64 BatchSize, class D>
class StreamPass final : public Counted {
 public:
  using Stream = decltype(std::declval<const D&>().stream(i64{}));
  using Sample = typename decltype(std::declval<Stream&>()())::value_type;
  using BatchType = typename BatchOf<BatchSize, typename SampleOf<Sample>::Elements>::type;

  StreamPass(HeldDataset<D> dataset, const LoaderOptions& options, Position start, Shared<Cursor> cursor)
      : dataset_(std::move(dataset)),
        stream_(dataset_->stream(start.epoch)),
        options_(options),
        epoch_(start.epoch),
        cursor_(std::move(cursor)) {
    for (i64 batch = 0; batch < start.batch; ++batch)
      for (i64 row = 0; row < BatchSize; ++row)
        if (!stream_().has_value()) {
          batch = start.batch;
          break;
        }
    next_ = start.batch;
    advance();
  }
  BatchType& batch() { return builder_->batch(); }
  bool done() const { return done_; }

  void advance() {
    i64 rows = 0;
    while (rows < BatchSize && !drained_) {
      const std::optional<Sample> sample = stream_();
      drained_ = !sample.has_value();
      if (drained_) break;
      if (!builder_)
        builder_.emplace(*sample, options_.label_field, options_.last == Last::pad_and_mask, options_.check);
      builder_->put(rows, *sample, next_ * BatchSize + rows);
      ++rows;
    }
    done_ = rows == 0 || (rows < BatchSize && options_.last == Last::drop);
    if (!done_) {
      builder_->finish(rows);
      ++next_;
    }
    if (cursor_) cursor_->position = done_ ? Position{epoch_ + 1, 0} : Position{epoch_, next_};
  }

 private:
  HeldDataset<D> dataset_;
  Stream stream_;
  LoaderOptions options_;
  std::optional<BatchBuilder<BatchType>> builder_;
  i64 epoch_, next_ = 0;
  Shared<Cursor> cursor_;
  bool drained_ = false, done_ = false;
};

// As `Loader`, for an iterable dataset: it cannot shuffle, does not know how many batches there are (so
// inside the last batch `position()` still names this epoch, and a `for` from there is empty), and seeks by
// reading.
template <i64 BatchSize, class D>
class StreamLoader {
 public:
  static_assert(sizeof(BatchHoldsSamples<(BatchSize > 0), GivenSize<BatchSize>, D>) > 0);
  using Samples = D;

  // Throws "loader/shuffle" when asked to shuffle.
  StreamLoader(HeldDataset<D> dataset, const LoaderOptions& options)
      : dataset_(std::move(dataset)), options_(options), cursor_(new Cursor) {
    if (detail::is_random(options) || !options.lengths.empty() || options.draws != 0 || !options.replacement)
      throw Error("loader/shuffle",
                  "a dataset read from front to back cannot be shuffled, weighted or grouped");
    if (options.ranks != 1)
      throw Error(
          "loader/rank",
          "a dataset read from front to back is not split among ranks: give each a stream of its own");
  }
  StreamLoader(const StreamLoader& other)
      : dataset_(other.dataset_), options_(other.options_), cursor_(new Cursor), sought_(other.sought_) {
    cursor_->position = other.position();
  }
  StreamLoader(StreamLoader&&) noexcept = default;
  StreamLoader& operator=(StreamLoader other) noexcept {
    dataset_ = std::move(other.dataset_);
    options_ = other.options_;
    cursor_ = std::move(other.cursor_);
    sought_ = other.sought_;
    pass_ = std::move(other.pass_);
    return *this;
  }

  WEFT_REFUSED_MEMBER(set_epoch, AfterRefusal{}, EpochsFollow, StreamLoader)
  WEFT_REFUSED_MEMBER(reset, AfterRefusal{}, EpochsFollow, StreamLoader)
  // Throws "loader/nested" inside a `for` over this loader.
  BatchIterator<StreamPass<BatchSize, D>> begin() {
    check_not_running(pass_);
    Position& at = held().position;
    if (!sought_ && at.batch != 0) at = {at.epoch + 1, 0};
    pass_ = make_pass(at, cursor_);
    sought_ = false;
    return BatchIterator<StreamPass<BatchSize, D>>(pass_);
  }
  PassEnd end() const { return {}; }
  // The batches of epoch e from `first_batch` on, as a range of its own.
  Epoch<StreamPass<BatchSize, D>> epoch(i64 e, i64 first_batch = 0) const {
    check({e, first_batch});
    return Epoch<StreamPass<BatchSize, D>>(make_pass({e, first_batch}, {}));
  }
  // The batch that comes next; behind a `for` that ended early the one that it did not come to, which a
  // resumed run begins with, where the next `for` here begins with the next epoch.
  Position position() const { return held().position; }
  // Throws "loader/position" for a negative epoch or batch, or a batch beyond any stream.
  void seek(Position position) {
    check(position);
    cursor_ = Shared<Cursor>(new Cursor);  // a `for` that runs moves its own
    cursor_->position = position;
    sought_ = true;
  }

 private:
  Shared<StreamPass<BatchSize, D>> make_pass(Position start, Shared<Cursor> cursor) const {
    return Shared<StreamPass<BatchSize, D>>(
        new StreamPass<BatchSize, D>(dataset_, options_, start, std::move(cursor)));
  }
  Cursor& held() const {
    if (!cursor_) throw Error("loader/moved", "a loader was used that had been moved from");
    return *cursor_;
  }
  static void check(Position position) {
    if (position.epoch < 0 || position.batch < 0)
      throw Error("loader/position", "a negative epoch or batch is no position of a loader");
    if (position.epoch >= i64{1} << 56 || position.batch >= (i64{1} << 62) / BatchSize)
      throw Error("loader/position", "no stream is read up to epoch " + std::to_string(position.epoch) +
                                         ", batch " + std::to_string(position.batch));
  }

  HeldDataset<D> dataset_;
  LoaderOptions options_;
  Shared<Cursor> cursor_;
  bool sought_ = false;
  Shared<StreamPass<BatchSize, D>> pass_;
};

// Batches of a dataset that comes one after another; it does not shuffle.
template <i64 BatchSize, class D>
requires(BatchSize > 0 &&
         IterableDataset<typename held_t<D>::type>) auto loader(D&& dataset,
                                                                const LoaderOptions& options = {}) {
  return StreamLoader<BatchSize, typename held_t<D>::type>(held_t<D>(std::forward<D>(dataset)), options);
}

}  // namespace WEFT_NAMESPACE::data
