#pragma once
// random_split: parts of a dataset, drawn at random.

#include "weft/data/dataset.hpp"
#include "weft/data/shuffle.hpp"

namespace WEFT_NAMESPACE::data {

namespace detail {

// The sizes of the parts, and a random order of all samples. (Templates: a program pays for what it calls.)
template <class Number>
struct Split {
  std::vector<Number> sizes, order;
  // The samples of part k.
  std::vector<Number> part(std::size_t k) const {
    i64 at = 0;
    for (std::size_t i = 0; i < k; ++i) at += sizes[i];
    return {order.begin() + at, order.begin() + at + sizes[k]};
  }
};
template <class Number>
Split<Number> split_at_random(Number n, const Number* counts, std::size_t parts, u64 seed) {
  Split<Number> split{{counts, counts + parts}, {}};
  Number sum = 0;
  for (const Number count : split.sizes) {
    if (count < 0 || count > n - sum)
      throw Error("data/fractions", "the parts have " + std::to_string(count) +
                                        " samples and more, of a dataset of " + std::to_string(n));
    sum += count;
  }
  if (sum != n)
    throw Error("data/fractions", "the parts have " + std::to_string(sum) +
                                      " samples together, and the dataset " + std::to_string(n));
  split.order = permutation(n, seed, 0, ShuffleUse::split);
  return split;
}
template <class Number>
Split<Number> split_at_random(Number n, const f64* fractions, std::size_t count, u64 seed) {
  Split<Number> split;
  f64 sum = 0;
  Number left = n;
  for (std::size_t k = 0; k < count; ++k) {
    const f64 fraction = fractions[k];
    if (!(fraction >= 0 && fraction <= 1)) throw Error("data/fractions", "a fraction lies outside [0, 1]");
    sum += fraction;
    const Number size = static_cast<Number>(static_cast<f64>(n) * fraction);
    split.sizes.push_back(size < left ? size : left);  // a sum a hair above one
    left -= split.sizes.back();
  }
  if (!(sum > 1 - 1e-6 && sum < 1 + 1e-6))
    throw Error("data/fractions", "the fractions sum to " + std::to_string(sum) + ", not to one");
  for (std::size_t i = 0; left > 0; i = (i + 1) % count, --left) ++split.sizes[i];
  split.order = permutation(n, seed, 0, ShuffleUse::split);
  return split;
}
template <std::size_t N, class D, class Number>
auto parts_of(const HeldDataset<D>& held, const Split<Number>& split) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<Subset<D>, N>{Subset<D>(held, split.part(K))...};
  }
  (std::make_index_sequence<N>{});
}

}  // namespace detail

// Cuts a dataset at random into parts of the given fractions, which must sum to one:
// auto [train, val] = random_split(dataset, {0.8, 0.2}, seed). Each part has floor(n * fraction) samples;
// what is left goes one by one to the first parts (as PyTorch's random_split does). Or into parts of so many
// samples, which must be all: random_split(dataset, {50000, 10000}, seed). The parts hold the dataset
// together, as subset() holds its own. Throws "data/fractions".
template <class D, std::size_t N>
requires Dataset<typename held_t<D>::type>
auto random_split(D&& dataset, const f64 (&fractions)[N], u64 seed) {
  const held_t<D> held(std::forward<D>(dataset));
  return detail::parts_of<N>(held,
                             detail::split_at_random(static_cast<i64>(held->size()), fractions, N, seed));
}
template <class D, std::integral I, std::size_t N>
requires Dataset<typename held_t<D>::type>
auto random_split(D&& dataset, const I (&counts)[N], u64 seed) {
  const held_t<D> held(std::forward<D>(dataset));
  const std::vector<i64> sizes(counts, counts + N);
  return detail::parts_of<N>(held,
                             detail::split_at_random(static_cast<i64>(held->size()), sizes.data(), N, seed));
}
// The same with a number of parts that is known at run time: a vector of them.
template <class D, class Number>
requires Dataset<typename held_t<D>::type> && std::is_arithmetic_v<Number>
auto random_split(D&& dataset, const std::vector<Number>& given, u64 seed) {
  using Part = Subset<typename held_t<D>::type>;
  const held_t<D> held(std::forward<D>(dataset));
  const std::vector<std::conditional_t<std::is_integral_v<Number>, i64, f64>> sizes(given.begin(),
                                                                                    given.end());
  const auto split =
      detail::split_at_random(static_cast<i64>(held->size()), sizes.data(), sizes.size(), seed);
  std::vector<Part> parts;
  for (std::size_t k = 0; k < sizes.size(); ++k) parts.emplace_back(held, split.part(k));
  return parts;
}

WEFT_REFUSAL(FractionsAreBraced,
             "random_split: the fractions stand in braces and the seed behind them: write "
             "random_split(dataset, {0.8, 0.2}, 1)");
template <class D, class... A>
requires(std::is_arithmetic_v<A>&&...) auto random_split(const D&, const A&...) {
  static_assert(sizeof(FractionsAreBraced<sizeof(D) == 0, D, A...>) > 0);
  constexpr std::size_t given = (std::is_floating_point_v<A> + ... + 0), parts = given < 2 ? 2 : given;
  return std::array<AfterRefusal, parts>{};
}
WEFT_REFUSAL(
    SplitIsSeeded,
    "random_split: a seed follows the fractions, or the counts: random_split(dataset, {0.8, 0.2}, 1)");
template <class D, class F, std::size_t N>
requires std::is_arithmetic_v<F>
auto random_split(const D&, const F (&)[N]) {
  static_assert(sizeof(SplitIsSeeded<sizeof(D) == 0, D, F>) > 0);
  return std::array<AfterRefusal, N>{};
}

}  // namespace WEFT_NAMESPACE::data
