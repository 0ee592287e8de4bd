#pragma once
// A batch: one dense array per field, the batch as first axis. Law: its shape never changes; rows from
// valid() on are padding (0, and -100 in labels).

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/check.hpp"
#include "weft/core/checked_extent.hpp"
#include "weft/core/diagnose.hpp"
#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/data/dataset.hpp"
#include "weft/data/values.hpp"

namespace WEFT_NAMESPACE::data {

// A label that losses and metrics leave out: PyTorch's default `ignore_index`.
inline constexpr int ignored_label = -100;

// Row-major elements with a shape, in host memory of its own.
template <class T>
class Array {
 public:
  using value_type = T;
  Array() = default;
  explicit Array(std::vector<i64> shape) : shape_(std::move(shape)) {
    for (const i64 extent : shape_) size_ *= extent;
    valid_rows_ = shape_.empty() ? 1 : shape_[0];
    values_ = Values<T>(static_cast<std::size_t>(size_));
  }
  const T* data() const { return values_.data(); }
  T* data() { return values_.data(); }
  i64 size() const { return size_; }  // elements
  int rank() const { return static_cast<int>(shape_.size()); }
  // Of an axis counted from either end; throws "tensor/axis".
  i64 extent(int axis) const { return checked_extent(shape_, axis); }
  const std::vector<i64>& shape() const { return shape_; }
  // Throws "batch/index" for i outside [0, size()).
  const T& operator[](i64 i) const {
    if (static_cast<u64>(i) >= static_cast<u64>(size_)) [[unlikely]]
      throw Error("batch/index", "element " + std::to_string(i) + " lies outside a batch of " +
                                     std::to_string(size_) + " elements");
    return values_[static_cast<std::size_t>(i)];
  }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  WEFT_REFUSED_PRINT(Array)
  // How many leading rows are samples, whether its loader pads a batch of the epoch, and whether it does with
  // ignored_label: trainers read these.
  i64 valid_rows() const { return valid_rows_; }
  bool is_padded_somewhere() const { return padded_somewhere_; }
  bool has_padded_labels() const { return padded_labels_; }

 private:
  template <i64, class...>
  friend class Batch;
  template <class>
  friend class BatchBuilder;
  std::vector<i64> shape_;
  Values<T> values_;
  i64 size_ = 1;
  i64 valid_rows_ = 0;
  bool padded_somewhere_ = false, padded_labels_ = false;
};

WEFT_REFUSAL(
    BatchIsTakenApart,
    "a batch is taken apart into the fields of a sample: for (auto& [x, y] : loader), or batch.get<0>()");
// batch.data and batch.target, refused where they are used.
template <class Batch>
struct BatchMember {
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, BatchIsTakenApart, Batch)
  WEFT_MEMBER(data)
  WEFT_MEMBER(size)
  WEFT_MEMBER(begin)
  WEFT_MEMBER(end)
  WEFT_MEMBER(shape)
  WEFT_MEMBER(operator())
#undef WEFT_MEMBER
  template <class A>
  auto operator[](const A&) const {
    static_assert(sizeof(BatchIsTakenApart<sizeof(A) == 0, Batch>) > 0);
    return AfterRefusal{};
  }
};

// What a loader yields; `auto& [image, label] = batch` names its fields.
template <i64 BatchSize, class... Ts>
class Batch {
 public:
  using Elements = std::tuple<Ts...>;
  static constexpr i64 batch_size = BatchSize;

  static constexpr BatchMember<Batch> x{}, y{}, data{}, target{}, label{}, labels{};  // refused
  template <class A>
  auto operator[](const A&) const {  // refused
    static_assert(sizeof(BatchIsTakenApart<sizeof(A) == 0, Batch>) > 0);
    return AfterRefusal{};
  }

