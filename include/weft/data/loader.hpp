#pragma once
// Batches from a dataset. Law: which samples a batch holds, and in which order, depends only on the dataset,
// the options and (epoch, batch number).

#include <string>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/data/batch.hpp"
#include "weft/data/dataset.hpp"
#include "weft/data/shuffle.hpp"

namespace weft::data {

// What happens to samples that do not fill the last batch of an epoch: they are left out, or the batch is
// padded.
enum class Last { drop, pad_and_mask };
inline constexpr Last drop = Last::drop;
inline constexpr Last pad_and_mask = Last::pad_and_mask;
namespace last {
inline constexpr Last drop = Last::drop;
inline constexpr Last pad_and_mask = Last::pad_and_mask;
}  // namespace last

struct LoaderOptions {
  bool shuffle = false;  // a new random order each epoch, from (seed, epoch)
  u64 seed = 0;
  Last last = Last::drop;
  int label_field = -1;  // padded rows of this field hold -100; -1: the last field of a signed integer type
};

// Where a loader stands: the batch that comes next.
struct Position {
  i64 epoch = 0;
  i64 batch = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

struct PassEnd {};

// Steps through the batches of a pass. A pass has one batch, which each step fills anew.
template <class Pass>
class BatchIterator {
 public:
  explicit BatchIterator(Pass* pass) : pass_(pass) {}
  auto& operator*() const { return pass_->batch(); }
  BatchIterator& operator++() {
    pass_->advance();
    return *this;
  }
  friend bool operator==(const BatchIterator& at, PassEnd) { return at.pass_->done(); }

 private:
  Pass* pass_;
};

// One epoch of a dataset from a given batch on.
template <i64 BatchSize, class D>
class Pass {
 public:
  using BatchType = typename BatchOf<BatchSize, typename SampleOf<sample_t<D>>::Elements>::type;

  Pass(const D& dataset, const LoaderOptions& options, Position start, i64 batches, Position* position)
      : dataset_(&dataset),
        builder_(dataset[0], options.label_field),
        epoch_(start.epoch),
        next_(start.batch),
        batches_(batches),
        position_(position) {
    if (options.shuffle)
      order_ = permutation(static_cast<i64>(dataset.size()), options.seed, start.epoch, ShuffleUse::epoch);
    advance();
  }
  BatchIterator<Pass> begin() { return BatchIterator<Pass>(this); }
  PassEnd end() const { return {}; }
  BatchType& batch() { return builder_.batch(); }
  bool done() const { return done_; }

  void advance() {
    done_ = next_ >= batches_;
    if (done_) return;
    const i64 first = next_ * BatchSize, left = static_cast<i64>(dataset_->size()) - first;
    const i64 rows = left < BatchSize ? left : BatchSize;
    for (i64 row = 0; row < rows; ++row) {
      const i64 sample = order_.empty() ? first + row : order_[static_cast<std::size_t>(first + row)];
      builder_.put(row, (*dataset_)[sample], sample);
    }
    builder_.finish(rows);
    ++next_;
    if (position_ != nullptr)
      *position_ = next_ < batches_ ? Position{epoch_, next_} : Position{epoch_ + 1, 0};
  }

 private:
  const D* dataset_;
  BatchBuilder<BatchType> builder_;
  std::vector<i64> order_;
  i64 epoch_, next_, batches_;
  Position* position_;
  bool done_ = false;
};

// A range of batches that remembers how far it has come.
//
// Each `for` over the loader is one epoch, the first being epoch 0, and each has its own order; a `for` that
// ended early does not come back to the rest of its epoch. `position()` is the batch that comes next: inside
// the loop the one after the current batch, which is what a checkpoint taken after the step has to keep.
// `seek(position)` makes the next `for` start there. One `for` at a time; its batch is overwritten by the
// next.
template <i64 BatchSize, class D>
class Loader {
 public:
  static_assert(BatchSize > 0, "weft: a batch holds at least one sample");
  using Samples = std::remove_cvref_t<D>;
  using BatchType = typename Pass<BatchSize, Samples>::BatchType;

  // Throws "loader/empty" for a dataset without samples, "loader/too-few" when dropping the last batch leaves
  // none.
  Loader(D dataset, const LoaderOptions& options) : dataset_(std::forward<D>(dataset)), options_(options) {
    if (size() == 0) throw Error("loader/empty", "the dataset has no samples");
    if (batches() == 0)
      throw Error("loader/too-few", std::to_string(size()) + " samples do not fill one batch of " +
                                        std::to_string(BatchSize) + "; use .last = data::pad_and_mask");
  }

  BatchIterator<Pass<BatchSize, Samples>> begin() {
    if (!sought_ && position_.batch != 0) position_ = {position_.epoch + 1, 0};
    sought_ = false;
    pass_.clear();
    pass_.emplace_back(dataset_, options_, position_, batches(), &position_);
    return pass_[0].begin();
  }
  PassEnd end() const { return {}; }

  // The batches of epoch e from `first_batch` on, as a range of its own: neither reads nor moves
  // `position()`. The loader must outlive it. Throws "loader/position".
  Pass<BatchSize, Samples> epoch(i64 e, i64 first_batch = 0) const {
    check({e, first_batch});
    return {dataset_, options_, {e, first_batch}, batches(), nullptr};
  }

  Position position() const { return position_; }
  // Throws "loader/position" for a negative epoch or a batch outside [0, batches()].
  void seek(Position position) {
    check(position);
    position_ = position.batch < batches() ? position : Position{position.epoch + 1, 0};
    sought_ = true;
  }

  i64 size() const { return static_cast<i64>(dataset_.size()); }  // samples
  // Batches in an epoch.
  i64 batches() const {
    const i64 extra = options_.last == Last::pad_and_mask && size() % BatchSize != 0 ? 1 : 0;
    return size() / BatchSize + extra;
  }
  const LoaderOptions& options() const { return options_; }

 private:
  void check(Position position) const {
    if (position.epoch < 0 || position.epoch >= i64{1} << 56 || position.batch < 0 ||
        position.batch > batches())
      throw Error("loader/position",
                  "epoch " + std::to_string(position.epoch) + ", batch " + std::to_string(position.batch) +
                      " is no position of a loader with " + std::to_string(batches()) + " batches");
  }

  D dataset_;
  LoaderOptions options_;
  Position position_;
  bool sought_ = false;
  std::vector<Pass<BatchSize, Samples>> pass_;  // the one behind the latest begin(), if any
};

// Batches of BatchSize samples of `dataset`, which is kept by reference when it is an lvalue.
template <i64 BatchSize, class D>
requires Dataset<std::remove_cvref_t<D>> Loader<BatchSize, held_t<D&&>> loader(
    D&& dataset, const LoaderOptions& options = {}) {
  return {std::forward<D>(dataset), options};
}

}  // namespace weft::data

namespace weft {
using data::drop;
using data::pad_and_mask;
}  // namespace weft
