#pragma once
// A dataset is anything with `size()` and `dataset[i]`, where a sample is a tuple or a pair of fields;
// adaptors select, join and split datasets. Law: `dataset[i]` is a pure function of i; loaders and adaptors
// own what they read.

#include <array>
#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/diagnose.hpp"
#include "weft/core/error.hpp"
#include "weft/core/shared.hpp"
#include "weft/core/types.hpp"
#include "weft/data/dataset_refusals.hpp"
#include "weft/data/values.hpp"

namespace WEFT_NAMESPACE::data {

// One field of one sample inside a dataset's memory, which it keeps alive where it is given the owner:
// row-major elements and their shape, ({} is a scalar).
template <class T>
class Row {
 public:
  Row(const T* data, const std::vector<i64>& shape, i64 size, Shared<const Counted> owner = {})
      : data_(data), shape_(&shape), size_(size), owner_(std::move(owner)) {}
  const T* data() const { return data_; }
  // Elements.
  i64 size() const { return size_; }
  const std::vector<i64>& shape() const { return *shape_; }
  const T& operator[](i64 i) const { return data_[i]; }
  WEFT_REFUSED_PRINT(Row)

 private:
  const T* data_;
  const std::vector<i64>* shape_;
  i64 size_;
  Shared<const Counted> owner_;
};

WEFT_REFUSAL(
    FieldIsOneArray,
    "a field of a sample is a number, a std::array of numbers or of arrays, a std::vector of numbers "
    "or of arrays, or a Row: elements of one dtype one after another, where a vector of vectors "
    "would be one std::vector of all, with its shape in data::Arrays");

template <class T>
inline constexpr bool is_element = !requires(const T& x) {
  x.begin();
};
// What a field of a sample may be: a Row, a number, or a std::array or a std::vector of numbers or of
// std::arrays. `Element` is the type of its elements, data() where they begin.
template <class F>
struct Field {
  static_assert(sizeof(FieldIsOneArray<is_element<F>, F>) > 0);
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
template <class T>
struct ArrayField {  // what is behind each other in an array or a vector of T
  static_assert(sizeof(FieldIsOneArray<is_element<T>, T>) > 0);
  using Element = T;
  static const T* data(const T* at) { return at; }
  static std::vector<i64> shape(i64 first) { return {first}; }
  static constexpr i64 size = 1;
};
template <class T, std::size_t N>
struct ArrayField<std::array<T, N>> {
  using Inner = ArrayField<T>;
  using Element = typename Inner::Element;
  static_assert(sizeof(std::array<T, N>) == N * sizeof(T));
  static const Element* data(const std::array<T, N>* at) { return Inner::data(at->data()); }
  static std::vector<i64> shape(i64 first) {
    std::vector<i64> all = Inner::shape(static_cast<i64>(N));
    all.insert(all.begin(), first);
    return all;
  }
  static constexpr i64 size = static_cast<i64>(N) * Inner::size;
};
template <class T, std::size_t N>
struct Field<std::array<T, N>> {
  using Part = ArrayField<T>;
  using Element = typename Part::Element;
  static const Element* data(const std::array<T, N>& field) { return Part::data(field.data()); }
  static i64 size(const std::array<T, N>&) { return static_cast<i64>(N) * Part::size; }
  static std::vector<i64> shape(const std::array<T, N>&) { return Part::shape(static_cast<i64>(N)); }
};
template <class T>
struct Field<std::vector<T>> {
  using Part = ArrayField<T>;
  using Element = typename Part::Element;
  static const Element* data(const std::vector<T>& field) { return Part::data(field.data()); }
  static i64 size(const std::vector<T>& field) { return static_cast<i64>(field.size()) * Part::size; }
  static std::vector<i64> shape(const std::vector<T>& field) {
    return Part::shape(static_cast<i64>(field.size()));
  }
};
template <>
struct Field<std::vector<bool>> {
  using Element = bool;
  static auto data(const std::vector<bool>& field) { return field.begin(); }
  static i64 size(const std::vector<bool>& field) { return static_cast<i64>(field.size()); }
  static std::vector<i64> shape(const std::vector<bool>& field) { return {static_cast<i64>(field.size())}; }
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
template <class A, class B>
struct SampleOf<std::pair<A, B>> : SampleOf<std::tuple<A, B>> {};
template <class D>
using sample_t = std::remove_cvref_t<decltype(std::declval<const D&>()[i64{}])>;

template <class D>
concept Dataset = requires(const D& dataset) {
  { dataset.size() } -> std::convertible_to<i64>;
  dataset[i64{}];
}
&&SampleOf<sample_t<D>>::is_tuple;

// A dataset that is read front to back: `dataset.stream(epoch)` gives a callable that returns a
// std::optional<std::tuple<fields...>> each time, empty at the end.
template <class D>
concept IterableDataset = requires(const D& dataset, i64 epoch) {
  { dataset.stream(epoch)().has_value() } -> std::convertible_to<bool>;
}
&&SampleOf<
    typename std::remove_cvref_t<decltype(std::declval<const D&>().stream(i64{})())>::value_type>::is_tuple;

// One field of an in-memory dataset: the rows one after another, each of the same shape ({} for a number).
template <class T>
struct Column {
  Values<T> values;            // of all samples, one after another
  std::vector<i64> row_shape;  // of one sample
};

// Rows in memory: Arrays<f32, i32>({pixels, {64}}, {labels, {}}) has one (f32 row, i32) sample per label.
// Copies share the rows, which never change.
template <class... Ts>
class Arrays {
 public:
  Arrays() : rows_(new Rows) {}
  Arrays(const Arrays&) = default;  // and no other way to move one: the rows stay shared
  Arrays& operator=(const Arrays&) = default;
  // Throws "data/size-mismatch" unless every column holds the same whole number of rows.
  explicit Arrays(Column<Ts>... columns) {
    Rows* const rows = new Rows;
    rows_ = Shared<const Rows>(rows);
    rows->columns = {std::move(columns)...};
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
      if (i == 0) rows->count = values / row;
      if (values / row != rows->count)
        throw Error("data/size-mismatch", "field " + std::to_string(i) + " has " +
                                              std::to_string(values / row) + " rows, field 0 has " +
                                              std::to_string(rows->count));
      rows->row_size[i] = row;
    });
  }