  template <class Out>
  requires requires(Out& out) { out << 1; }
  friend Out& operator<<(Out& out, const Batch&) {
    static_assert(sizeof(BatchIsTakenApart<sizeof(Out) == 0, Batch>) > 0);
    return out;
  }

#define WEFT_OPERATOR(sign)                                              \
  template <class A>                                                     \
  friend auto operator sign(const Batch&, const A&) {                    \
    static_assert(sizeof(BatchIsTakenApart<sizeof(A) == 0, Batch>) > 0); \
    return AfterRefusal{};                                               \
  }                                                                      \
  template <class A>                                                     \
  requires std::is_arithmetic_v<A>                                       \
  friend auto operator sign(const A&, const Batch&) {                    \
    static_assert(sizeof(BatchIsTakenApart<sizeof(A) == 0, Batch>) > 0); \
    return AfterRefusal{};                                               \
  }
  WEFT_OPERATOR(+)
  WEFT_OPERATOR(-)
  WEFT_OPERATOR(*)
  WEFT_OPERATOR(/)
#undef WEFT_OPERATOR

  Batch() = default;
  explicit Batch(Array<Ts>... fields) : fields_(std::move(fields)...) {}
  // How many leading rows are samples; the rest is padding.
  i64 valid() const { return valid_; }
  template <std::size_t F>
  auto& get() {
    return std::get<F>(fields_);
  }
  template <std::size_t F>
  const auto& get() const {
    return std::get<F>(fields_);
  }
  // The same with the first row in place of the rows from `from` on, all of which count as samples.
  Batch repeating_first(i64 from) const {
    Batch batch = *this;
    batch.valid_ = BatchSize;
    std::apply(
        [&](auto&... field) {
          const auto fill = [&](auto& array) {
            const i64 row = array.size() / BatchSize;
            for (i64 k = from; k < BatchSize; ++k)
              std::copy(array.data(), array.data() + row, array.data() + k * row);
            array.valid_rows_ = BatchSize;
          };
          (fill(field), ...);
        },
        batch.fields_);
    return batch;
  }

 private:
  template <class>
  friend class BatchBuilder;
  std::tuple<Array<Ts>...> fields_;
  i64 valid_ = 0;
};

// Fills the rows of one batch from samples, reusing its memory from batch to batch.
template <class BatchType>
class BatchBuilder;
template <i64 BatchSize, class... Ts>
class BatchBuilder<Batch<BatchSize, Ts...>> {
 public:
  // Shapes come from `sample`. `pads`: whether a batch of the epoch will have padded rows. `label_field` is
  // the integer field that padding fills with ignored_label, or -1 for the last field of a signed integer
  // type; "loader/label-field" when there is no such field.
  template <class Sample>
  BatchBuilder(const Sample& sample, int label_field, bool pads = false, Checks check = {})
      : label_field_(label_field), check_(check) {
    if (label_field < -1 || label_field >= static_cast<int>(sizeof...(Ts)))
      throw Error("loader/label-field", "there is no field " + std::to_string(label_field));
    each([&]<std::size_t F>() {
      using T = std::tuple_element_t<F, std::tuple<Ts...>>;
      std::vector<i64> shape = Field<std::tuple_element_t<F, Sample>>::shape(std::get<F>(sample));
      shape.insert(shape.begin(), BatchSize);
      shapes_[F] = std::move(shape);
      if constexpr (is_label<T>) {
        if (label_field == -1) label_field_ = static_cast<int>(F);
      } else if (label_field == static_cast<int>(F)) {
        throw Error("loader/label-field", "field " + std::to_string(F) + " is not of a signed integer type");
      }
    });
    pads_ = pads;
    renew();
  }

  Batch<BatchSize, Ts...>& batch() { return batch_; }

  // Row `row` becomes `sample`; throws "loader/ragged" when a field's shape is not that of the first sample.
  template <class Sample>
  void put(i64 row, const Sample& sample, i64 sample_number) {
    if (row == 0) renew();
    each([&]<std::size_t F>() {
      using Traits = Field<std::tuple_element_t<F, Sample>>;
      auto& array = std::get<F>(batch_.fields_);
      const auto& field = std::get<F>(sample);
      const i64 size = array.size() / BatchSize;
      // Of a sample's kinds of field a Row alone has axes that differ between samples of one size.
      bool fits = Traits::size(field) == size;
      if constexpr (requires { field.shape(); })
        fits = std::equal(field.shape().begin(), field.shape().end(), array.shape().begin() + 1,
                          array.shape().end());
      if (!fits)
        throw Error("loader/ragged", "field " + std::to_string(F) + " of sample " +
                                         std::to_string(sample_number) + " has the shape " +
                                         text(Traits::shape(field)) + ", that of the first sample has " +
                                         text({array.shape().begin() + 1, array.shape().end()}));
      std::copy(Traits::data(field), Traits::data(field) + size, array.data() + row * size);
      if (check_.any()) check_row<F>(Traits::data(field), size, sample_number);
    });
  }

