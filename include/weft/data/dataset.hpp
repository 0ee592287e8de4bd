#pragma once
// A dataset is anything with `size()` and `dataset[i]`, where a sample is a tuple of fields; adaptors select,
// join and split datasets. Law: `dataset[i]` is a pure function of i.

#include <array>
#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/data/shuffle.hpp"

namespace weft::data {

// One field of one sample inside a dataset's memory: row-major elements and their shape, ({} is a scalar).
template <class T>
class Row {
 public:
  Row(const T* data, const std::vector<i64>& shape, i64 size) : data_(data), shape_(&shape), size_(size) {}
  const T* data() const { return data_; }
  i64 size() const { return size_; }
  const std::vector<i64>& shape() const { return *shape_; }
  const T& operator[](i64 i) const { return data_[i]; }

 private:
  const T* data_;
  const std::vector<i64>* shape_;
  i64 size_;
};

// What a field of a sample may be: a Row, a number, a std::array or a std::vector (one axis). `Element` is
// the type of its elements.
template <class F>
struct Field {
  using Element = F;
  static const F* data(const F& field) { return &field; }
  static i64 size(const F&) { return 1; }
  static std::vector<i64> shape(const F&) { return {}; }
};
template <class T>
struct Field<Row<T>> {
  using Element = T;
  static const T* data(const Row<T>& field) { return field.data(); }
  static i64 size(const Row<T>& field) { return field.size(); }
  static std::vector<i64> shape(const Row<T>& field) { return field.shape(); }
};
template <class T, std::size_t N>
struct Field<std::array<T, N>> {
  using Element = T;
  static const T* data(const std::array<T, N>& field) { return field.data(); }
  static i64 size(const std::array<T, N>&) { return static_cast<i64>(N); }
  static std::vector<i64> shape(const std::array<T, N>&) { return {static_cast<i64>(N)}; }
};
template <class T>
struct Field<std::vector<T>> {
  static_assert(!std::is_same_v<T, bool>, "weft: a std::vector<bool> has no elements to copy; use u8");
  using Element = T;
  static const T* data(const std::vector<T>& field) { return field.data(); }
  static i64 size(const std::vector<T>& field) { return static_cast<i64>(field.size()); }
  static std::vector<i64> shape(const std::vector<T>& field) { return {static_cast<i64>(field.size())}; }
};

// The element types of a sample: SampleOf<std::tuple<Row<f32>, i32>>::Elements is std::tuple<f32, i32>.
template <class S>
struct SampleOf {
  static constexpr bool is_tuple = false;
};
template <class... Fs>
struct SampleOf<std::tuple<Fs...>> {
  static constexpr bool is_tuple = true;
  using Elements = std::tuple<typename Field<Fs>::Element...>;
};
template <class D>
using sample_t = std::remove_cvref_t<decltype(std::declval<const D&>()[i64{}])>;

template <class D>
concept Dataset = requires(const D& dataset) {
  { dataset.size() } -> std::convertible_to<i64>;
  dataset[i64{}];
}
&&SampleOf<sample_t<D>>::is_tuple;

// One field of an in-memory dataset: the rows one after another, each of the same shape ({} for a number).
template <class T>
struct Column {
  std::vector<T> values;
  std::vector<i64> row_shape;
};

// Rows in memory: Arrays<f32, i32>({pixels, {64}}, {labels, {}}) has one (f32 row, i32) sample per label.
template <class... Ts>
class Arrays {
  static_assert(sizeof...(Ts) > 0 && (!std::is_same_v<Ts, bool> && ...),
                "weft: name at least one field; use u8 for bool");