  template <class... X>
  requires(sizeof...(X) > 0 && !(std::is_same_v<X, Arrays> || ...) &&
           !(std::is_same_v<X, Column<Ts>> || ...)) explicit Arrays(const X&...)
      : Arrays() {
    static_assert(sizeof(ColumnsAreBraced<sizeof...(X) == 0, Arrays, X...>) > 0);
  }

  // In braces, of another dtype.
  template <class Refused = void>
  explicit Arrays(const detail::MeantColumn<Ts>&...) : Arrays() {
    static_assert(sizeof(ColumnsAreBraced<sizeof(Refused*) == 0, Arrays>) > 0);
  }

  i64 size() const { return rows_->count; }
  // Throws "data/index" for i outside [0, size()).
  std::tuple<Row<Ts>...> operator[](i64 i) const {
    if (i < 0 || i >= size())
      throw Error("data/index", "index " + std::to_string(i) + " lies outside a dataset of " +
                                    std::to_string(size()) + " samples");
    return sample(i, rows_);
  }
  // The same for i in range, not to be kept longer than the dataset: what loaders copy from.
  std::tuple<Row<Ts>...> borrow(i64 i) const { return sample(i, {}); }
  // All rows of field F.
  template <std::size_t F>
  const auto& column() const& {
    return std::get<F>(rows_->columns);
  }
  template <std::size_t F>
  auto column() && {
    return std::get<F>(rows_->columns);
  }

 private:
  struct Rows final : Counted {
    std::tuple<Column<Ts>...> columns;
    std::array<i64, sizeof...(Ts)> row_size{};
    i64 count = 0;
  };
  std::tuple<Row<Ts>...> sample(i64 i, const Shared<const Counted>& owner) const {
    return [&]<std::size_t... F>(std::index_sequence<F...>) {
      return std::tuple<Row<Ts>...>(Row<Ts>(column<F>().values.data() + i * rows_->row_size[F],
                                            column<F>().row_shape, rows_->row_size[F], owner)...);
    }
    (std::index_sequence_for<Ts...>{});
  }
  template <class Visit>
  void each(Visit visit) {
    [&]<std::size_t... F>(std::index_sequence<F...>) { (visit(column<F>(), F), ...); }
    (std::index_sequence_for<Ts...>{});
  }

