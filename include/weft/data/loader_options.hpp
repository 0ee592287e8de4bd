#pragma once
// What a loader is asked for, and the order of samples that follows from it. Law: the order of an epoch
// depends on the number of samples, the options and (seed, epoch) alone.

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/check.hpp"
#include "weft/core/error.hpp"
#include "weft/core/fresh_seed.hpp"
#include "weft/core/types.hpp"
#include "weft/data/shuffle.hpp"

namespace WEFT_NAMESPACE::data {

// What happens to samples that do not fill the last batch of an epoch: they are left out, or the batch is
// padded.
enum class Last { drop, pad_and_mask };
// They are left out.
inline constexpr Last drop = Last::drop;
// The batch is padded: rows of 0 with label -100, which losses and metrics leave out.
inline constexpr Last pad_and_mask = Last::pad_and_mask;
namespace last {
inline constexpr Last drop = Last::drop;
inline constexpr Last pad_and_mask = Last::pad_and_mask;
}  // namespace last

// A number of each sample, given as any range of numbers that T holds.
template <class T>
struct PerSample : std::vector<T> {
  using std::vector<T>::vector;
  template <class Range>
  requires requires(const Range& given) {
    requires std::is_arithmetic_v<std::remove_cvref_t<decltype(*std::begin(given))>>;
    requires !std::is_integral_v<T> || std::is_integral_v<std::remove_cvref_t<decltype(*std::begin(given))>>;
    std::end(given);
  }
  PerSample(const Range& given) {
    for (const auto& x : given) this->push_back(static_cast<T>(x));
  }
};

struct LoaderOptions {
  bool shuffle = false;    // a new random order each epoch, from (seed, epoch)
  GivenSeed seed{};        // none: another one for each loader (core/fresh_seed.hpp)
  Last last = Last::drop;  // what becomes of samples that do not fill a batch
  int label_field = -1;    // padded rows of this field hold -100; -1: the last field of a signed integer type
  i64 rank = 0;            // of `ranks` loaders of the same samples, each of which has batches of its own:
  i64 ranks = 1;           // rank r's batch b is batch b * ranks + r of one loader alone
  // Of each sample, how likely it is to be drawn (torch's WeightedRandomSampler): an epoch is then `draws`
  // samples, or as many as the dataset has, each drawn from all of them, or, without `replacement`, from
  // those that the epoch has not had. Weights need not sum to one.
  PerSample<f64> weights{};
  i64 draws = 0;            // 0: as many as the dataset has
  bool replacement = true;  // whether an epoch may draw a sample again
  // Of each sample, its length: those of a batch are of like length, and with `shuffle` batches come in a
  // random order, which ranks share: windows and order depend on `ranks`, so that the batches of one time are
  // of like length.
  PerSample<i64> lengths{};
  // check::finite: no sample has NaN or infinity; check::indices: labels are 0 and more, or -100
  Checks check{};
};

namespace detail {

// Whether the orders of two epochs differ.
inline bool is_random(const LoaderOptions& options) { return options.shuffle || !options.weights.empty(); }

// The number of samples in an epoch over a dataset of n.
inline i64 epoch_samples(const LoaderOptions& options, i64 n) {
  return options.weights.empty() || options.draws == 0 ? n : options.draws;
}

// Throws "loader/weights" and "loader/lengths" for options that no dataset of n samples has.
inline void check_order(const LoaderOptions& options, i64 n) {
  const auto per_sample = [n](std::size_t given, const char* id, const char* what) {
    if (static_cast<i64>(given) != n)
      throw Error(id, std::to_string(given) + " " + what + " for " + std::to_string(n) + " samples");
  };
  if (options.weights.empty()) {
    if (options.draws != 0 || !options.replacement)
      throw Error("loader/weights", ".draws and .replacement are of a loader with .weights, one a sample");
  } else {
    per_sample(options.weights.size(), "loader/weights", "weights");
    if (!options.lengths.empty())
      throw Error("loader/weights", "samples are drawn by .weights or grouped by .lengths, not both");
    i64 positive = 0;
    for (std::size_t i = 0; i < options.weights.size(); ++i) {
      const f64 w = options.weights[i];
      if (!(w >= 0 && w <= 1e300))
        throw Error("loader/weights", "the weight of sample " + std::to_string(i) + " is " +
                                          std::to_string(w) + ": weights are finite and not negative");
      positive += w > 0;
    }
    const i64 draws = epoch_samples(options, n);
    if (draws < 0 || (n > 0 && positive == 0))
      throw Error("loader/weights", draws < 0 ? ".draws is negative" : "all weights are 0");
    if (!options.replacement && draws > positive)
      throw Error("loader/weights", std::to_string(draws) + " samples drawn without replacement, and only " +
                                        std::to_string(positive) +
                                        " have a weight: set .draws, or .replacement");
  }
  if (!options.lengths.empty()) per_sample(options.lengths.size(), "loader/lengths", "lengths");
}

// Weights as the leaves of a binary tree of sums, which a drawn one leaves at once.
class WeightTree {
 public:
  explicit WeightTree(const std::vector<f64>& weights) {
    while (leaves_ < weights.size()) leaves_ *= 2;
    sums_.resize(2 * leaves_);
    std::copy(weights.begin(), weights.end(), sums_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t k = leaves_ - 1; k > 0; --k) sums_[k] = sums_[2 * k] + sums_[2 * k + 1];
  }
  // The sample in which `at`, in [0, 1) of all that is left, lies.
  std::size_t find(f64 at) const {
    f64 left = at * sums_[1];
    std::size_t k = 1;
    while (k < leaves_) {
      k *= 2;
      // rounding may leave more than there is
      if (sums_[k + 1] > 0 && !(left < sums_[k])) left -= sums_[k++];
    }
    return k - leaves_;
  }
  void remove(std::size_t sample) {
    std::size_t k = leaves_ + sample;
    sums_[k] = 0;
    while (k /= 2) sums_[k] = sums_[2 * k] + sums_[2 * k + 1];
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<f64> sums_;
};

inline std::vector<i64> weighted_order(const LoaderOptions& options, i64 draws, u64 seed, i64 epoch) {
  WeightTree tree(options.weights);
  Draws random(seed, epoch, ShuffleUse::weighted);
  std::vector<i64> order(static_cast<std::size_t>(draws));
  for (i64& chosen : order) {
    const std::size_t sample = tree.find(random.unit());
    if (!options.replacement) tree.remove(sample);
    chosen = static_cast<i64>(sample);
  }
  return order;
}

// Cuts `order` into windows of 50 batches a rank, puts each in the order of lengths and then all batches,
// those that ranks take at one time together, in a random order. Samples that do not fill a batch stay last.
inline void group_by_length(std::vector<i64>& order, const LoaderOptions& options, i64 batch_size, u64 seed,
                            i64 epoch) {
  constexpr i64 window_batches = 50;
  const i64 turn = batch_size * options.ranks,
            whole = static_cast<i64>(order.size()) / batch_size * batch_size;
  const auto shorter = [&](i64 a, i64 b) {
    return options.lengths[static_cast<std::size_t>(a)] < options.lengths[static_cast<std::size_t>(b)];
  };
  for (i64 at = 0; at < whole; at += window_batches * turn)
    std::stable_sort(order.begin() + at, order.begin() + std::min(at + window_batches * turn, whole),
                     shorter);
  if (!options.shuffle) return;
  const i64 turns = whole / turn;
  const std::vector<i64> sorted = order;
  const std::vector<i64> places = permutation(turns, seed, epoch, ShuffleUse::batches);
  for (i64 t = 0; t < turns; ++t)
    std::copy_n(sorted.begin() + places[static_cast<std::size_t>(t)] * turn, turn, order.begin() + t * turn);
}

// The samples of an epoch in its order; empty: 0 ... n-1.
inline std::vector<i64> epoch_order(const LoaderOptions& options, i64 n, i64 batch_size, u64 seed,
                                    i64 epoch) {
  if (!options.weights.empty()) return weighted_order(options, epoch_samples(options, n), seed, epoch);
  std::vector<i64> order;
  if (options.shuffle) order = permutation(n, seed, epoch, ShuffleUse::epoch);
  if (!options.lengths.empty()) {
    for (i64 i = static_cast<i64>(order.size()); i < n; ++i) order.push_back(i);
    group_by_length(order, options, batch_size, seed, epoch);
  }
  return order;
}

}  // namespace detail

}  // namespace WEFT_NAMESPACE::data