 public:
  Arrays() = default;
  // Throws "data/size-mismatch" unless every column holds the same whole number of rows.
  explicit Arrays(Column<Ts>... columns) : columns_(std::move(columns)...) {
    each([&](const auto& column, std::size_t i) {
      i64 row = 1;
      for (const i64 extent : column.row_shape) {
        if (extent <= 0)
          throw Error("data/size-mismatch", "field " + std::to_string(i) + " has an extent below one");
        if (__builtin_mul_overflow(row, extent, &row))
          throw Error("data/size-mismatch", "a row of field " + std::to_string(i) + " is too large");
      }
      const i64 values = static_cast<i64>(column.values.size());
      if (values % row != 0)
        throw Error("data/size-mismatch", "field " + std::to_string(i) + " has " + std::to_string(values) +
                                              " values, no multiple of its row of " + std::to_string(row));
      if (i == 0) size_ = values / row;
      if (values / row != size_)
        throw Error("data/size-mismatch", "field " + std::to_string(i) + " has " +
                                              std::to_string(values / row) + " rows, field 0 has " +
                                              std::to_string(size_));
      row_size_[i] = row;
    });
  }

  i64 size() const { return size_; }
  // i in [0, size()).
  std::tuple<Row<Ts>...> operator[](i64 i) const {
    return [&]<std::size_t... F>(std::index_sequence<F...>) {
      return std::tuple<Row<Ts>...>(Row<Ts>(std::get<F>(columns_).values.data() + i * row_size_[F],
                                            std::get<F>(columns_).row_shape, row_size_[F])...);
    }
    (std::index_sequence_for<Ts...>{});
  }
  // All rows of field F.
  template <std::size_t F>
  const auto& column() const {
    return std::get<F>(columns_);
  }

 private:
  template <class Visit>
  void each(Visit visit) {
    [&]<std::size_t... F>(std::index_sequence<F...>) { (visit(std::get<F>(columns_), F), ...); }
    (std::index_sequence_for<Ts...>{});
  }

  std::tuple<Column<Ts>...> columns_;
  std::array<i64, sizeof...(Ts)> row_size_{};
  i64 size_ = 0;
};

// A dataset kept by an adaptor: a reference to an lvalue (which must outlive the adaptor), or a moved-in
// rvalue.
template <class D>
using held_t =
    std::conditional_t<std::is_lvalue_reference_v<D>, const std::remove_cvref_t<D>&, std::remove_cvref_t<D>>;

// The samples of D at `indices`, in that order.
template <class D>
class Subset {
 public:
  // Throws "data/index" for an index outside the dataset.
  Subset(D dataset, std::vector<i64> indices)
      : dataset_(std::forward<D>(dataset)), indices_(std::move(indices)) {
    for (const i64 index : indices_)
      if (index < 0 || index >= static_cast<i64>(dataset_.size()))
        throw Error("data/index", "index " + std::to_string(index) + " lies outside a dataset of " +
                                      std::to_string(dataset_.size()) + " samples");
  }
  i64 size() const { return static_cast<i64>(indices_.size()); }
  auto operator[](i64 i) const { return dataset_[indices_[static_cast<std::size_t>(i)]]; }
  const std::vector<i64>& indices() const { return indices_; }

 private:
  D dataset_;
  std::vector<i64> indices_;
};
template <class D>
requires Dataset<std::remove_cvref_t<D>> Subset<held_t<D&&>> subset(D&& dataset, std::vector<i64> indices) {
  return {std::forward<D>(dataset), std::move(indices)};
}

// The samples of the first dataset, then those of the next, ...; all with the same sample type.
template <class First, class... Rest>
class ConcatDataset {
  static_assert((std::is_same_v<sample_t<std::remove_cvref_t<First>>, sample_t<std::remove_cvref_t<Rest>>> &&
                 ...),
                "weft: concatenated datasets must have the same fields");

 public:
  explicit ConcatDataset(First first, Rest... rest)
      : datasets_(std::forward<First>(first), std::forward<Rest>(rest)...) {}
  i64 size() const {
    return std::apply(
        [](const auto&... dataset) { return (i64{0} + ... + static_cast<i64>(dataset.size())); }, datasets_);
  }
  auto operator[](i64 i) const { return sample<0>(i); }