  // The rows from `rows` on become padding.
  void finish(i64 rows) {
    batch_.valid_ = rows;
    each([&]<std::size_t F>() {
      using T = std::tuple_element_t<F, std::tuple<Ts...>>;
      auto& array = std::get<F>(batch_.fields_);
      array.valid_rows_ = rows;
      T padding{};
      if constexpr (is_label<T>) {
        if (label_field_ == static_cast<int>(F)) padding = static_cast<T>(ignored_label);
      }
      std::fill(array.data() + rows * (array.size() / BatchSize), array.data() + array.size(), padding);
    });
  }

 private:
  // Arrays in the place of those that the loop has moved out of the batch before.
  void renew() {
    each([&]<std::size_t F>() {
      auto& array = std::get<F>(batch_.fields_);
      if (!array.shape().empty()) return;
      array = Array<std::tuple_element_t<F, std::tuple<Ts...>>>(shapes_[F]);
      array.padded_somewhere_ = pads_;
      array.padded_labels_ = pads_ && label_field_ == static_cast<int>(F);
    });
  }
  // Throws "loader/finite" or "loader/label".
  template <std::size_t F, class It>
  void check_row(It values, i64 size, i64 sample_number) const {
    using T = std::tuple_element_t<F, std::tuple<Ts...>>;
    const auto refuse = [&](const char* id, i64 i, const std::string& value) {
      throw Error(id, "field " + std::to_string(F) + " of sample " + std::to_string(sample_number) + " is " +
                          value + " at element " + std::to_string(i));
    };
    for (i64 i = 0; i < size; ++i) {
      if constexpr (is_label<T>) {
        if (check_.indices && label_field_ == static_cast<int>(F) && values[i] < 0 &&
            values[i] != T(ignored_label))
          refuse("loader/label", i, std::to_string(values[i]));
      } else if constexpr (!std::is_integral_v<T> && is_element<T>) {
        const double x = static_cast<double>(values[i]);
        if (check_.finite && !(x - x == 0))
          refuse("loader/finite", i, x != x ? "nan" : x < 0 ? "-inf" : "inf");
      }
    }
  }
  static std::string text(const std::vector<i64>& shape) {
    std::string s;
    for (const i64 extent : shape) s += (s.empty() ? "(" : ", ") + std::to_string(extent);
    return (s.empty() ? "(" : s) + ")";
  }
  template <class T>
  static constexpr bool is_label = std::is_integral_v<T>&& std::is_signed_v<T>;
  template <class Visit>
  static void each(Visit visit) {
    [&]<std::size_t... F>(std::index_sequence<F...>) { (visit.template operator()<F>(), ...); }
    (std::index_sequence_for<Ts...>{});
  }

  Batch<BatchSize, Ts...> batch_;
  int label_field_;
  Checks check_;
  bool pads_ = false;
  std::vector<i64> shapes_[sizeof...(Ts)];
};

// The batch type for samples with these elements.
template <i64 BatchSize, class Elements>
struct BatchOf;
template <i64 BatchSize, class... Ts>
struct BatchOf<BatchSize, std::tuple<Ts...>> {
  using type = Batch<BatchSize, Ts...>;
};

}  // namespace WEFT_NAMESPACE::data

template <weft::i64 BatchSize, class... Ts>
struct std::tuple_size<weft::data::Batch<BatchSize, Ts...>>
    : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t F, weft::i64 BatchSize, class... Ts>
struct std::tuple_element<F, weft::data::Batch<BatchSize, Ts...>> {
  using type = weft::data::Array<std::tuple_element_t<F, std::tuple<Ts...>>>;
};
