#pragma once
// evaluate(model, f, dataset, inputs..., options...): the mean of f over every sample of a dataset, in
// evaluation mode. Law: padding of the last batch counts for nothing, so the batch size changes the result by
// rounding alone.
//
//   evaluate(trainer.model(), [](const auto& m, auto x, auto y) { return accuracy(m(x), y); }, digits.test,
//            in<f32, 128, 64>, in<i32, 128>)

#include <array>
#include <tuple>

#include "weft/data/loader.hpp"
#include "weft/exec/model.hpp"

namespace weft {

namespace train {

template <bool Ok, class... Results>
struct EvaluatedResults {
  static_assert(
      Ok,
      "evaluate: the function gives floating-point numbers that are means over the rows whose label is "
      "not -100, or has one number a row of the batch");
};
template <bool Ok, class... Inputs>
struct EvaluatedInputs {
  static_assert(Ok,
                "evaluate: it takes one in<...> a field of a sample, the batch as the first axis of each");
};

// Whether a result is one number, or one a row.
template <class E, i64 Rows>
inline constexpr bool is_evaluated = is_float(dtype_of<typename E::dtype>) &&
                                     (E::shape::size == 1 || (E::shape::rank == 1 && E::shape::size == Rows));

// Adds a batch's sum over its valid rows.
template <class View>
f64 sum_of_rows(const View& view, i64 valid) {
  const auto values = view.to_vector();
  f64 sum = 0;
  if (values.size() == 1)
    sum = static_cast<f64>(values[0]) * static_cast<f64>(valid);
  else
    for (i64 row = 0; row < valid; ++row) sum += static_cast<f64>(values[static_cast<std::size_t>(row)]);
  return sum;
}

template <i64 Rows, class Function, class D, std::size_t... Field, class... R>
auto evaluate_with(Function& f, const D& dataset, std::index_sequence<Field...>, std::tuple<R...>*) {
  std::array<f64, sizeof...(R)> sum{};
  for (auto& batch : data::loader<Rows>(dataset, {.last = data::pad_and_mask})) {
    const auto results = f(batch.template get<Field>()...);
    if constexpr (sizeof...(R) == 1) {
      sum[0] += sum_of_rows(results, batch.valid());
    } else {
      std::apply(
          [&](const auto&... view) {
            std::size_t k = 0;
            ((sum[k++] += sum_of_rows(view, batch.valid())), ...);
          },
          results);
    }
  }
  for (f64& x : sum) x /= static_cast<f64>(dataset.size());
  if constexpr (sizeof...(R) == 1)
    return sum[0];
  else
    return sum;
}

template <i64 Rows, class Function, class D, class... I, class... R>
auto evaluate_checked(Function& f, const D& dataset, std::tuple<I...>*, std::tuple<R...>* results) {
  constexpr bool fits = (is_evaluated<R, Rows> && ...);
  static_assert(sizeof(EvaluatedResults<fits, R...>) > 0);
  if constexpr (fits) return evaluate_with<Rows>(f, dataset, std::index_sequence_for<I...>{}, results);
}

// The extent of the inputs' first axis; 0 where they have none in common.
template <class... I>
constexpr i64 rows_of(std::tuple<I...>*) {
  i64 rows = -1;
  const auto meet = [&](const Dims& d) {
    const i64 first = d.rank > 0 ? d.extent[0] : 0;
    rows = rows < 0 || rows == first ? first : 0;
  };
  (meet(I::shape::value), ...);
  return rows < 0 ? 0 : rows;
}

}  // namespace train

// One number, or an std::array of them where f has several results. The model is not changed by it.
template <class M, class Device, class F, class D, class... A>
auto evaluate(Model<M, Device>& model, F f, const D& dataset, const A&... inputs_then_options) {
  using Inputs = typename exec::SplitArguments<std::tuple<>, A...>::inputs;
  constexpr i64 rows = train::rows_of(static_cast<Inputs*>(nullptr));
  static_assert(sizeof(train::EvaluatedInputs<(rows > 0), Inputs>) > 0);
  if constexpr (rows > 0) {
    auto function = compile(model, f, inputs_then_options...);
    using Function = decltype(function);
    return train::evaluate_checked<rows>(function, dataset, static_cast<Inputs*>(nullptr),
                                         static_cast<typename Function::ResultTypes*>(nullptr));
  }
}

}  // namespace weft
