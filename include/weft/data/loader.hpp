#pragma once
// Batches from a dataset. Law: which samples a batch holds, and in which order, depends only on the dataset,
// the options and (epoch, batch number).

#include <string>
#include <utility>
#include <vector>

#include "weft/core/diagnose.hpp"
#include "weft/core/error.hpp"
#include "weft/core/fresh_seed.hpp"
#include "weft/core/types.hpp"
#include "weft/data/batch.hpp"
#include "weft/data/dataset.hpp"
#include "weft/data/loader_options.hpp"

namespace WEFT_NAMESPACE::data {

// Where a loader stands: the batch that comes next.
struct Position {
  i64 epoch = 0;  // from 0
  i64 batch = 0;  // of the epoch, from 0
  friend bool operator==(const Position&, const Position&) = default;
};

struct PassEnd {};

// Steps through the batches of a pass, which it keeps alive. A pass has one batch, which each step fills
// anew.
template <class Pass>
class BatchIterator {
 public:
  explicit BatchIterator(Shared<Pass> pass) : pass_(std::move(pass)) {}
  auto& operator*() const { return pass_->batch(); }
  BatchIterator& operator++() {
    pass_->advance();
    return *this;
  }
  friend bool operator==(const BatchIterator& at, PassEnd) { return at.pass_->done(); }

 private:
  Shared<Pass> pass_;
};

// A loader's position, which the pass behind its latest `for` moves.
struct Cursor final : Counted {
  Position position;
};

// One epoch of a dataset from a given batch on.
template <i64 BatchSize, class D>
class Pass final : public Counted {
 public:
  using BatchType = typename BatchOf<BatchSize, typename SampleOf<sample_t<D>>::Elements>::type;

  Pass(HeldDataset<D> dataset, const LoaderOptions& options, u64 seed, Position start, i64 batches, i64 all,
       Shared<Cursor> cursor)
      : dataset_(std::move(dataset)),
        samples_(detail::epoch_samples(options, static_cast<i64>(dataset_->size()))),
        builder_((*dataset_)[0], options.label_field, all * BatchSize > samples_, options.check),
        order_(
            detail::epoch_order(options, static_cast<i64>(dataset_->size()), BatchSize, seed, start.epoch)),
        epoch_(start.epoch),
        next_(start.batch),
        batches_(batches),
        all_(all),
        rank_(options.rank),
        ranks_(options.ranks),
        cursor_(std::move(cursor)) {
    advance();
  }
  BatchType& batch() { return builder_.batch(); }
  bool done() const { return done_; }

  void advance() {
    done_ = next_ >= batches_;
    if (done_) return;
    const i64 first = (next_ * ranks_ + rank_) % all_ * BatchSize, left = samples_ - first;
    const i64 rows = left < BatchSize ? left : BatchSize;
    for (i64 row = 0; row < rows; ++row) {
      const i64 sample = order_.empty() ? first + row : order_[static_cast<std::size_t>(first + row)];
      builder_.put(row, borrow(*dataset_, sample), sample);
    }
    builder_.finish(rows);
    ++next_;
    if (cursor_) cursor_->position = next_ < batches_ ? Position{epoch_, next_} : Position{epoch_ + 1, 0};
  }

 private:
  HeldDataset<D> dataset_;
  i64 samples_;  // of an epoch
  BatchBuilder<BatchType> builder_;
  std::vector<i64> order_;
  i64 epoch_, next_, batches_;
  i64 all_, rank_, ranks_;  // batches of all ranks
  Shared<Cursor> cursor_;
  bool done_ = false;
};

// The batches of one epoch, as a range that may be walked once.
template <class Pass>
class Epoch {
 public:
  explicit Epoch(Shared<Pass> pass) : pass_(std::move(pass)) {}
  BatchIterator<Pass> begin() { return BatchIterator<Pass>(pass_); }
  PassEnd end() const { return {}; }