  Shared<const Rows> rows_;
};

WEFT_REFUSAL(
    FieldsAreNamed,
    "data::Arrays names the dtype of each field: data::Arrays<f32, i32> rows({pixels, {64}}, {labels, "
    "{}})");
template <>
class Arrays<> : public AfterRefusal {
 public:
  template <class... X>
  explicit Arrays(const X&...) {
    static_assert(sizeof(FieldsAreNamed<(sizeof...(X) > 99), Arrays, X...>) > 0);
  }
};

// Sample i of any dataset; a container of the standard library counts in a type of its own.
template <class D>
decltype(auto) sample_of(const D& dataset, i64 i) {
  if constexpr (requires { typename D::size_type; })
    return dataset[static_cast<typename D::size_type>(i)];
  else
    return dataset[i];
}
// The same, not to be kept.
template <class D>
decltype(auto) borrow(const D& dataset, i64 i) {
  if constexpr (requires { dataset.borrow(i); })
    return dataset.borrow(i);
  else
    return sample_of(dataset, i);
}

WEFT_REFUSAL(DatasetIsHeld,
             "a loader or adaptor keeps its dataset, and this one cannot be copied: move it in, or give "
             "std::ref(dataset) of one that outlives the loader");

// std::reference_wrapper<D>, without its header.
template <class W>
concept ReferenceTo = requires(const W& w) {
  typename W::type;
  { w.get() } -> std::same_as<typename W::type&>;
};
template <class D>
struct DatasetReference {
  using type = const D;
  const D& get() const { return *dataset; }
  const D* dataset;
};
// A dataset that outlives what is given this.
template <class D>
DatasetReference<D> by_reference(const D& dataset) {
  return {&dataset};
}
template <class D>
struct Referred {
  using type = D;
};
template <ReferenceTo W>
struct Referred<W> {
  using type = std::remove_const_t<typename W::type>;
};

// A dataset as loaders and adaptors keep it: the caller's moved in, or a copy that all who have it share
// (cheap for the datasets of this library), or, given as std::ref, the caller's own, which must outlive them.
template <class D>
class HeldDataset {
 public:
  using type = D;
  template <class From>
  requires(!std::is_same_v<std::remove_cvref_t<From>, HeldDataset>) explicit HeldDataset(From&& from) {
    if constexpr (ReferenceTo<std::remove_cvref_t<From>>) {
      dataset_ = &from.get();
    } else {
      constexpr bool holds = std::is_constructible_v<D, From&&>;
      static_assert(sizeof(DatasetIsHeld<holds, D>) > 0);
      if constexpr (holds) {
        Box* const box = new Box(std::forward<From>(from));
        owner_ = Shared<const Counted>(box);
        dataset_ = &box->dataset;
      }
    }
  }
  const D& operator*() const { return *dataset_; }
  const D* operator->() const { return dataset_; }

 private:
  struct Box final : Counted {
    template <class From>
    explicit Box(From&& from) : dataset(std::forward<From>(from)) {}
    D dataset;
  };
  const D* dataset_ = nullptr;
  Shared<const Counted> owner_;
};
// What holds an argument of type D&&.
template <class D>
using held_t = HeldDataset<typename Referred<std::remove_cvref_t<D>>::type>;

// The samples of a dataset at `indices`, in that order.
template <class D>
class Subset {
 public:
  // Throws "data/index" for an index outside the dataset.
  Subset(HeldDataset<D> dataset, std::vector<i64> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    for (const i64 index : indices_)
      if (index < 0 || index >= static_cast<i64>(dataset_->size()))
        throw Error("data/index", "index " + std::to_string(index) + " lies outside a dataset of " +
                                      std::to_string(dataset_->size()) + " samples");
  }
  i64 size() const { return static_cast<i64>(indices_.size()); }
  auto operator[](i64 i) const { return sample_of(*dataset_, index(i)); }
  decltype(auto) borrow(i64 i) const { return data::borrow(*dataset_, index(i)); }
  const std::vector<i64>& indices() const& { return indices_; }
  std::vector<i64> indices() && { return std::move(indices_); }

 private:
  i64 index(i64 i) const {
    if (i < 0 || i >= size())
      throw Error("data/index", "index " + std::to_string(i) + " lies outside a dataset of " +
                                    std::to_string(size()) + " samples");
    return indices_[static_cast<std::size_t>(i)];
  }