 private:
  template <std::size_t N>
  auto sample(i64 i) const {
    const auto& dataset = std::get<N>(datasets_);
    if constexpr (N == sizeof...(Rest)) {
      return dataset[i];
    } else {
      const i64 here = static_cast<i64>(dataset.size());
      return i < here ? dataset[i] : sample<N + 1>(i - here);
    }
  }
  std::tuple<First, Rest...> datasets_;
};
template <class... Ds>
requires(Dataset<std::remove_cvref_t<Ds>>&&...) ConcatDataset<held_t<Ds&&>...> concat(Ds&&... datasets) {
  return ConcatDataset<held_t<Ds&&>...>(std::forward<Ds>(datasets)...);
}

// A dataset computed from the sample number: `sample(i)` returns a std::tuple of fields.
template <class F>
class FunctionDataset {
 public:
  FunctionDataset(i64 size, F sample) : size_(size), sample_(std::move(sample)) {
    if (size < 0)
      throw Error("data/size-mismatch", "a dataset cannot have " + std::to_string(size) + " samples");
  }
  i64 size() const { return size_; }
  auto operator[](i64 i) const { return sample_(i); }

 private:
  i64 size_;
  F sample_;
};
template <class F>
FunctionDataset<F> from_function(i64 size, F sample) {
  return {size, std::move(sample)};
}

// A dataset that several adaptors own together. Counted by hand: including <memory> takes a tenth of what
// including weft.hpp does.
template <class D>
class SharedDataset {
 public:
  explicit SharedDataset(D dataset) : owned_(new Owned{std::move(dataset)}) {}
  SharedDataset(const SharedDataset& other) noexcept : owned_(other.owned_) {
    __atomic_fetch_add(&owned_->holders, 1, __ATOMIC_RELAXED);
  }
  SharedDataset& operator=(SharedDataset other) noexcept {
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~SharedDataset() {
    if (__atomic_sub_fetch(&owned_->holders, 1, __ATOMIC_ACQ_REL) == 0) delete owned_;
  }
  i64 size() const { return static_cast<i64>(owned_->dataset.size()); }
  auto operator[](i64 i) const { return owned_->dataset[i]; }

 private:
  struct Owned {
    const D dataset;
    i64 holders = 1;
  };
  Owned* owned_;
};

namespace detail {

// What every part of a split dataset holds: a reference to an lvalue, or a share of what was moved in.
template <class D>
using shared_t = std::conditional_t<std::is_lvalue_reference_v<D>, const std::remove_cvref_t<D>&,
                                    SharedDataset<std::remove_cvref_t<D>>>;

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

}  // namespace detail

// Cuts a dataset at random into parts of the given fractions, which must sum to one:
// auto [train, val] = random_split(dataset, {0.8, 0.2}, seed). Each part has floor(n * fraction) samples;
// what is left goes one by one to the first parts (as PyTorch's random_split does). A dataset given by name
// must outlive its parts; one that is moved in or made at the call is theirs. Throws "data/fractions".
template <class D, std::size_t N>
requires Dataset<std::remove_cvref_t<D>>
auto random_split(D&& dataset, const f64 (&fractions)[N], u64 seed) {
  using Part = Subset<detail::shared_t<D&&>>;
  const auto split = detail::split_at_random(static_cast<i64>(dataset.size()), fractions, N, seed);
  detail::shared_t<D&&> held(std::forward<D>(dataset));
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<Part, N>{Part(held, split.part(K))...};
  }
  (std::make_index_sequence<N>{});
}
// The same with a number of parts that is known at run time: a vector of them.
template <class D>
requires Dataset<std::remove_cvref_t<D>>
auto random_split(D&& dataset, const std::vector<f64>& fractions, u64 seed) {
  using Part = Subset<detail::shared_t<D&&>>;
  const auto split =
      detail::split_at_random(static_cast<i64>(dataset.size()), fractions.data(), fractions.size(), seed);
  detail::shared_t<D&&> held(std::forward<D>(dataset));
  std::vector<Part> parts;
  for (std::size_t k = 0; k < fractions.size(); ++k) parts.emplace_back(held, split.part(k));
  return parts;
}

}  // namespace weft::data