 private:
  Shared<Pass> pass_;
};

// Throws "loader/nested" where a `for` over the loader runs already.
template <class Pass>
void check_not_running(const Shared<Pass>& pass) {
  if (pass && !pass->has_one_owner() && !pass->done())
    throw Error("loader/nested",
                "a loop over a loader began inside a loop over the same one, which both would move: walk "
                "loader.epoch(e) inside, or make a second loader");
}

WEFT_REFUSAL(LoaderIsWalked,
             "a loader is walked, for (auto& [x, y] : loader), with size() samples and batches() batches");

WEFT_REFUSAL(
    EpochsFollow,
    "each loop over a loader is the next epoch, in an order of its own: leave it out, or go to an epoch "
    "by loader.seek({3, 0})");

WEFT_REFUSAL(LoaderMoves,
             "a loader remembers how far it has come, and this one is const: declare it without const, auto "
             "loader = data::loader<32>(dataset), or walk one epoch, loader.epoch(0)");

WEFT_REFUSAL(BatchHoldsSamples,
             "a batch holds one sample or more, and its size stands in <>: data::loader<32>(dataset)");

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
  static_assert(sizeof(BatchHoldsSamples<(BatchSize > 0), GivenSize<BatchSize>, D>) > 0);
  using Samples = D;
  using BatchType = typename Pass<BatchSize, D>::BatchType;

  // Throws "loader/empty" for a dataset without samples, "loader/too-few" when dropping the last batch leaves
  // none, "loader/rank" for a rank that is none, "loader/weights" and "loader/lengths" where these do not
  // fit.
  Loader(HeldDataset<D> dataset, const LoaderOptions& options)
      : dataset_(std::move(dataset)),
        options_(options),
        seed_(options.seed.given || !detail::is_random(options) ? options.seed.value
                                                                : fresh_seed(SeedUse::loader)),
        cursor_(new Cursor) {
    if (dataset_->size() == 0) throw Error("loader/empty", "the dataset has no samples");
    detail::check_order(options, static_cast<i64>(dataset_->size()));
    if (options.ranks < 1 || options.rank < 0 || options.rank >= options.ranks)
      throw Error("loader/rank", "rank " + std::to_string(options.rank) + " is none of " +
                                     std::to_string(options.ranks) + " ranks");
    if (batches() == 0)
      throw Error("loader/too-few",
                  std::to_string(size()) + " samples do not fill one batch of " + std::to_string(BatchSize) +
                      (options.ranks > 1 ? " on each of " + std::to_string(options.ranks) + " ranks" : "") +
                      "; use .last = data::pad_and_mask");
  }
  // A copy stands where the loader does and goes its own way.
  Loader(const Loader& other)
      : dataset_(other.dataset_),
        options_(other.options_),
        seed_(other.seed_),
        cursor_(new Cursor),
        sought_(other.sought_) {
    cursor_->position = other.position();
  }
  Loader(Loader&&) noexcept = default;
  Loader& operator=(Loader other) noexcept {
    dataset_ = std::move(other.dataset_);
    options_ = other.options_;
    seed_ = other.seed_;
    cursor_ = std::move(other.cursor_);
    sought_ = other.sought_;
    pass_ = std::move(other.pass_);
    return *this;
  }

  // Refusals.
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, LoaderIsWalked, Loader)
  WEFT_MEMBER(length)
  WEFT_MEMBER(len)