  HeldDataset<D> dataset_;
  std::vector<i64> indices_;
};
// The samples whose indices are given, in their order. It keeps a copy of the dataset, as the next ones do;
// std::ref(d) refers to it.
template <class D>
requires Dataset<typename held_t<D>::type>
auto subset(D&& dataset, std::vector<i64> indices) {
  return Subset<typename held_t<D>::type>(held_t<D>(std::forward<D>(dataset)), std::move(indices));
}
template <class D, std::integral I>
requires(Dataset<typename held_t<D>::type> &&
         !std::is_same_v<I, i64>) auto subset(D&& dataset, const std::vector<I>& indices) {
  std::vector<i64> wide;
  for (const I index : indices) wide.push_back(static_cast<i64>(index));
  return subset(std::forward<D>(dataset), std::move(wide));
}

WEFT_REFUSAL(FieldsAreEqual,
             "concat: the datasets have other fields, and a batch could not hold both: their samples are "
             "tuples of the same types in the same order, as those of two data::Arrays<f32, i32>; "
             "data::from_function(n, [&](i64 i) { ... }) makes them of another dataset's");

// The samples of the first dataset, then those of the next, ...; all with the same sample type.
template <class First, class... Rest>
class ConcatDataset {
 public:
  explicit ConcatDataset(HeldDataset<First> first, HeldDataset<Rest>... rest)
      : datasets_(std::move(first), std::move(rest)...) {}
  i64 size() const {
    return std::apply(
        [](const auto&... dataset) { return (i64{0} + ... + static_cast<i64>(dataset->size())); }, datasets_);
  }
  auto operator[](i64 i) const {
    if (i < 0 || i >= size())
      throw Error("data/index", "index " + std::to_string(i) + " lies outside a dataset of " +
                                    std::to_string(size()) + " samples");
    return sample<0>(i);
  }

 private:
  template <std::size_t N>
  auto sample(i64 i) const {
    const auto& dataset = *std::get<N>(datasets_);
    if constexpr (N == sizeof...(Rest)) {
      return sample_of(dataset, i);
    } else {
      const i64 here = static_cast<i64>(dataset.size());
      return i < here ? sample_of(dataset, i) : sample<N + 1>(i - here);
    }
  }
  std::tuple<HeldDataset<First>, HeldDataset<Rest>...> datasets_;
};
template <class D, class... Ds>
requires(Dataset<typename held_t<D>::type> &&
         (Dataset<typename held_t<Ds>::type> && ...)) auto concat(D&& dataset, Ds&&... datasets) {
  using Sample = sample_t<typename held_t<D>::type>;
  constexpr bool same = (std::is_same_v<Sample, sample_t<typename held_t<Ds>::type>> && ...);
  static_assert(sizeof(FieldsAreEqual<same, Sample, sample_t<typename held_t<Ds>::type>...>) > 0);
  if constexpr (same)
    return ConcatDataset<typename held_t<D>::type, typename held_t<Ds>::type...>(
        held_t<D>(std::forward<D>(dataset)), held_t<Ds>(std::forward<Ds>(datasets))...);
  else
    return ConcatDataset<typename held_t<D>::type>(held_t<D>(std::forward<D>(dataset)));
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
// function(i) is sample i, for i from 0 to size - 1; the same i gives the same sample.
template <class F>
FunctionDataset<F> from_function(i64 size, F sample) {
  return {size, std::move(sample)};
}

WEFT_REFUSAL(DatasetIsLoaded,
             "a dataset is no range: for (auto& [x, y] : data::loader<32>(dataset)) walks over its batches, "
             "dataset[i] is one sample");
template <Dataset D>
auto begin(const D&) {
  static_assert(sizeof(DatasetIsLoaded<sizeof(D) == 0, D>) > 0);
  return static_cast<sample_t<D>*>(nullptr);
}
template <Dataset D>
auto end(const D&) {
  static_assert(sizeof(DatasetIsLoaded<sizeof(D) == 0, D>) > 0);
  return static_cast<sample_t<D>*>(nullptr);
}

WEFT_REFUSAL(
    SamplesAreListed,
    "subset takes the indices of its samples, subset(dataset, {0, 1, 2}), concat its datasets one by one, "
    "concat(a, b), and from_function the number of samples first, from_function(100, f)");
template <class D, class First, class... A>
requires std::is_arithmetic_v<First>
auto subset(const D&, const First&, const A&...) {
  static_assert(sizeof(SamplesAreListed<sizeof(First) == 0, D, First, A...>) > 0);
  return AfterRefusal{};
}
template <class D>
auto concat(std::initializer_list<D>) {
  static_assert(sizeof(SamplesAreListed<sizeof(D) == 0, D>) > 0);
  return AfterRefusal{};
}
template <class F>
requires(!std::is_arithmetic_v<F>) auto from_function(const F&, i64) {
  static_assert(sizeof(SamplesAreListed<sizeof(F) == 0, F>) > 0);
  return AfterRefusal{};
}

}  // namespace WEFT_NAMESPACE::data
