// Forecasts a series from a CSV file: an LSTM reads a window of past values and predicts the next one, and is
// judged on the last fifth of the series, which training never saw.
//
// The network is asked for the change from each value to the next, in units of the training part's deviation.
// So a network that knows nothing repeats the last value, which is the forecast that it is compared with.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>
#include <weft/weft.hpp>

#include "options.hpp"

namespace nn = weft::nn;
using namespace weft;

constexpr const char* usage =
    "usage: lstm_forecast --data FILE --column NAME [OPTIONS]\n"
    "  --data FILE       a CSV file with a header; rows in the order of time\n"
    "  --column NAME     the column to forecast\n"
    "  --separator C     the character between fields (default: ,)\n"
    "  --epochs N        passes over the data (default: 500 batches, 5 to 100 passes)\n"
    "  --seed N          of starting values and order (default: 0)\n"
    "  --out FOLDER      where lstm_forecast.svg goes (default: here)\n"
    "Try it on --data examples/data/demand.csv --column demand\n";

constexpr i64 window = 48, batch = 32;
constexpr i64 fewest_rows = 5 * (window + 1);

struct Network {
  nn::LSTM<1, 32, nn::Recurrent{.batch_first = true}> lstm;
  nn::Linear<32, 1> head;
  // (batch, window, 1) -> the change after every value, (batch, window)
  constexpr auto operator()(auto x) const {
    const auto [y, state] = lstm(x);
    return reshape<batch, window>(head(y));
  }
};

struct Series {
  std::vector<f64> values;
  i64 training = 0;  // values before the held-out part
  f64 mean = 0, deviation = 1;

  f32 scaled(i64 i) const {
    return static_cast<f32>((values[static_cast<std::size_t>(i)] - mean) / deviation);
  }
};

Series read_series(const Options& options) {
  const std::string path = options.text("data", ""), column = options.text("column", ""),
                    separator = options.text("separator", ",");
  if (path.empty()) options.fail("--data FILE is missing");
  if (column.empty()) options.fail("--column NAME is missing");
  if (separator.size() != 1) options.fail("--separator takes one character");
  io::CsvOptions csv;
  csv.separator = separator[0];
  csv.columns = {column};
  Series s;
  s.values = io::read_csv(path, csv).column(column);
  const i64 rows = static_cast<i64>(s.values.size());
  if (rows < fewest_rows)
    throw Error("forecast/rows", "'" + path + "' has " + std::to_string(rows) +
                                     " rows; learning and testing take " + std::to_string(fewest_rows));
  s.training = rows - rows / 5;
  for (i64 i = 0; i < s.training; ++i)
    s.mean += s.values[static_cast<std::size_t>(i)] / static_cast<f64>(s.training);
  f64 variance = 0;
  for (i64 i = 0; i < s.training; ++i)
    variance += std::pow(s.values[static_cast<std::size_t>(i)] - s.mean, 2) / static_cast<f64>(s.training);
  s.deviation = std::sqrt(variance);
  if (!(s.deviation > 1e-12 * std::abs(s.mean)))
    throw Error("forecast/constant", "column '" + column + "' holds one value: there is nothing to learn");
  return s;
}

// Windows of values with the changes that follow each of them, for windows that end before `ends[i]`.
// `present` is the label by which a loader marks padded rows.
auto samples(const Series& s, i64 first_end, i64 last_end) {
  data::Column<f32> values{{}, {window, 1}}, changes{{}, {window}};
  data::Column<i32> present{std::vector<i32>(static_cast<std::size_t>(last_end - first_end), 1), {}};
  for (i64 end = first_end; end < last_end; ++end)
    for (i64 i = end - window; i < end; ++i) {
      values.values.push_back(s.scaled(i));
      changes.values.push_back(s.scaled(i + 1) - s.scaled(i));
    }
  return data::Arrays<f32, f32, i32>(std::move(values), std::move(changes), std::move(present));
}

int main(int argc, char** argv) try {
  const Options options(argc, argv, usage);
  const u64 number = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  const Series series = read_series(options);
  const i64 rows = static_cast<i64>(series.values.size());
  std::printf("%lld values; the last %lld held out\n", static_cast<long long>(rows),
              static_cast<long long>(rows - series.training));

  const auto training = samples(series, window, series.training);
  auto loader = data::loader<batch>(training, {.shuffle = true, .seed = number, .last = data::pad_and_mask});
  const i64 passes = std::clamp<i64>(500 / loader.batches(), 5, 100);
  const int epochs = options.number("epochs", static_cast<int>(passes), 1, 1000000);
  const i64 steps = epochs * loader.batches();
  auto trainer = make_trainer<Network>(
      best_device{},
      [](const auto& model, auto x, auto y, auto present) {
        const auto counts = unsqueeze<1>(cast<f32>(present > 0));  // 0 in padded rows
        const auto wrong = (model(x) - y) * counts;
        return sum<>(wrong * wrong) / (sum<>(counts) * static_cast<f32>(window));
      },
      in<f32, batch, window, 1>, in<f32, batch, window>, in<i32, batch>,
      optim::AdamW{.lr = schedule::warmup_cosine(1e-2, steps / 20, steps), .weight_decay = 0.1f},
      seed{number}, clip::norm(1.0f));

  train::Progress progress({.epochs = epochs, .batches = loader.batches(), .batch_size = batch});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    i64 done = 0;
    for (auto& [x, y, present] : loader) {
      const auto loss = trainer.step(x, y, present);
      progress.update(epoch, ++done, loss);
    }
  }
  progress.finish();

  // Each held-out value is forecast from the true values before it.
  auto predict = compile(
      trainer.model(), [](const auto& m, auto x) { return m(x); }, in<f32, batch, window, 1>);
  Tensor<f32, Shape<batch, window>> changes;
  train::Curve chart(
      {.title = "lstm_forecast: the held-out part", .x_label = "row", .y_label = options.text("column", "")});
  f64 error = 0, naive = 0;
  i64 row = series.training;
  const auto held_out = samples(series, series.training, rows - 1);
  for (auto& part : data::loader<batch>(held_out, {.last = data::pad_and_mask})) {
    predict.into(changes)(part.template get<0>());
    for (i64 i = 0; i < part.valid(); ++i, ++row) {
      const f64 truth = series.values[static_cast<std::size_t>(row)],
                before = series.values[static_cast<std::size_t>(row - 1)];
      const f64 forecast = before + series.deviation * static_cast<f64>(changes[i * window + window - 1]);
      chart.add("series", static_cast<f64>(row), truth);
      chart.add("forecast", static_cast<f64>(row), forecast);
      error += std::pow(truth - forecast, 2);
      naive += std::pow(truth - before, 2);
    }
  }
  const std::string drawing = options.text("out", ".") + "/lstm_forecast.svg";
  chart.save(drawing);
  std::printf("wrote %s\n", drawing.c_str());
  const f64 count = static_cast<f64>(row - series.training);
  std::printf("lstm_forecast: '%s': RMSE %.4g, of repeating the last value %.4g\n",
              options.text("column", "").c_str(), std::sqrt(error / count), std::sqrt(naive / count));
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "lstm_forecast: %s\n", error.what());
  return 1;
}