#undef WEFT_MEMBER
  WEFT_REFUSED_MEMBER(set_epoch, AfterRefusal{}, EpochsFollow, Loader)
  WEFT_REFUSED_MEMBER(reset, AfterRefusal{}, EpochsFollow, Loader)
  template <class... A>
  BatchType& next(const A&...) {
    static_assert(sizeof(LoaderIsWalked<(sizeof...(A) > 1024), Loader>) > 0);
    return pass_->batch();
  }
  template <class Index>
  BatchType& operator[](const Index&) {
    static_assert(sizeof(LoaderIsWalked<sizeof(Index) == 0, Loader>) > 0);
    return pass_->batch();
  }
  template <class L = Loader>  // for (auto& batch : *loader)
  L& operator*() {
    static_assert(sizeof(LoaderIsWalked<sizeof(L) == 0, L>) > 0);
    return *this;
  }
  // for (auto& [i, batch] : enumerate(loader)), where the program has no function of this name.
  struct Enumerated {
    Enumerated(const Loader&) {}
  };
  template <int... A>
  friend auto enumerate(Enumerated) {
    static_assert(sizeof(LoaderIsWalked<(sizeof...(A) > 1024), Loader>) > 0);
    return std::vector<std::pair<i64, BatchType>>();
  }
  BatchIterator<Pass<BatchSize, D>> begin() const {
    static_assert(sizeof(LoaderMoves<BatchSize == 0, Loader>) > 0);
    return BatchIterator<Pass<BatchSize, D>>(pass_);
  }
  // Throws "loader/nested" inside a `for` over this loader.
  BatchIterator<Pass<BatchSize, D>> begin() {
    check_not_running(pass_);
    Position& at = held().position;
    if (!sought_ && at.batch != 0) at = {at.epoch + 1, 0};
    pass_ = make_pass(at, cursor_);
    sought_ = false;
    return BatchIterator<Pass<BatchSize, D>>(pass_);
  }
  PassEnd end() const { return {}; }

  // The batches of epoch e from `first_batch` on, as a range of its own: neither reads nor moves
  // `position()`. Throws "loader/position".
  Epoch<Pass<BatchSize, D>> epoch(i64 e, i64 first_batch = 0) const {
    check({e, first_batch});
    return Epoch<Pass<BatchSize, D>>(make_pass({e, first_batch}, {}));
  }

  // The batch that comes next; behind a `for` that ended early the one that it did not come to, which a
  // resumed run begins with, where the next `for` here begins with the next epoch.
  Position position() const { return held().position; }
  // Throws "loader/position" for a negative epoch or a batch outside [0, batches()].
  void seek(Position position) {
    check(position);
    cursor_ = Shared<Cursor>(new Cursor);  // a `for` that runs moves its own
    cursor_->position = position.batch < batches() ? position : Position{position.epoch + 1, 0};
    sought_ = true;
  }
  // The same in the orders of another loader, of this seed: what a checkpoint does. Also throws "loader/seed"
  // where this one was given a seed of its own that differs.
  void seek(Position position, u64 seed) {
    if (detail::is_random(options_) && options_.seed.given && options_.seed.value != seed)
      throw Error("loader/seed", "the position is that of a loader with the seed " + std::to_string(seed) +
                                     ", and this one was given " + std::to_string(options_.seed.value));
    seek(position);
    seed_ = seed;
  }

  // Samples of an epoch.
  i64 size() const {
    held();
    return detail::epoch_samples(options_, static_cast<i64>(dataset_->size()));
  }
  // Batches in an epoch.
  // The same number on every rank: where they do not come out even, the ranks without a batch of their own in
  // the last round leave it out, or, where the last batch is padded, take the epoch's first ones again.
  i64 batches() const {
    const bool pads = options_.last == Last::pad_and_mask;
    return (all_batches() + (pads ? options_.ranks - 1 : 0)) / options_.ranks;
  }
  const LoaderOptions& options() const { return options_; }
  // What the orders of its epochs come from.
  u64 seed() const { return seed_; }

 private:
  // Of all ranks.
  i64 all_batches() const {
    const i64 extra = options_.last == Last::pad_and_mask && size() % BatchSize != 0 ? 1 : 0;
    return size() / BatchSize + extra;
  }
  Shared<Pass<BatchSize, D>> make_pass(Position start, Shared<Cursor> cursor) const {
    return Shared<Pass<BatchSize, D>>(new Pass<BatchSize, D>(dataset_, options_, seed_, start, batches(),
                                                             all_batches(), std::move(cursor)));
  }
  Cursor& held() const {
    if (!cursor_) throw Error("loader/moved", "a loader was used that had been moved from");
    return *cursor_;
  }
  void check(Position position) const {
    held();
    if (position.epoch < 0 || position.epoch >= i64{1} << 56 || position.batch < 0 ||
        position.batch > batches())
      throw Error("loader/position",
                  "epoch " + std::to_string(position.epoch) + ", batch " + std::to_string(position.batch) +
                      " is no position of a loader with " + std::to_string(batches()) + " batches");
  }

  HeldDataset<D> dataset_;
  LoaderOptions options_;
  u64 seed_;
  Shared<Cursor> cursor_;
  bool sought_ = false;
  Shared<Pass<BatchSize, D>> pass_;  // the one behind the latest begin(), if any
};

// Batches of BatchSize samples of `dataset`, which the loader keeps (HeldDataset).
template <i64 BatchSize, class D>
requires(BatchSize > 0 && Dataset<typename held_t<D>::type>) auto loader(D&& dataset,
                                                                         const LoaderOptions& options = {}) {
  return Loader<BatchSize, typename held_t<D>::type>(held_t<D>(std::forward<D>(dataset)), options);
}

WEFT_REFUSAL(
    LoaderTakes,
    "the batch size is a template argument, the dataset the first argument and the options the second: "
    "data::loader<32>(dataset, {.shuffle = true}); a dataset has size() and operator[](i64), both const, "
    "whose samples are tuples or pairs, as data::Arrays<f32, i32> has and a std::vector of them is; a stream "
    "returns a std::optional of a tuple");
