#pragma once
// evaluate(model, f, dataset, inputs..., options...): the mean of f over every sample of a dataset, in
// evaluation mode. f gives means over rows, each of which depends on its own row, or one number a row. Law:
// padding of the last batch counts for nothing, so the batch size changes the result by rounding alone.
//
//   evaluate(trainer.model(), [](const auto& m, auto x, auto y) { return accuracy(m(x), y); }, digits.test,
//            in<f32, 128, 64>, in<i32, 128>)

#include <array>
#include <tuple>

#include "weft/data/loader.hpp"
#include "weft/exec/model.hpp"
#include "weft/train/ranks.hpp"
#include "weft/train/trainer_refusals.hpp"

namespace WEFT_NAMESPACE {

namespace train {

WEFT_REFUSAL(
    EvaluatedResults,
    "evaluate: the function gives floating-point numbers that are means over the rows of the batch, or "
    "one number a row");
WEFT_REFUSAL(
    ModelIsEvaluated,
    "evaluate: the model stands first, then what is evaluated: evaluate(model, [](const auto& m, auto x, "
    "auto y) { return accuracy(m(x), y); }, dataset, in<f32, 128, 64>, in<i32, 128>)");
WEFT_REFUSAL(EvaluatedInputs,
             "evaluate: it takes one in<...> a field of a sample, the batch as the first axis of each");

// Whether a result is one number, or one a row.
template <class E, i64 Rows>
inline constexpr bool is_evaluated = is_float(dtype_of<typename E::dtype>) &&
                                     (E::shape::size == 1 || (E::shape::rank == 1 && E::shape::size == Rows));

// The sum of a result over the valid rows of a batch, from its value there: one number a row, or their mean.
template <class View>
f64 sum_of_rows(const View& view, i64 valid) {
  const auto values = view.to_vector();
  if (values.size() == 1) return static_cast<f64>(values[0]) * static_cast<f64>(valid);
  f64 sum = 0;
  for (i64 row = 0; row < valid; ++row) sum += static_cast<f64>(values[static_cast<std::size_t>(row)]);
  return sum;
}

// The results of a call as a tuple.
template <class Function, class Batch, std::size_t... Field>
auto results_of(Function& f, const Batch& batch, std::index_sequence<Field...>) {
  auto results = f(batch.template get<Field>()...);
  if constexpr (std::tuple_size_v<typename Function::ResultTypes> == 1)
    return std::tuple(std::move(results));
  else
    return results;
}

// Of a batch some of whose rows are padding, where these count in a mean: the mean with the first row in
// their place, less what that row adds, which is the mean of a batch of nothing else.
template <i64 Rows, class Function, class Batch, class Fields, std::size_t... R>
void add_padded(Function& f, const Batch& batch, const Fields& fields, f64* sum, std::index_sequence<R...>) {
  constexpr bool counts[]{(std::tuple_element_t<R, typename Function::ResultTypes>::shape::size == 1 &&
                           Function::template padding_counts<static_cast<int>(R)>())...};
  const i64 valid = batch.valid();
  if constexpr ((counts[R] || ...)) {
    if (Function::assigned() > 0)
      throw Error("evaluate/padding",
                  "the last batch would be padded, and the function counts padded rows in a mean and assigns "
                  "buffers: give a batch size that divides the dataset");
    const auto filled = results_of(f, batch.repeating_first(valid), fields);
    const auto first = results_of(f, batch.repeating_first(0), fields);
    const auto masked = results_of(f, batch, fields);
    ((sum[R] += counts[R]
                    ? sum_of_rows(std::get<R>(filled), Rows) - sum_of_rows(std::get<R>(first), Rows - valid)
                    : sum_of_rows(std::get<R>(masked), valid)),
     ...);
  } else {
    const auto masked = results_of(f, batch, fields);
    ((sum[R] += sum_of_rows(std::get<R>(masked), valid)), ...);
  }
}

// Batches are dealt to the ranks in turn, unless f assigns buffers, which all have to see all of them.
template <i64 Rows, class Ranks, class Function, class D, std::size_t... Field, class... R>
auto evaluate_with(const Ranks& ranks, Function& f, const D& dataset, std::index_sequence<Field...> fields,
                   std::tuple<R...>*) {
  std::array<f64, sizeof...(R)> sum{};
  i64 samples = 0, turn = -1;
  const bool dealt = Function::assigned() == 0;
  constexpr auto numbers = std::index_sequence_for<R...>{};
  for (auto& batch : data::loader<Rows>(data::by_reference(dataset), {.last = data::pad_and_mask})) {
    if (samples == 0)
      Function::checked_arguments("evaluate/padding", "give a batch size that divides the dataset",
                                  batch.template get<Field>()...);
    samples += batch.valid();
    if (dealt && ++turn % ranks.size() != ranks.rank()) continue;
    if (batch.valid() < Rows) {
      add_padded<Rows>(f, batch, fields, sum.data(), numbers);
      continue;
    }
    const auto results = results_of(f, batch, fields);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      ((sum[K] += sum_of_rows(std::get<K>(results), Rows)), ...);
    }
    (numbers);
  }
  if (dealt) ranks.add(sum.data(), static_cast<i64>(sum.size()));
  for (f64& x : sum) x /= static_cast<f64>(samples);
  if constexpr (sizeof...(R) == 1)
    return sum[0];
  else
    return sum;
}

template <i64 Rows, class Ranks, class Function, class D, class... I, class... R>
auto evaluate_checked(const Ranks& ranks, Function& f, const D& dataset, std::tuple<I...>*,
                      std::tuple<R...>* results) {
  constexpr bool fits = (is_evaluated<R, Rows> && ...);
  static_assert(sizeof(EvaluatedResults<fits, R...>) > 0);
  if constexpr (fits)
    return evaluate_with<Rows>(ranks, f, dataset, std::index_sequence_for<I...>{}, results);
  else
    return AfterRefusal{};
}

template <class... I>
constexpr i64 rows_of(std::tuple<I...>*) {
  return exec::common_rows<I...>();
}

template <class Ranks, class M, class F, class D, class... A>
auto evaluate_model(const Ranks& ranks, M&& model, F f, const D& dataset, const A&... inputs_then_options) {
  using Inputs = typename exec::SplitArguments<std::tuple<>, A...>::inputs;
  constexpr i64 rows = rows_of(static_cast<Inputs*>(nullptr));
  static_assert(sizeof(EvaluatedInputs<(rows > 0), Inputs>) > 0);
  if constexpr (rows > 0) {
    auto function = compile(model, f, inputs_then_options...);
    using Function = decltype(function);
    if constexpr (std::is_same_v<Function, AfterRefusal>)
      return function;
    else
      return evaluate_checked<rows>(ranks, function, dataset, static_cast<Inputs*>(nullptr),
                                    static_cast<typename Function::ResultTypes*>(nullptr));
  } else {
    return AfterRefusal{};
  }
}

// evaluate() of a trainer: its members with_model(f), which calls f(ranks, model). Loss: what it trains on
// inputs I...
template <class Self, class Loss, class... I>
class Evaluated {
 public:
  // The mean of f(model, x, y, ...) over every sample of a dataset, in evaluation mode: evaluate() with this
  // trainer's model and, where no others are given, its inputs; of the loss without f. On several ranks a
  // call of all.
  template <class G, class D, class... A>
  requires(!data::Dataset<G> && !requires(const G& g) {
    g.data(), g.size();
  }) auto evaluate(G f, const D& dataset, const A&... inputs_then_options) {
    return self().with_model([&](const auto& ranks, auto& model) {
      if constexpr (option_count < OptionKind::input, A... >> 0)
        return evaluate_model(ranks, model, f, dataset, inputs_then_options...);
      else
        return evaluate_model(ranks, model, f, dataset, I{}..., inputs_then_options...);
    });
  }
  // The mean of the loss.
  template <data::Dataset D, class... A>
  auto evaluate(const D& dataset, const A&... options) {
    return self().with_model([&](const auto& ranks, auto& model) {
      return evaluate_model(ranks, model, Loss{}, dataset, I{}..., options...);
    });
  }
  // Refused.
  template <data::Dataset D, detail::HasCall F, class... More>
  auto evaluate(const D&, const F&, const More&...) {
    static_assert(sizeof(FunctionComesFirst<sizeof(D) == 0, D, F>) > 0);
    return AfterRefusal{};
  }
  template <class X, class Y, class... More>
  requires(!data::Dataset<X> &&
           requires(const X& x) { x.data(), x.size(); }) auto evaluate(const X&, const Y&, const More&...) {
    static_assert(sizeof(DatasetIsEvaluated<sizeof(X) == 0, X, Y>) > 0);
    return AfterRefusal{};
  }
  template <class D>
  requires(!data::Dataset<D>) auto evaluate(const D&) {
    static_assert(sizeof(DatasetIsEvaluated<sizeof(D) == 0, D>) > 0);
    return AfterRefusal{};
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace train

// One number, or an std::array of them where f has several results. The model is not changed by it, but for
// buffers that f assigns, such as a metric's.
template <class M, class F, class D, class... A>
requires is_model<std::remove_cvref_t<M>>
auto evaluate(M&& model, F f, const D& dataset, const A&... inputs_then_options) {
  return train::evaluate_model(train::Ranks<comm::None>{}, model, f, dataset, inputs_then_options...);
}
template <class F, class M, class... A>
requires(!is_model<F> && is_model<M>) auto evaluate(const F&, const M&, const A&...) {
  static_assert(sizeof(train::ModelIsEvaluated<sizeof(M) == 0, F, M>) > 0);
  return AfterRefusal{};
}

}  // namespace WEFT_NAMESPACE