WEFT_REFUSAL(LoaderOptionsAre,
             "the batch size is a template argument, the last batch's way .last = data::drop or "
             "data::pad_and_mask, and the program's own threads load: data::loader<32>(dataset, {.shuffle = "
             "true, .last = data::drop})");
WEFT_REFUSAL(DatasetIsPart,
             "the first argument holds several datasets and is none itself: load one, "
             "data::loader<32>(digits.train, {.shuffle = true})");
WEFT_REFUSAL(
    DatasetIsConst,
    "a dataset is read as const, for several threads read it: make its size() const and operator[](i64) "
    "const member functions");
WEFT_REFUSAL(
    SamplesAreTuples,
    "the samples of a dataset are tuples of fields and no structs, a field an array, a vector, a data::Row "
    "or a number: std::tuple<std::array<f32, 8>, i64> operator[](i64 i) const, or a std::vector of such");

namespace detail {
// Says why D is no dataset, of one that is none.
template <class D, class... What>
constexpr auto refuse_dataset() {
  using Held = typename held_t<D>::type;
  constexpr bool is_dataset = Dataset<Held> || IterableDataset<Held>;
  constexpr bool part = requires(const D& d) { requires Dataset<std::remove_cvref_t<decltype(d.train)>>; };
  constexpr bool indexed = requires(D & d) { d.size(), d[i64{}]; };
  constexpr bool is_const = requires(const D& d) { d.size(), d[i64{}]; };
  constexpr bool container = requires {
    requires !std::is_aggregate_v<typename D::value_type>;  // a std::vector, but not one of structs
  };
  static_assert(sizeof(DatasetIsPart < is_dataset || !part, D, What... >) > 0);
  static_assert(sizeof(DatasetIsConst < is_dataset || !indexed || is_const || container, D, What... >) > 0);
  static_assert(sizeof(SamplesAreTuples < is_dataset || !is_const || container, D, What... >) > 0);
  static_assert(sizeof(LoaderTakes<is_dataset, What..., D>) > 0);
  return is_dataset;
}
// What PyTorch's DataLoader takes, in its order, and `last` as a truth value.
struct DataLoaderWords {
  i64 batch_size = 0;
  bool shuffle = false;
  i64 num_workers = 0;
  bool pin_memory = false, drop_last = false, last = false;
};
// In place of a loader that was refused: a loop over it takes its batches apart as those of a loader.
template <class Row>
struct RefusedLoader : AfterRefusal {
  const Row* begin() const { return nullptr; }
  const Row* end() const { return nullptr; }
};
template <class>
struct AfterRefusalOf {
  using type = AfterRefusal;
};
// Of what has no samples: as if they had the usual two fields.
RefusedLoader<std::tuple<AfterRefusal, AfterRefusal>> refused_rows(const void*);
template <class... T>
RefusedLoader<std::tuple<typename AfterRefusalOf<T>::type...>> refused_rows(const std::tuple<T...>*);
template <class A, class B>
RefusedLoader<std::tuple<AfterRefusal, AfterRefusal>> refused_rows(const std::pair<A, B>*);

template <class D>
auto refused_loader() {
  using std::declval, std::remove_cvref_t;
  if constexpr (requires(D & d) { d[i64{}]; })
    return decltype(refused_rows(declval<remove_cvref_t<decltype(declval<D&>()[i64{}])>*>())){};
  else if constexpr (requires(const D& d) { d.stream(i64{})(); })
    return decltype(refused_rows(
        declval<remove_cvref_t<decltype(declval<const D&>().stream(i64{})())>*>())){};
  else
    return decltype(refused_rows(static_cast<void*>(nullptr))){};
}
}  // namespace detail

template <i64 BatchSize, class D>
requires(BatchSize <= 0 &&
         (Dataset<typename held_t<D>::type> ||
          IterableDataset<typename held_t<D>::type>)) auto loader(D&&, const LoaderOptions& = {}) {
  static_assert(
      sizeof(BatchHoldsSamples<sizeof(held_t<D>*) == 0, GivenSize<BatchSize>, typename held_t<D>::type>) > 0);
  return detail::refused_loader<typename held_t<D>::type>();
}
// Less special than the one that takes options, and so chosen only where that does not fit.
template <i64 BatchSize, class D, class Words = detail::DataLoaderWords>
requires std::is_same_v<Words, detail::DataLoaderWords>
auto loader(D&&, const Words&) {
  using Given = std::remove_cvref_t<D>;
  detail::refuse_dataset<Given, GivenSize<BatchSize>>();
  static_assert(sizeof(LoaderOptionsAre<sizeof(Given) == 0, GivenSize<BatchSize>, Given>) > 0);
  return detail::refused_loader<Given>();
}
template <i64 BatchSize, class D, class A>
requires(!std::is_convertible_v<const A&, LoaderOptions>) auto loader(const D&, const A&) {
  static_assert(sizeof(LoaderTakes<sizeof(D) == 0, GivenSize<BatchSize>, D, A>) > 0);
  return detail::refused_loader<D>();
}
template <i64 BatchSize, class D>
requires(!Dataset<typename held_t<D>::type> &&
         !IterableDataset<typename held_t<D>::type>) auto loader(const D&, const LoaderOptions& = {}) {
  detail::refuse_dataset<D, GivenSize<BatchSize>>();
  return detail::refused_loader<D>();
}
template <i64 BatchSize, class D, class A, class B, class... More>
auto loader(const D&, const A&, const B&, const More&...) {
  static_assert(sizeof(LoaderTakes<sizeof(D) == 0, GivenSize<BatchSize>, D, A, B>) > 0);
  return detail::refused_loader<D>();
}
template <i64 BatchSize, class D, class A>
auto loader(const D&, const A&, const LoaderOptions&) {
  static_assert(sizeof(LoaderTakes<sizeof(D) == 0, GivenSize<BatchSize>, D, A>) > 0);
  return detail::RefusedLoader<std::tuple<AfterRefusal, AfterRefusal>>{};
}
template <class D>
auto loader(const D&, const detail::DataLoaderWords&) {
  static_assert(sizeof(LoaderOptionsAre<sizeof(D) == 0, D>) > 0);
  return detail::refused_loader<D>();
}
template <class D>
auto loader(const D&, i64, const LoaderOptions&) {
  static_assert(sizeof(LoaderTakes<sizeof(D) == 0, D>) > 0);
  return detail::refused_loader<D>();
}
template <class D, class... A>
auto loader(const D&, const A&...) {
  static_assert(sizeof(LoaderTakes<sizeof(D) == 0, D, A...>) > 0);
  return detail::refused_loader<D>();
}
// By PyTorch's names.
template <i64 BatchSize = 0>
struct DataLoader : detail::RefusedLoader<std::tuple<AfterRefusal, AfterRefusal>> {
  template <class D>
  explicit DataLoader(const D&, auto&&...) {
    static_assert(sizeof(LoaderTakes<sizeof(D) == 0, D>) > 0);
  }
  template <class D>
  DataLoader(const D&, const detail::DataLoaderWords&) {
    static_assert(sizeof(LoaderTakes<sizeof(D) == 0, D>) > 0);
  }
};
WEFT_REFUSAL(
    DatasetIsArrays,
    "a dataset of arrays is data::Arrays<f32, i32> rows({values, {8}}, {labels, {}}): the values of all "
    "samples and the shape of one, field by field");
WEFT_REFUSAL(
    OrderIsOption,
    "the order of samples is an option of the loader, data::loader<32>(dataset, {.shuffle = true}), as are "
    ".weights and .lengths, one a sample, and the part of one process, .rank and .ranks; samples chosen by "
    "hand are data::subset(dataset, indices)");
#define WEFT_SAMPLER(Name)                                                 \
  struct Name : AfterRefusal {                                             \
    template <class... A>                                                  \
    explicit Name(const A&...) {                                           \
      static_assert(sizeof(OrderIsOption<(sizeof...(A) > 99), A...>) > 0); \
    }                                                                      \
  };
WEFT_SAMPLER(RandomSampler)
WEFT_SAMPLER(SequentialSampler)
WEFT_SAMPLER(SubsetRandomSampler)
WEFT_SAMPLER(WeightedRandomSampler)
WEFT_SAMPLER(DistributedSampler)
WEFT_SAMPLER(BatchSampler)
#undef WEFT_SAMPLER
struct TensorDataset : AfterRefusal {
  template <class... A>
  explicit TensorDataset(const A&...) {
    static_assert(sizeof(DatasetIsArrays<(sizeof...(A) > 99), A...>) > 0);
  }
};

}  // namespace WEFT_NAMESPACE::data

namespace WEFT_NAMESPACE {
using data::drop;
using data::pad_and_mask;
}  // namespace WEFT_NAMESPACE
